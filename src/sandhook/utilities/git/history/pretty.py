"""The forms of a commit: --oneline, --pretty=medium and the like, and --format with placeholders.

Source: git 2.39, pretty.c; git-log(1), "PRETTY FORMATS".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.dates import show_date
from sandhook.utilities.git.history.decorate import Decorations
from sandhook.utilities.git.history.email import email_lines
from sandhook.utilities.git.history.mailmap import Mailmap
from sandhook.utilities.git.history.messages import expand_tabs, subject, subject_lines, trimmed
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.notes import Notes
from sandhook.utilities.git.history.placeholders import expand
from sandhook.utilities.git.names.colors import RESET
from sandhook.utilities.git.store.commits import Commit, Identity
from sandhook.utilities.git.store.repository import Repository

if TYPE_CHECKING:
    from sandhook.utilities.git.history.description import Description
    from sandhook.utilities.git.history.reflogs import ReflogWalk

BUILT_IN = ("oneline", "short", "medium", "full", "fuller", "reference", "raw", "email", "mboxrd")
_REFERENCE = "%C(auto)%h (%s, %as)"


class Format(Record):
    """How commits are printed.

    Fields:
        kind: One of BUILT_IN, or "user".
        text: The placeholders of a user's format.
        terminates: A newline ends each commit, in place of one between two.
    """

    kind: str
    text: str = ""
    terminates: bool = False


def parse_format(word: str, repository: Repository, depth: int = 0) -> Format:
    """Return the format that --pretty or --format names. Raises GitError for an unknown one."""
    if word.startswith("format:"):
        return Format("user", word[7:])
    if word.startswith("tformat:"):
        return Format("user", word[8:], True)
    if "%" in word or not word:
        return Format("user", word, True)
    alias = repository.config.get(f"pretty.{word.lower()}")
    if alias is not None and depth < 5:
        return parse_format(alias, repository, depth + 1)
    for name in BUILT_IN:
        if name.startswith(word):
            if name == "reference":
                return Format("user", _REFERENCE, True)
            return Format(name, terminates=name == "oneline")
    raise GitError(f"invalid --pretty format: {word}")


class Printer:
    """Formats commits.

    Args:
        date: The form of dates, "" for that of the format.
        abbreviated: Names of commits are abbreviated to this length; None for full names, 0 for the usual length.
    """

    def __init__(
        self,
        repository: Repository,
        format_: Format,
        *,
        date: str = "",
        abbreviated: int | None = None,
        decoration: str = "no",
    ) -> None:
        self.repository = repository
        self.layout = format_
        self.names = Names(repository)
        self.date = date
        self.default_date = "short" if format_.text == _REFERENCE else "default"
        self.abbreviated = abbreviated
        self.decoration = decoration
        self.decorations = Decorations(repository)
        self.length: int | None = abbreviated or None  #: of abbreviated names in placeholders
        self.reflogs: ReflogWalk | None = None
        self.source: str | None = None  #: the name that the commit was reached by, if it is wanted
        self.shows_source = False  #: it is printed after the names of commits
        self.color: str | None = None  #: that of the names of commits, None without colours
        self.notes: Notes | None = None  #: what is printed after messages
        self.has_notes: bool | None = None  #: False if the options exclude notes
        self.tabs: int | None = (
            None  #: the width of a tab in messages, 0 for tabs as they are; None for the usual
        )
        self.paints_names = False  #: %C(auto) was read
        self.uses_mailmap = repository.config.boolean("log.mailmap", True)
        self._mailmap: Mailmap | None = None
        self._descriptions: dict[str, Description | None] = {}
        self.tz = repository.options.environment.get("TZ")

    def _note_lines(self, oid: str) -> list[str]:
        """Return the lines of the note of a commit, between empty ones; no lines without a note."""
        lines: list[str] = []
        for title, note in self.notes.of(oid) if self.notes is not None else ():
            lines += ["", title, *(f"    {line}" for line in note.removesuffix("\n").split("\n"))]
        return [*lines, ""] if lines else []

    def note(self, oid: str) -> str | None:
        """Return the notes of a commit, "" for a commit without one; None if the options exclude notes."""
        if self.notes is None and self.has_notes is None:
            self.notes = Notes(self.repository)
        if self.notes is None:
            return None
        return "".join(note.removesuffix("\n") + "\n" for _, note in self.notes.of(oid))

    def show_date(self, person: Identity, mode: str) -> str:
        """Return the date of a person; "" for the mode of the options."""
        return show_date(person, mode or self.date or self.default_date, self.repository.ctx.now(), self.tz)

    def mapped(self, person: Identity) -> Identity:
        """Return a person as .mailmap has it."""
        if self._mailmap is None:
            self._mailmap = Mailmap(self.repository)
        return self._mailmap.of(person)

    def describe(self, oid: str, options: str) -> str | None:
        """Return the description of a commit for %(describe), "" without one; None for unknown options."""
        from sandhook.utilities.git.history.description import Description, placeholder_options

        if options not in self._descriptions:
            parsed = placeholder_options(options)
            self._descriptions[options] = None if parsed is None else Description(self.repository, parsed)
        description = self._descriptions[options]
        if description is None:
            return None
        try:
            return description.text(oid)
        except GitError:
            return ""

    def shown_id(self, oid: str) -> str:
        """Return the name of a commit as the first line has it."""
        return oid if self.abbreviated is None else self.names.abbreviate(oid, self.abbreviated or None)

    def decorated(self, oid: str) -> str:
        """Return " (HEAD -> main, tag: v1)", or ""."""
        if self.decoration == "no":
            return ""
        if self.color is not None:
            return self.decorations.painted(oid, self.color, full=self.decoration == "full")
        text = ", ".join(self.decorations.of(oid, full=self.decoration == "full"))
        return f" ({text})" if text else ""

    def text(self, commit: Commit, mark: str = "", source: str = "") -> str:
        """Return a commit in the format.

        Args:
            mark: "<", ">" or "" before the name. source: Words after the name, such as " (from ...)".
        """
        self.repository.access.charge(2 + (len(commit.message) >> 6))
        kind = self.layout.kind
        if kind == "user":
            return expand(self, self.layout.text, commit, mark)
        if kind in ("email", "mboxrd"):
            author = self.mapped(commit.author) if self.uses_mailmap else commit.author
            date = self.show_date(commit.author, "rfc")
            lines = list(email_lines(commit, author, date, is_mboxrd=kind == "mboxrd"))
            notes = self._note_lines(commit.oid)[:-1]
            return "".join(f"{line}\n" for line in [*lines, *(["---", *notes] if notes else [])])
        name = f"{mark}{self.shown_id(commit.oid)}{source}"
        if kind != "oneline":
            name = f"commit {name}"
        named = f"\t{self.source}" if self.shows_source and self.source is not None else ""
        name = self._painted(name) + named + self.decorated(commit.oid)
        position = self.reflogs.current if self.reflogs is not None else None
        if kind == "oneline" and position is not None:
            return f"{name} {self.reflog_selector()}: {position.entry.message}"
        if kind == "oneline":
            return "\n".join([f"{name} {subject(commit.message)}", *self._note_lines(commit.oid)[1:]])
        lines = [name]
        if position is not None:
            who = position.entry.person
            lines.append(f"Reflog: {self.reflog_selector()} ({who.name} <{who.email}>)")
            lines.append(f"Reflog message: {position.entry.message}")
        lines += self._raw(commit) if kind == "raw" else self._lines(commit, kind)
        lines += self._note_lines(commit.oid)[:-1]
        return "".join(f"{line}\n" for line in lines)

    def painted_name(self, name: str) -> str:
        """Return the name of a commit in its colour after %C(auto)."""
        return self._painted(name) if self.paints_names else name

    def _painted(self, name: str) -> str:
        return name if self.color is None else f"{self.color}{name}{RESET}"

    def reflog_selector(self, *, short: bool = False) -> str:
        """Return "HEAD@{1}" for the reflog entry of the commit, "" without a walk of reflogs."""
        if self.reflogs is None:
            return ""
        return self.reflogs.selector(lambda person: self.show_date(person, ""), short=short)

    def _raw(self, commit: Commit) -> Iterator[str]:
        head = commit.raw.partition(b"\n\n")[0].decode("utf-8", "surrogateescape")
        skipping = False
        for line in head.split("\n"):
            skipping = line.startswith("gpgsig") or (skipping and line.startswith(" "))
            yield line
        yield ""
        yield from indented(commit.message, self._tabs())

    def _tabs(self) -> int:
        usual = 8 if self.layout.kind in ("medium", "full", "fuller") else 0
        return usual if self.tabs is None else self.tabs

    def _lines(self, commit: Commit, kind: str) -> Iterator[str]:
        if len(commit.parents) > 1:
            yield "Merge: " + " ".join(
                self.names.abbreviate(parent, self.length) for parent in commit.parents
            )
        people = [commit.author, commit.committer]
        if self.uses_mailmap:
            people = [self.mapped(each) for each in people]
        author, committer = (f"{each.name} <{each.email}>" for each in people)
        if kind in ("short", "medium"):
            yield f"Author: {author}"
            if kind == "medium":
                yield f"Date:   {self.show_date(commit.author, '')}"
        elif kind == "full":
            yield f"Author: {author}"
            yield f"Commit: {committer}"
        else:
            yield f"Author:     {author}"
            yield f"AuthorDate: {self.show_date(commit.author, '')}"
            yield f"Commit:     {committer}"
            yield f"CommitDate: {self.show_date(commit.committer, '')}"
        yield ""
        if kind == "short":
            yield from indented(subject_lines(commit.message), self._tabs())
        else:
            yield from indented(commit.message, self._tabs())


def indented(message: str, tabs: int) -> Iterator[str]:
    """Yield the lines of a message with four blanks; blank lines at its ends are dropped.

    Args:
        tabs: The width of a tab, 0 for tabs as they are.
    """
    for line in trimmed(message).split("\n"):
        text = line.rstrip()
        yield "    " + (expand_tabs(text, tabs) if tabs else text)

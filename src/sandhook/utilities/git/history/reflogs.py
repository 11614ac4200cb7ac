"""Walks over the entries of reflogs in place of ancestors, for ``log -g`` and ``reflog``.

Source: git 2.39, reflog-walk.c; git-log(1), "--walk-reflogs".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from sandhook.record import Record
from sandhook.utilities.git.diff.model import NULL_ID
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.dates import parse_date
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.store.commits import Commit, Identity
from sandhook.utilities.git.store.refs import LogEntry, is_valid_name
from sandhook.utilities.git.store.repository import Repository

_CANDIDATES = ("{}", "refs/{}", "refs/heads/{}")
_GUESSES = ("refs/tags/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_SELECTOR = re.compile(r"([^@]*)@\{(.*)\}", re.DOTALL)
_PREVIOUS = re.compile(r"@\{-(\d{1,8})\}")
_TRACKED = re.compile(r"@\{(u|upstream|push)\}", re.IGNORECASE)


DateForm = Callable[[Identity], str]


class _Reflog:
    """The reflog that one operand names, and how far it has been walked.

    Attributes:
        at: The index of the next entry; -1 after the oldest one.
        selects: "number" for NAME@{2}, "date" for NAME@{yesterday}, "" for a name alone.
    """

    def __init__(self, name: str, entries: list[LogEntry], at: int, selects: str) -> None:
        self.name = name
        self.entries = entries
        self.at = at
        self.selects = selects


class Position(Record):
    """The entry that a walk is at.

    Fields:
        name: The reference, as the operand names it.
        number: Entries that are younger.
        dated: True if the date of the entry selects it, not its number.
    """

    name: str
    number: int
    entry: LogEntry
    dated: bool


class ReflogWalk:
    """The commits of reflogs, the youngest entry first.

    Args:
        words: Operands: references, each with "@{NUMBER}" or "@{DATE}" if it does not begin at the youngest entry.
        dated: Entries are shown with their dates, unless the operand has a number.

    Attributes:
        current: The entry of the commit that was yielded last.
    """

    def __init__(self, repository: Repository, words: Sequence[str], *, dated: bool) -> None:
        self._repository = repository
        self._dated = dated
        self._reflogs = [found for word in words if (found := self._open(word)) is not None]
        self.current: Position | None = None

    def _open(self, word: str) -> _Reflog | None:
        """Return the reflog of an operand; None if it does not exist, or is younger than the date."""
        name, inner, selects = self._branch(word), "0", ""
        match = _SELECTOR.fullmatch(name)
        if match is not None:
            name, inner = match.groups()
            selects = "number" if inner.isascii() and inner.isdigit() else "date"
        found = self._read(name or self._repository.head_branch() or "HEAD")
        if found is None:
            return None
        shown, entries = found
        if selects == "date":
            now, tz = int(self._repository.ctx.now()), self._repository.options.environment.get("TZ")
            when = parse_date(inner, now, tz)
            at = next((at for at in reversed(range(len(entries))) if entries[at].person.time <= when), -1)
        else:
            at = len(entries) - 1 - int(inner[:9])
        return _Reflog(shown, entries, at, selects) if at >= 0 else None

    def _branch(self, word: str) -> str:
        """Return an operand with the branch that "@", "@{-1}" or "@{upstream}" means."""
        names = Names(self._repository)
        if word == "@":
            return "HEAD"
        if (match := _PREVIOUS.match(word)) is not None:
            return (names.previous_branch(int(match[1])) or word[: match.end()]) + word[match.end() :]
        name, at, inside = word.partition("@{")
        if at and (match := _TRACKED.match(at + inside)) is not None:
            return (names.at_reference(name, match[1]) or name) + word[len(name) + match.end() :]
        return word

    def _read(self, name: str) -> tuple[str, list[LogEntry]] | None:
        """Return a name and the entries of its reflog; None if it has no entry."""
        refs = self._repository.refs
        for forms, is_full in ((_CANDIDATES, False), (_GUESSES, True)):
            for form in forms:
                full = form.replace("{}", name)
                if is_valid_name(full) and (entries := refs.log(full) or refs.log(refs.final_name(full))):
                    return full if is_full else name, entries
        return None

    def __iter__(self) -> Iterator[Commit]:
        objects = self._repository.objects
        while (reflog := self._youngest()) is not None:
            self._repository.access.charge(2)
            entry = reflog.entries[reflog.at]
            number = len(reflog.entries) - 1 - reflog.at
            dated = reflog.selects == "date" or (not reflog.selects and self._dated)
            reflog.at -= 1
            self.current = Position(reflog.name, number, entry, dated)
            yield objects.commit(entry.new)

    def _youngest(self) -> _Reflog | None:
        """Return the reflog with the youngest next entry, after the entries without a commit."""
        best: _Reflog | None = None
        for reflog in self._reflogs:
            while reflog.at >= 0 and not self._is_commit(reflog.entries[reflog.at].new):
                reflog.at -= 1
            if reflog.at >= 0 and (best is None or _time(reflog) > _time(best)):
                best = reflog
        return best

    def _is_commit(self, oid: str) -> bool:
        objects = self._repository.objects
        return oid != NULL_ID and objects.has(oid) and objects.get(oid).kind == "commit"

    def selector(self, printer: DateForm, *, short: bool = False) -> str:
        """Return "NAME@{...}" of the entry, "" before the first one; ``short`` names the reference briefly."""
        here = self.current
        if here is None:
            return ""
        name = Names(self._repository).short_ref(here.name) if short else here.name
        return f"{name}@{{{printer(here.entry.person) if here.dated else here.number}}}"


def check_words(words: Sequence[str]) -> None:
    """Raise GitError for operands that exclude commits."""
    for word in words:
        excluded = word[1:] if word.startswith("^") else word.partition("..")[0] if ".." in word else None
        if excluded is not None:
            raise GitError(f"cannot walk reflogs for {excluded or 'HEAD'}")


def _time(reflog: _Reflog) -> int:
    return reflog.entries[reflog.at].person.time

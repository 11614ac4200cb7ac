"""Prints lines with the commits that they are from.

Source: git 2.39, builtin/blame.c.
"""

from __future__ import annotations

from sandhook.text.width import width_of
from sandhook.utilities.git.commands.blame.options import Options
from sandhook.utilities.git.commands.blame.passing import Blame, Line
from sandhook.utilities.git.diff.model import NULL_ID
from sandhook.utilities.git.history.dates import show_date
from sandhook.utilities.git.history.mailmap import Mailmap
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Identity

_UNCOMMITTED = "Not Committed Yet"
_EMAIL = "not.committed.yet"


class Writer:
    def __init__(self, call: Invocation, options: Options, blame: Blame, path: str) -> None:
        self.call = call
        self.options = options
        self.blame = blame
        self.path = path
        self.names = Names(call.repository)
        self.mailmap = Mailmap(call.repository)
        config = call.repository.config
        self.marks = [
            (mark, lines)
            for mark, key, lines in (
                ("*", "blame.markunblamablelines", blame.unblamable), ("?", "blame.markignoredlines", blame.ignored),
            )
            if config.boolean(key)
        ]  # fmt: skip

    def _person(self, oid: str, role: str = "author") -> Identity:
        if oid == NULL_ID:
            return Identity(_UNCOMMITTED, _EMAIL, int(self.call.ctx.now()), "+0000")
        commit = self.call.repository.objects.commit(oid)
        return self.mailmap.of(commit.author if role == "author" else commit.committer)

    def write(self, result: list[Line], wanted: list[int]) -> None:
        """Print the wanted lines."""
        if self.options.porcelain or self.options.line_porcelain:
            self._porcelain(result, wanted)
            return
        lines = [result[at] for at in wanted]
        options = self.options
        people = {line.commit: self._person(line.commit) for line in lines}
        shown = {oid: f"<{each.email}>" if options.email else each.name for oid, each in people.items()}
        name_width = max(map(width_of, shown.values()), default=0)
        number_width = max((len(str(at + 1)) for at in wanted), default=1)
        old_width = max((len(str(line.number + 1)) for line in lines), default=1)
        with_path = (
            options.name
            or len({line.path for line in lines}) > 1
            or any(line.path != self.path for line in lines)
        )
        path_width = max((width_of(line.path) for line in lines), default=0)
        length = 40 if options.long else self._length(lines)
        mode = options.date or self.call.repository.config.get("blame.date") or "iso"
        tz = self.call.options.environment.get("TZ")
        for at, line in zip(wanted, lines):
            self.call.access.charge(2)
            person = people[line.commit]
            if options.compatible:
                date = self._date(person, mode, tz)
                name = " " * (10 - width_of(shown[line.commit])) + shown[line.commit]
                self._line(f"{self._id(line.commit, length, at)}\t({name}\t{date:>10}\t{at + 1})", at)
                continue
            text = self._id(line.commit, length, at)
            if with_path:
                text += f" {line.path}{' ' * (path_width - width_of(line.path))}"
            if options.number:
                text += f" {line.number + 1:>{old_width}}"
            if not options.suppress:
                date = self._date(person, mode, tz)
                name = shown[line.commit]
                text += f" ({name}{' ' * (name_width - width_of(name))} {date} {at + 1:>{number_width}}) "
            else:
                text += f" {at + 1:>{number_width}}) "
            self._line(text, at)

    def _date(self, person: Identity, mode: str, tz: str | None) -> str:
        if self.options.raw_time:
            return f"{person.time} {person.zone}"
        return show_date(person, mode, self.call.ctx.now(), tz)

    def _line(self, text: str, at: int) -> None:
        self.call.ctx.write(encode(text) + self.blame.lines[at].removesuffix(b"\n") + b"\n")

    def _length(self, lines: list[Line]) -> int:
        """Return the digits of commits: one more than usual, for the mark of boundaries."""
        if self.options.abbrev is not None:
            return min(40, self.options.abbrev + 1)
        usual = self.names.abbreviation
        unique = [len(self.names.abbreviate(line.commit, usual)) for line in lines if line.commit != NULL_ID]
        return min(40, max(unique, default=usual) + 1)

    def _id(self, oid: str, length: int, at: int) -> str:
        marks = "".join(mark for mark, lines in self.marks if at in lines)
        if (
            oid in self.blame.boundary
            and not self.options.root
            and not self.call.repository.config.boolean("blame.showroot")
        ):
            if self.options.blank_boundary:
                return " " * length
            if self.options.compatible:
                return oid[:length]
            return f"^{marks}{oid[: length - 1 - len(marks)]}"
        return marks + oid[: length - len(marks)]

    # ------------------------------------------------------------------ for scripts

    def _porcelain(self, result: list[Line], wanted: list[int]) -> None:
        known: set[str] = set()
        paths: dict[str, set[str]] = {}
        for line in result:
            paths.setdefault(line.commit, set()).add(line.path)
        for index, at in enumerate(wanted):
            line = result[at]
            head = f"{line.commit} {line.number + 1} {at + 1}"
            begins = not index or not self._follows(result, wanted[index - 1], at)
            if begins:
                head += f" {self._run(result, wanted, index)}"
            self.call.ctx.write_line(head)
            is_new = line.commit not in known or self.options.line_porcelain
            if is_new:
                known.add(line.commit)
                self._details(line)
            if is_new or (begins and len(paths[line.commit]) > 1):
                self._file(line)
            self._line("\t", at)

    def _follows(self, result: list[Line], before: int, at: int) -> bool:
        """Return True for a line that belongs to the one before it: it follows it in the file of the same commit, too."""
        first, second, blame = result[before], result[at], self.blame
        return (second.commit, second.path, second.number, at) == (
            first.commit,
            first.path,
            first.number + 1,
            before + 1,
        ) and all((before in lines) == (at in lines) for lines in (blame.ignored, blame.unblamable))

    def _run(self, result: list[Line], wanted: list[int], index: int) -> int:
        """Return how many wanted lines from an index on belong to each other."""
        end = index + 1
        while end < len(wanted) and self._follows(result, wanted[end - 1], wanted[end]):
            end += 1
        return end - index

    def _details(self, line: Line) -> None:
        write = self.call.ctx.write_line
        for role in ("author", "committer"):
            person = self._person(line.commit, role)
            write(f"{role} {person.name}")
            write(f"{role}-mail <{person.email}>")
            write(f"{role}-time {person.time}")
            write(f"{role}-tz {person.zone}")
        if line.commit == NULL_ID:
            write(f"summary Version of {self.path} from {self.path}")
        else:
            commit = self.call.repository.objects.commit(line.commit)
            write(f"summary {subject(commit.message)}")
            if line.commit in self.blame.boundary:
                write("boundary")

    def _file(self, line: Line) -> None:
        """Print the file of a line, and where it was before."""
        write = self.call.ctx.write_line
        if line.commit == NULL_ID:
            write(f"previous {self.blame.start} {self.path}")
        elif line.commit not in self.blame.boundary:
            commit = self.call.repository.objects.commit(line.commit)
            parent = commit.parents[0] if commit.parents else None
            old = None if parent is None else self.blame.old_path(commit, parent, line.path)
            if old is not None:
                write(f"previous {parent} {old}")
        write(f"filename {line.path}")

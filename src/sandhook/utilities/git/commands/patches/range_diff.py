"""git range-diff: compare two versions of a branch, patch by patch.

Source: git-range-diff(1); git 2.39, range-diff.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.limits import check_fits
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.diff.model import NULL_ID, Pair, Side
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.patch import Style, hunks
from sandhook.utilities.git.diff.trees import compare_trees
from sandhook.utilities.git.diff.xdiff import compare, split_lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.assignment import assign
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.notes import Notes
from sandhook.utilities.git.history.operands import is_revision
from sandhook.utilities.git.history.pretty import Format, Printer
from sandhook.utilities.git.history.selection import Selection, WalkOptions
from sandhook.utilities.git.history.starts import find_starts
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.repository import Repository

_USAGE = """usage: git range-diff [<options>] <old-base>..<old-tip> <new-base>..<new-tip>
   or: git range-diff [<options>] <old-tip>...<new-tip>
   or: git range-diff [<options>] <base> <old-tip> <new-tip>"""
_SEPARATE = (
    "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
)
_HIGH_COST = 1 << 16
_CREATION_FACTOR = 60
_PATCH_BYTES = 1000  #: what a patch takes in memory, roughly, in addition to its text
_HEADING = re.compile(rb" ## (.*) ##$")
_INNER = re.compile(rb".?@@ (.*)$")
_MARKS = {b">": b"+", b"<": b"-", b"#": b" "}


@option_set
class Options:
    """Options of git range-diff."""

    factor: int = opt("--creation-factor", "N", "", convert=count, default=_CREATION_FACTOR)
    dual: bool = also(opt("--dual-color"), opt("--no-dual-color", const=False))
    left: bool = opt("--left-only")
    right: bool = opt("--right-only")
    notes: str | None = also(
        opt("--notes", "REF", "", optional=True, const=""), opt("--no-notes", const="no")
    )


class _Patch:
    """A commit as text that can be compared.

    Attributes:
        number: Its place in its range, from 1.
        head: The author and the message. diff: The changes. lines: How many lines of changes there are.
        match: The place of the patch of the other range that belongs to it, -1 without one.
    """

    __slots__ = ("commit", "diff", "head", "lines", "match", "number", "shown")

    def __init__(self, commit: Commit, number: int, head: bytes, diff: bytes, lines: int) -> None:
        self.commit = commit
        self.number = number
        self.head = head
        self.diff = diff
        self.lines = lines
        self.match = -1
        self.shown = False

    @property
    def text(self) -> bytes:
        """The whole text."""
        return self.head + b"\n" * bool(self.diff) + self.diff


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(Options, DiffOptions).parse(arguments)
    options, diff, repository = parsed.of(Options), parsed.of(DiffOptions), call.repository
    output = DiffOutput(repository, diff)
    if output.appearance.colored or output.forms() - {"patch"} or parsed.paths:
        raise GitError(
            "range-diff with colours, with paths, and in other forms than patches is not offered in the sandbox (L-GIT-003)",
            status=129,
        )
    first, second = _ranges(repository, parsed.operands)
    reader = _Reader(repository, options)
    old, new = reader.patches(first), reader.patches(second)
    if options.left and options.right:
        raise GitError("options '--left-only' and '--right-only' cannot be used together")
    _Matching(repository, old, new, options.factor).run()
    _Report(repository, options, output.style(), old, new, with_patches=diff.patch is not None).write()
    return 0


def _ranges(repository: Repository, words: Sequence[str]) -> tuple[str, str]:
    """Return both ranges. Raises GitError for words that are not two ranges."""
    names = Names(repository)
    if len(words) == 3 and all(names.find(word) is not None for word in words):
        return f"{words[0]}..{words[1]}", f"{words[0]}..{words[2]}"
    for word in words[:2] if len(words) > 1 else ():
        if not is_revision(names, word):
            raise GitError(f"bad revision '{word}'")
        if ".." not in word:
            break
    if len(words) == 2 and all(".." in word for word in words):
        return words[0], words[1]
    if len(words) == 1 and "..." in words[0]:
        left, _, right = words[0].partition("...")
        return f"{right or 'HEAD'}..{left or 'HEAD'}", f"{left or 'HEAD'}..{right or 'HEAD'}"
    raise GitError(f"need two commit ranges\n\n{_USAGE}", status=129)


class _Reader:
    """Makes the patches of commits."""

    def __init__(self, repository: Repository, options: Options) -> None:
        self._repository = repository
        self._output = DiffOutput(
            repository, DiffOptions(no_prefix=True, new_mark=">", old_mark="<", context_mark="#")
        )
        self._printer = Printer(repository, Format("medium"))
        self._printer.decoration = "no"
        if options.notes != "no":
            self._printer.notes = Notes(repository, [options.notes] if options.notes else [])

    def patches(self, words: str) -> list[_Patch]:
        """Return the patches of a range, the oldest first, without merges."""
        repository = self._repository
        walk = WalkOptions(order="date", reverse=True, max_parents=1)
        try:
            starts = find_starts(repository, [words], ())
        except GitError as error:
            raise GitError(f"{error}\n{_SEPARATE}\nerror: could not parse log for '{words}'") from None
        everything = Pathspec([], repository.access.charge)
        result: list[_Patch] = []
        for commit in Selection(repository, walk, starts, everything):
            diff, lines = self._diff(commit)
            repository.ctx.budget.charge_memory(2 * len(diff) + len(commit.message) + _PATCH_BYTES)
            result.append(_Patch(commit, len(result) + 1, self._head(commit), diff, lines))
        return result

    def _head(self, commit: Commit) -> bytes:
        result = ""
        for line in self._printer.text(commit).split("\n"):
            if line.startswith("Author: "):
                result += f" ## Metadata ##\n{line}\n\n ## Commit message ##\n"
            elif line.startswith("Notes") and line.endswith(":"):
                result += f"\n\n ## {line[:-1]} ##\n"
            elif line.startswith("    "):
                result += f"{line.rstrip()}\n" if line.strip() else "\n"
        return encode(result)

    def _diff(self, commit: Commit) -> tuple[bytes, int]:
        objects, output = self._repository.objects, self._output
        old = objects.commit(commit.parents[0]).tree if commit.parents else None
        pairs = output.complete(
            compare_trees(objects, old, commit.tree, Pathspec([], self._repository.access.charge))
        )
        rows = [row for pair in pairs for each in _parts(pair) for row in self._file(each)]
        return b"".join(rows[1:]), sum(row != b"\n" for row in rows)

    def _file(self, pair: Pair) -> Iterator[bytes]:
        """Yield the lines of the change of a file."""
        old, new = encode(pair.old.path), encode(pair.new.path)
        title = new if pair.new.exists else old
        if not pair.old.exists:
            title += b" (new)"
        elif not pair.new.exists:
            title += b" (deleted)"
        elif pair.status in "RC":
            title = old + b" => " + new
        if pair.old.exists and pair.new.exists and pair.old.mode != pair.new.mode:
            title += b" (mode change %06o => %06o)" % (pair.old.mode, pair.new.mode)
        yield b"\n"
        yield b" ## " + title + b" ##\n"
        in_hunks = False
        name = new if pair.new.exists else old
        for line in split_lines(self._output.patch([pair])):
            self._repository.access.charge(1)
            text = line.removesuffix(b"\n")
            if (heading := _hunk_heading(text)) is not None:
                in_hunks = True
                yield b"@@" + (b" " + name + b":" if heading else b"") + heading + b"\n"
            elif in_hunks and (mark := _MARKS.get(text[:1])):
                yield mark + text[1:] + b"\n"
            elif in_hunks or text.startswith((b"Binary files ", b"Submodule ")):
                yield b" " + text + b"\n"


def _hunk_heading(line: bytes) -> bytes | None:
    """Return what follows the numbers in the first line of a hunk, None for another line."""
    end = line.find(b"@@", 3) if line.startswith(b"@@ ") else -1
    return None if end < 0 else line[end + 2 :]


def _parts(pair: Pair) -> list[Pair]:
    """Return a change; one of a file's type as what is removed and what is added."""
    if pair.status != "T":
        return [pair]
    nothing = Side(pair.path, 0, NULL_ID)
    return [Pair(pair.old, nothing, "D"), Pair(nothing, pair.new, "A")]


class _Matching:
    """Finds out which patches of both ranges belong to each other."""

    def __init__(self, repository: Repository, old: list[_Patch], new: list[_Patch], factor: int) -> None:
        self._charge = repository.access.charge
        self._old = old
        self._new = new
        self._factor = factor

    def run(self) -> None:
        """Set the matches of the patches."""
        self._match_equal()
        olds, news = self._old, self._new
        size = len(olds) + len(news)
        check_fits(size * size * 32)
        costs = [
            [*(self._cost(each, other) for each in olds), *[self._price(other)] * len(news)] for other in news
        ]
        costs += [[*map(self._price, olds), *[0] * len(news)] for _ in olds]
        for at, column in enumerate(assign(costs, self._charge)[: len(news)]):
            if column < len(olds):
                news[at].match, olds[column].match = column, at

    def _match_equal(self) -> None:
        by_diff: dict[bytes, list[int]] = {}
        for at, each in enumerate(self._old):
            by_diff.setdefault(each.diff, []).append(at)
        for at, each in enumerate(self._new):
            if equal := by_diff.get(each.diff):
                each.match = equal.pop(0)
                self._old[each.match].match = at

    def _price(self, patch: _Patch) -> int:
        return _HIGH_COST if patch.match >= 0 else patch.lines * self._factor // 100

    def _cost(self, old: _Patch, new: _Patch) -> int:
        if old.match >= 0 and self._new[old.match] is new:
            return 0
        if old.match >= 0 or new.match >= 0:
            return _HIGH_COST
        first, second = split_lines(old.diff), split_lines(new.diff)
        changes = compare(first, second, self._charge, by_indent=False)
        text = b"".join(hunks(first, second, changes, Style(heading=lambda _: None), self._charge))
        return text.count(b"\n") - text.count(b"\n\\ No newline")


class _Report:
    """Prints which patches belong to each other, and how they differ."""

    def __init__(
        self,
        repository: Repository,
        options: Options,
        style: Style,
        old: list[_Patch],
        new: list[_Patch],
        *,
        with_patches: bool,
    ) -> None:
        self._repository = repository
        self._options = options
        self._names = Names(repository)
        self._style = style._replace(heading=_heading, key=style.key)
        self._old = old
        self._new = new
        self._with_patches = with_patches
        self._width = len(str(1 + max(len(old), len(new))))
        self._dashes = ""

    def write(self) -> None:
        """Print all patches in the order of the new range, and those that only the old one has."""
        at_old = at_new = 0
        old, new = self._old, self._new
        while at_old < len(old) or at_new < len(new):
            while at_old < len(old) and old[at_old].shown:
                at_old += 1
            if at_old < len(old) and old[at_old].match < 0:
                if not self._options.right:
                    self._line(old[at_old], None)
                at_old += 1
                continue
            while at_new < len(new) and new[at_new].match < 0:
                if not self._options.left:
                    self._line(None, new[at_new])
                at_new += 1
            if at_new < len(new):
                first, second = old[new[at_new].match], new[at_new]
                self._line(first, second)
                if self._with_patches:
                    self._write_patch(first.text, second.text)
                first.shown = True
                at_new += 1

    def _line(self, old: _Patch | None, new: _Patch | None) -> None:
        one = old or new
        assert one is not None
        if not self._dashes:
            self._dashes = "-" * len(self._names.abbreviate(one.commit.oid))
        sign = "=" if old is not None and new is not None else "<" if new is None else ">"
        if old is not None and new is not None and old.text != new.text:
            sign = "!"
        shown = one.commit
        self._repository.ctx.write(
            encode(f"{self._name(old)} {sign} {self._name(new)} {subject(shown.message)}\n")
        )

    def _name(self, patch: _Patch | None) -> str:
        if patch is None:
            return f"{'-':>{self._width}}:  {self._dashes}"
        return f"{patch.number:>{self._width}}:  {self._names.abbreviate(patch.commit.oid)}"

    def _write_patch(self, old: bytes, new: bytes) -> None:
        first, second, charge = split_lines(old), split_lines(new), self._repository.access.charge
        changes = compare(first, second, charge, key=self._style.key)
        for piece in hunks(first, second, changes, self._style, charge):
            for line in split_lines(piece):
                heading = _hunk_heading(line)
                self._repository.ctx.write(b"    " + (line if heading is None else b"@@" + heading))


def _heading(line: bytes) -> bytes | None:
    """Return the heading of a hunk that a line of a patch begins: the name of a part, or the heading of a hunk there."""
    text = line.removesuffix(b"\n")
    found = _HEADING.match(text) or _INNER.match(text)
    return None if found is None else found[1][:80]

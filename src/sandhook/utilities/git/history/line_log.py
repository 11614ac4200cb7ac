"""The history of ranges of lines: "git log -L".

Source: git-log(1), "-L"; git 2.39, line-log.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.record import Record
from sandhook.utilities.git.diff.drivers import Drivers
from sandhook.utilities.git.diff.model import Pair
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.painting import Palette, painted
from sandhook.utilities.git.diff.ranges import Lines, split_argument
from sandhook.utilities.git.diff.trees import compare_trees
from sandhook.utilities.git.diff.xdiff import Change, compare, split_lines
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import Pathspec, from_top
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.repository import Repository

Range = tuple[int, int]  #: the first line of a range, and the one after its last, 0-based
Ranges = dict[str, list[Range]]  #: ranges of lines by the paths of files

_RANGE_BYTES = 200  #: what a range takes in memory, roughly


class _NoColors(Record):
    """The colours of a patch without colours."""

    meta: None = None
    context: None = None
    old: None = None
    new: None = None
    frag: None = None


_NO_COLORS = _NoColors()


class Touched(Record):
    """A change of a file with ranges: those ranges, and the changes that touch them."""

    pair: Pair
    ranges: list[Range]
    changes: list[Change]


class LineLog:
    """Follows ranges of lines from a commit to its ancestors.

    Args:
        arguments: The option-arguments of -L. start: The commit in which they are found.
        first_parent: Other parents of merges are not followed.
    """

    def __init__(
        self, repository: Repository, arguments: Sequence[str], start: str, *, first_parent: bool
    ) -> None:
        self._repository = repository
        self._objects = repository.objects
        self._charge = repository.access.charge
        self._renames = DiffOutput(repository, DiffOptions(renames=30_000))
        self._plain = DiffOutput(repository, DiffOptions(renames=-1))
        self._first_parent = first_parent
        self._wanted: dict[str, Ranges] = {}
        self._add(start, self._parse(arguments, start))

    def _parse(self, arguments: Sequence[str], start: str) -> Ranges:
        repository = self._repository
        names, drivers = Names(repository), Drivers(repository)
        tree = self._objects.commit(start).tree
        result: Ranges = {}
        files: dict[str, Lines] = {}
        for argument in arguments:
            text, name = split_argument(argument)
            path = from_top(name, repository.prefix, repository.root, name)
            if path not in files:
                item = names.tree_item(tree, path)
                if item is None:
                    raise GitError(f"There is no path {path} in the commit")
                lines = split_lines(self._objects.get(item[1]).data)
                files[path] = Lines(lines, drivers.heading(path), self._charge, shown=name)
            known = result.setdefault(path, [])
            self._charge(2 + len(known))
            found = files[path].range(text, known[-1][1] + 1 if known else 1)
            if found is None:
                raise GitError(f"malformed -L argument '{argument}'")
            result[path] = _union([*known, found])
        return result

    def _add(self, commit: str, ranges: Ranges) -> None:
        known = self._wanted.setdefault(commit, {})
        for path, each in ranges.items():
            known[path] = _union([*known.get(path, []), *each])
            self._repository.ctx.budget.check_fits(_RANGE_BYTES * len(known[path]))

    def touched(self, commit: Commit) -> list[Touched] | None:
        """Pass the ranges of a commit to its parents; return the changes that touch them.

        The commits must come in topological order. Returns None for a commit that touches no range.
        """
        ranges = self._wanted.pop(commit.oid, None)
        self._charge(2)
        if not ranges:
            return None
        parents = commit.parents
        if len(parents) > 1:
            return self._of_merge(commit, ranges)
        changes, passed = self._compared(commit, parents[0] if parents else None, ranges)
        if parents:
            self._add(parents[0], passed)
        return changes or None

    def _of_merge(self, commit: Commit, ranges: Ranges) -> list[Touched] | None:
        candidates = []
        for parent in commit.parents[:1] if self._first_parent else commit.parents:
            changes, passed = self._compared(commit, parent, ranges)
            if not changes:
                self._add(parent, passed)
                return None
            candidates.append((parent, passed))
        for parent, passed in candidates:
            self._add(parent, passed)
        return []

    def _compared(self, commit: Commit, parent: str | None, ranges: Ranges) -> tuple[list[Touched], Ranges]:
        """Return the changes from a parent that touch ranges, and the ranges in the parent."""
        tree = None if parent is None else self._objects.commit(parent).tree
        everything = Pathspec([], self._charge)
        pairs = list(compare_trees(self._objects, tree, commit.tree, everything))
        if any(pair.status == "A" and pair.path in ranges for pair in pairs):
            pairs = self._renames.complete(pairs)
        passed = dict(ranges)
        result = []
        for pair in pairs:
            mine = ranges.get(pair.path)
            if not mine or not pair.new.exists:
                continue
            old, new = split_lines(self._plain.load(pair.old)), split_lines(self._plain.load(pair.new))
            changes = compare(old, new, self._charge, by_indent=False)
            found = _touching(changes, mine)
            self._charge(1 + len(mine) + len(changes))
            del passed[pair.path]
            mapped = _union(
                _shifted(_without(mine, found), changes) + [(each.old, each.old_end) for each in found]
            )
            passed[pair.old.path] = _union([*passed.get(pair.old.path, []), *mapped])
            if found:
                result.append(Touched(pair, mine, found))
        order = {path: at for at, path in enumerate(ranges)}
        result.sort(key=lambda each: order[each.pair.path])
        return result, passed

    # ------------------------------------------------------------------ patches

    def patch(self, touched: Touched, palette: Palette | None) -> Iterator[bytes]:
        """Yield the patch of the ranges of a file."""
        pair, colors = touched.pair, palette or _NO_COLORS
        old_name = f"a/{pair.old.path}" if pair.old.exists else "/dev/null"
        for line in (
            f"diff --git a/{pair.old.path} b/{pair.path}", f"--- {old_name}", f"+++ b/{pair.path}"
        ):  # fmt: skip
            yield _colored(colors.meta, encode(line)) + b"\n"
        old, new = split_lines(self._plain.load(pair.old)), split_lines(self._plain.load(pair.new))
        changes, at = touched.changes, 0
        for start, end in touched.ranges:
            while at < len(changes) and changes[at].new_end < start:
                at += 1
            if at == len(changes) or changes[at].new > end:
                continue
            last = at
            while last < len(changes) and changes[last].new < end:
                last += 1
            last = max(at, last - 1)
            self._charge(1 + ((end - start) >> 2))
            yield _hunk_header(changes[at], changes[last], start, end, colors)
            while at < len(changes) and changes[at].new < end:
                change = changes[at]
                yield from _lines(b" ", new[start : change.new], colors.context)
                yield from _lines(b"-", old[change.old : change.old_end], colors.old)
                first = max(start, change.new)
                start = max(first, min(change.new_end, end))
                yield from _lines(b"+", new[first:start], colors.new)
                at += 1
            yield from _lines(b" ", new[start:end], colors.context)


class LineHistory:
    """Selects and prints the commits that touch ranges of lines."""

    def __init__(self, output: DiffOutput, lines: LineLog) -> None:
        self._output = output
        self._lines = lines
        self._touched: dict[str, list[Touched]] = {}

    def accepts(self, commit: Commit) -> bool:
        """Return True for a commit that touches the ranges; called for all commits in topological order."""
        touched = self._lines.touched(commit)
        if touched is None:
            return False
        self._output.repository.ctx.budget.check_fits(_RANGE_BYTES * (len(self._touched) + len(touched)))
        self._touched[commit.oid] = touched
        return True

    def write(self, commit: Commit) -> None:
        """Print the patches of a commit."""
        touched = self._touched.pop(commit.oid, [])
        if self._output.options.patch is None:
            return
        appearance = self._output.appearance
        for each in touched:
            for piece in self._lines.patch(each, appearance.palette if appearance.colored else None):
                self._output.repository.ctx.write(piece)


def _colored(color: bytes | None, text: bytes) -> bytes:
    return text if color is None else painted(color, text)


def _lines(mark: bytes, lines: Sequence[bytes], color: bytes | None) -> Iterator[bytes]:
    for line in lines:
        yield _colored(color, mark + line.removesuffix(b"\n")) + b"\n"
        if not line.endswith(b"\n"):
            yield b"\\ No newline at end of file\n"


def _hunk_header(first: Change, last: Change, start: int, end: int, colors: Palette | _NoColors) -> bytes:
    old_start = first.old - max(0, first.new - start)
    old_end = last.old_end + max(0, end - last.new_end)
    if not old_start and not old_end:
        old_start = old_end = -1
    text = f"@@ -{old_start + 1},{old_end - old_start} +{start + 1},{end - start} @@"
    return _colored(colors.frag, text.encode()) + b"\n"


def _union(ranges: Sequence[Range]) -> list[Range]:
    """Return ranges in order, without empty ones; those that meet are one."""
    result: list[Range] = []
    for start, end in sorted(ranges):
        if start == end:
            continue
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


def _touching(changes: Sequence[Change], ranges: Sequence[Range]) -> list[Change]:
    """Return the changes whose new lines overlap with a range."""
    result = []
    at = 0
    for change in changes:
        while at < len(ranges) and change.new > ranges[at][1]:
            at += 1
        if at == len(ranges):
            break
        if change.new_end > ranges[at][0] and ranges[at][1] > change.new:
            result.append(change)
    return result


def _without(ranges: Sequence[Range], changes: Sequence[Change]) -> list[Range]:
    """Return what is left of ranges without the new lines of changes."""
    result = []
    at = 0
    for start, end in ranges:
        while start < end:
            while at < len(changes) and start >= changes[at].new_end:
                at += 1
            if at == len(changes) or end <= changes[at].new:
                result.append((start, end))
                break
            if start < changes[at].new:
                result.append((start, changes[at].new))
            start = changes[at].new_end
    return result


def _shifted(ranges: Sequence[Range], changes: Sequence[Change]) -> list[Range]:
    """Return ranges of the new file by the numbers of their lines in the old one."""
    result = []
    offset = at = 0
    for start, end in ranges:
        while at < len(changes) and start >= changes[at].new:
            change = changes[at]
            offset += (change.old_end - change.old) - (change.new_end - change.new)
            at += 1
        result.append((start + offset, end + offset))
    return result

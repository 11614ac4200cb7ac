"""Which lines the hunks of a patch have: changes with some lines of context, or with whole functions.

Source: git 2.39, xdiff/xemit.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from sandhook.record import Record
from sandhook.utilities.git.diff.xdiff import Change, Charge

_BLANKS = b" \t\n\v\f\r"


class Extent(Record):
    """The changes of a hunk, and the lines that it shows of both files (0-based, the ends not included)."""

    changes: list[Change]
    start: int
    end: int
    new_start: int
    new_end: int


def plain_extents(
    old: Sequence[bytes],
    new: Sequence[bytes],
    changes: Sequence[Change],
    context: int,
    inter_hunk: int,
    is_ignored: Callable[[Change], bool] | None = None,
) -> Iterator[Extent]:
    """Yield hunks with lines of context, without those in which no change counts."""
    if is_ignored is None:
        groups = _grouped(changes, 2 * context + inter_hunk)
    else:
        groups = kept_groups(changes, context, inter_hunk, is_ignored)
    for group in groups:
        first, last = group[0], group[-1]
        trail = min(context, len(old) - last.old_end, len(new) - last.new_end)
        yield Extent(
            group,
            max(first.old - context, 0),
            last.old_end + trail,
            max(first.new - context, 0),
            last.new_end + trail,
        )


def _grouped(changes: Sequence[Change], distance: int) -> Iterator[list[Change]]:
    group: list[Change] = []
    for change in changes:
        if group and change.old - group[-1].old_end > distance:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def kept_groups(
    changes: Sequence[Change], context: int, inter_hunk: int, is_ignored: Callable[[Change], bool]
) -> Iterator[list[Change]]:
    """Yield the changes of each hunk. One that does not count is part of a hunk if it is near to one that counts."""
    marks = [is_ignored(change) for change in changes]
    gaps = [later.old - earlier.old_end for earlier, later in pairwise(changes)]
    far = 2 * context + inter_hunk
    at = 0
    while at < len(changes):
        place = at
        while place < len(changes) and marks[place]:
            if place == len(gaps) or gaps[place] >= context:
                at = place + 1  # no change that counts has this one in its context
            place += 1
        if at == len(changes):
            return
        last, ignored = at, 0
        for place in range(at + 1, len(changes)):
            is_near = gaps[place - 1] < context
            if gaps[place - 1] > far:
                break
            if (
                not is_near
                and last != place - 1
                and changes[place].old + ignored - changes[last].old_end > far
            ):
                break
            if (not marks[place]) if not is_near else (not marks[place] or last == place - 1):
                last, ignored = place, 0
            else:
                ignored += changes[place].new_end - changes[place].new
        yield list(changes[at : last + 1])
        at = last + 1


class FunctionExtents:
    """Hunks with the whole functions that changes are in (-W).

    Args:
        heading: Returns None for a line that begins no function.
    """

    def __init__(
        self,
        old: Sequence[bytes],
        new: Sequence[bytes],
        heading: Callable[[bytes], bytes | None],
        charge: Charge,
    ) -> None:
        self._old = old
        self._new = new
        self._heading = heading
        self._charge = charge
        self._known: dict[tuple[bool, int], bool] = {}

    def of(self, changes: Sequence[Change], context: int, inter_hunk: int) -> Iterator[Extent]:
        """Yield the hunks."""
        distance, at = 2 * context + inter_hunk, 0
        while at < len(changes):
            group = [changes[at]]
            start, new_start = self._beginning(group[0], context)
            at += 1
            while at < len(changes) and changes[at].old - group[-1].old_end <= distance:
                group.append(changes[at])
                at += 1
            while True:
                end, new_end = self._ending(group[-1], context)
                if at == len(changes) or not self._reaches(changes[at], end, context):
                    break
                group.append(changes[at])
                at += 1
            yield Extent(group, start, end, new_start, new_end)

    def _begins_function(self, line: int, *, new: bool = False) -> bool:
        found = self._known.get((new, line))
        if found is None:
            self._charge(1)
            found = self._heading((self._new if new else self._old)[line]) is not None
            self._known[new, line] = found
        return found

    def _function(self, start: int, limit: int) -> int:
        """Return the first line from a start to a limit, in either direction, that begins a function; -1 without one."""
        step = -1 if start > limit else 1
        line = start
        while line != limit and 0 <= line < len(self._old):
            if self._begins_function(line):
                return line
            line += step
        return -1

    def _is_empty(self, line: int) -> bool:
        return not self._old[line].strip(_BLANKS)

    def _beginning(self, change: Change, context: int) -> tuple[int, int]:
        start, new_start = max(change.old - context, 0), max(change.new - context, 0)
        line = change.old
        if line >= len(self._old):  # lines at the end were added
            if any(self._begins_function(each, new=True) for each in range(change.new, len(self._new))):
                return start, new_start
            line = len(self._old) - 1
        function = self._function(line, -1)
        while function > 0 and not self._is_empty(function - 1) and not self._begins_function(function - 1):
            function -= 1
        function = max(function, 0)
        if function < start:
            return function, max(new_start - (start - function), 0)
        return start, new_start

    def _ending(self, change: Change, context: int) -> tuple[int, int]:
        trail = min(context, len(self._old) - change.old_end, len(self._new) - change.new_end)
        end, new_end = change.old_end + trail, change.new_end + trail
        function = self._function(change.old_end, len(self._old))
        while function > 0 and self._is_empty(function - 1):
            function -= 1
        if function < 0:
            function = len(self._old)
        if function > end:
            return function, min(new_end + (function - end), len(self._new))
        return end, new_end

    def _reaches(self, change: Change, end: int, context: int) -> bool:
        """Return True if the next change belongs to a hunk that ends before a line."""
        line = min(change.old, len(self._old) - 1)
        return line - context <= end or self._function(line, end) < 0

"""The shortest edit script between two sequences of lines, in the form of GNU diff.

Source: E. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986), section 4b.
Lines that the other file lacks are set aside first, and so are lines that are so frequent there
that they match by accident. If several equal lines can be the changed one, the choice is that of
GNU diffutils 3.8: the last one, or the one next to a change of the other file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.record import Record

Charge = Callable[[int], None]

_FREQUENT = 5  #: matches in a short file that make a line "frequent"
_PATIENCE = 1_536  #: edits after which a search uses its best split so far (GNU: 4,096 or more)
_EFFORT = 5_000_000  #: steps that all searches of a pair of files may use together
_EXHAUSTED_PATIENCE = 24  #: edits of each search after that


class Change(Record):
    """Lines ``old`` to ``old_end`` of the first file became ``new`` to ``new_end`` of the second (0-based)."""

    old: int
    old_end: int
    new: int
    new_end: int


def compare(
    old: Sequence[int], new: Sequence[int], charge: Charge, ends: tuple[int, int] = (0, 0)
) -> list[Change]:
    """Return the changes that turn one sequence into another, in order.

    Args:
        old: A number for each line; equal lines have equal numbers.
        new: The other sequence, with the same numbers for equal lines.
        charge: Charges work to the budget.
        ends: Common lines at the beginning and at the end to leave out, see ``equal_ends``.
    """
    start, stop = ends
    charge(1 + (len(old) >> 3) + (len(new) >> 3))
    first, second = old[start : len(old) - stop], new[start : len(new) - stop]
    removed = _marks(len(first))
    added = _marks(len(second))
    old_positions = _set_aside(first, second, removed)
    new_positions = _set_aside(second, first, added)
    old_side = _Side([first[at] for at in old_positions], old_positions, removed)
    new_side = _Side([second[at] for at in new_positions], new_positions, added)
    _search(old_side, new_side, charge)
    _slide_runs(first, removed, added, charge)
    _slide_runs(second, added, removed, charge)
    return _script(removed, added, len(first), len(second), start)


def equal_ends(old: Sequence[object], new: Sequence[object], horizon: int) -> tuple[int, int]:
    """Return how many lines at the beginning and at the end are the same, less ``horizon`` lines of context."""
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and old[start] == new[start]:
        start += 1
    start = max(0, start - horizon)
    stop = 0
    while stop < shorter - start and old[-1 - stop] == new[-1 - stop]:
        stop += 1
    return start, max(0, stop - horizon)


def _marks(size: int) -> bytearray:
    """Return a mark for each line, and a final 0, which index -1 reads as the mark before the first line."""
    return bytearray(size + 1)


def _script(removed: bytearray, added: bytearray, old_size: int, new_size: int, offset: int) -> list[Change]:
    changes = []
    i = j = 0
    while i < old_size or j < new_size:
        if removed[i] or added[j]:
            old, new = i, j
            while removed[i]:
                i += 1
            while added[j]:
                j += 1
            changes.append(Change(old + offset, i + offset, new + offset, j + offset))
        else:
            i += 1
            j += 1
    return changes


# --------------------------------------------------------------------------- lines set aside

_KEEP, _LACKING, _DOUBTFUL = 0, 1, 2


def _set_aside(lines: Sequence[int], others: Sequence[int], marks: bytearray) -> list[int]:
    """Mark the lines that cannot match as changed; return the positions of the others."""
    counts: dict[int, int] = {}
    for line in others:
        counts[line] = counts.get(line, 0) + 1
    frequent = _FREQUENT
    quarter = len(lines) // 64 >> 2
    while quarter > 0:
        frequent *= 2
        quarter >>= 2
    kinds = bytearray(
        _LACKING if not count else _DOUBTFUL if count > frequent else _KEEP
        for count in [counts.get(line, 0) for line in lines]
    )
    _decide(kinds)
    positions = []
    for at, kind in enumerate(kinds):
        if kind:
            marks[at] = 1
        else:
            positions.append(at)
    return positions


def _decide(kinds: bytearray) -> None:
    """Keep doubtful lines, except those deep in a run of lines that the other file lacks."""
    at = 0
    while at < len(kinds):
        if kinds[at] != _LACKING:
            kinds[at] = _KEEP
            at += 1
            continue
        end = at
        while end < len(kinds) and kinds[end]:
            end += 1
        while kinds[end - 1] == _DOUBTFUL:
            end -= 1
            kinds[end] = _KEEP
        _decide_run(kinds, at, end)
        at = end


def _decide_run(kinds: bytearray, start: int, end: int) -> None:
    """Keep or drop the doubtful lines of a run that begins and ends with lines that the other file lacks."""
    length = end - start
    doubtful = kinds.count(_DOUBTFUL, start, end)
    if not doubtful:
        return
    if doubtful * 4 > length:
        kinds[start:end] = kinds[start:end].replace(b"\2", b"\0")
        return
    least = 1
    quarter = length >> 4
    while quarter > 0:
        least *= 2
        quarter >>= 2
    least += 1
    at = start
    while at < end:
        stop = at
        while stop < end and kinds[stop] == _DOUBTFUL:
            stop += 1
        if stop - at >= least:
            kinds[at:stop] = bytes(stop - at)
        at = max(stop, at + 1)
    for order in (range(start, end), range(end - 1, start - 1, -1)):
        lacking = 0
        for count, at in enumerate(order):
            kind = kinds[at]
            if count >= 8 and kind == _LACKING:
                break
            if kind == _LACKING:
                lacking += 1
                if lacking == 3:
                    break
            else:
                lacking = 0
                kinds[at] = _KEEP


# --------------------------------------------------------------------------- the search


class _Side:
    """One file of the search: its lines as numbers, their positions, and the marks of changed lines."""

    __slots__ = ("lines", "marks", "positions")

    def __init__(self, lines: list[int], positions: list[int], marks: bytearray) -> None:
        self.lines = lines
        self.positions = positions
        self.marks = marks

    def mark(self, start: int, end: int) -> None:
        """Mark lines as changed, by their indexes in ``lines``."""
        for place in range(start, end):
            self.marks[self.positions[place]] = 1


class _Box(Record):
    """The searched part of both files: old lines left to right, new lines top to bottom."""

    left: int
    right: int
    top: int
    bottom: int


def _search(old_side: _Side, new_side: _Side, charge: Charge) -> None:
    """Mark the lines that a shortest edit script removes and adds, by dividing the problem recursively."""
    effort_left = _EFFORT
    old, new = old_side.lines, new_side.lines
    pending = [(0, len(old), 0, len(new))]
    while pending:
        left, right, top, bottom = pending.pop()
        while left < right and top < bottom and old[left] == new[top]:
            left += 1
            top += 1
        while left < right and top < bottom and old[right - 1] == new[bottom - 1]:
            right -= 1
            bottom -= 1
        if left == right:
            new_side.mark(top, bottom)
        elif top == bottom:
            old_side.mark(left, right)
        else:
            patience = _PATIENCE if effort_left > 0 else _EXHAUSTED_PATIENCE
            x, y, edits = _middle(old, new, _Box(left, right, top, bottom), patience, charge)
            effort_left -= edits * edits
            pending.append((x, right, y, bottom))
            pending.append((left, x, top, y))


def _middle(old: list[int], new: list[int], box: _Box, patience: int, charge: Charge) -> tuple[int, int, int]:
    """Return a point of a shortest path where the paths from both ends meet, and the number of edits.

    A diagonal is ``x - y``. ``ahead[d]`` is the largest x that a path from the start reaches on it
    with the current number of edits, ``back[d]`` the smallest x that a path from the end reaches.
    """
    left, right, top, bottom = box
    lowest, highest = left - bottom, right - top
    forward, backward = left - top, right - bottom
    ahead, back = {forward: left}, {backward: right}
    odd = (forward - backward) & 1
    first_f = last_f = forward
    first_b = last_b = backward
    edits = 0
    while True:
        edits += 1
        charge(1 + ((last_f - first_f + last_b - first_b) >> 2))
        first_f, last_f = _widen(ahead, first_f, last_f, (lowest, highest), -1)
        for d in range(last_f, first_f - 1, -2):
            below, above = ahead[d - 1], ahead[d + 1]
            x = above if below < above else below + 1
            y = x - d
            while x < right and y < bottom and old[x] == new[y]:
                x += 1
                y += 1
            ahead[d] = x
            if odd and first_b <= d <= last_b and back[d] <= x:
                return x, y, edits
        first_b, last_b = _widen(back, first_b, last_b, (lowest, highest), right + bottom)
        for d in range(last_b, first_b - 1, -2):
            below, above = back[d - 1], back[d + 1]
            x = below if below < above else above - 1
            y = x - d
            while left < x and top < y and old[x - 1] == new[y - 1]:
                x -= 1
                y -= 1
            back[d] = x
            if not odd and first_f <= d <= last_f and x <= ahead[d]:
                return x, y, edits
        if edits >= patience:
            return *_best(ahead, back, (first_f, last_f, first_b, last_b), box), edits


def _widen(
    frontier: dict[int, int], first: int, last: int, bounds: tuple[int, int], outside: int
) -> tuple[int, int]:
    """Return the next range of diagonals: one more on each side, within the box; set ``outside`` beyond them."""
    lowest, highest = bounds
    if first > lowest:
        first -= 1
        frontier[first - 1] = outside
    else:
        first += 1
    if last < highest:
        last += 1
        frontier[last + 1] = outside
    else:
        last -= 1
    return first, last


def _best(
    ahead: dict[int, int], back: dict[int, int], spans: tuple[int, int, int, int], box: _Box
) -> tuple[int, int]:
    """Return the end of the path that reached farthest, from either side."""
    first_f, last_f, first_b, last_b = spans
    left, right, top, bottom = box
    candidates = []
    for d in range(last_f, first_f - 1, -2):
        x = min(ahead[d], right)
        y = x - d
        if y > bottom:
            x, y = bottom + d, bottom
        candidates.append((x + y - left - top, x, y))
    for d in range(last_b, first_b - 1, -2):
        x = max(left, back[d])
        y = x - d
        if y < top:
            x, y = top + d, top
        candidates.append((right + bottom - x - y, x, y))
    _, x, y = max(candidates, key=lambda path: path[0])
    return x, y


# --------------------------------------------------------------------------- which of equal lines


def _slide_runs(lines: Sequence[int], marks: bytearray, others: bytearray, charge: Charge) -> None:
    """Slide every run of changed lines down as far as possible, or until it is aligned with a change of the other file.

    A run can slide over a line that equals the one at its other end; adjacent runs merge.
    """
    size = len(lines)
    i = j = 0
    while True:
        while i < size and not marks[i]:
            while others[j]:
                j += 1
            i += 1
            j += 1
        if i >= size:
            return
        start = i
        while marks[i]:
            i += 1
        while others[j]:
            j += 1
        while True:
            length = i - start
            while start and lines[start - 1] == lines[i - 1]:
                charge(1)
                start -= 1
                marks[start] = 1
                i -= 1
                marks[i] = 0
                while start and marks[start - 1]:
                    start -= 1
                j -= 1  # j is always at a line that both files have
                while others[j]:
                    j -= 1
            aligned = i if j and others[j - 1] else size
            while i < size and lines[start] == lines[i]:
                charge(1)
                marks[start] = 0
                start += 1
                marks[i] = 1
                i += 1
                while marks[i]:
                    i += 1
                j += 1
                while others[j]:
                    j += 1
                    aligned = i
            if length == i - start:
                break
        while aligned < i:
            start -= 1
            marks[start] = 1
            i -= 1
            marks[i] = 0
            j -= 1
            while others[j]:
                j -= 1

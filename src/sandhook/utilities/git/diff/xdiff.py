"""Compares lines as git's xdiff does: Myers' algorithm with xdiff's heuristics.

The module ``compare.matching`` follows GNU diff, which makes other choices.

Source: git 2.39, xdiff/xdiffi.c and xdiff/xprepare.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.record import Record
from sandhook.utilities.git.diff.algorithms import Marks, histogram, patience
from sandhook.utilities.git.diff.compaction import compact

_FREQUENT_RATIO = 4  #: XDL_KPDIS_RUN
_MOST_EQUAL = 1024  #: XDL_MAX_EQLIMIT
_WINDOW = 100  #: XDL_SIMSCAN_WINDOW
_LEAST_COST = 256  #: XDL_MAX_COST_MIN
_SNAKE = 20  #: XDL_SNAKE_CNT
_HEURISTIC_FACTOR = 4  #: XDL_K_HEUR
_FAR = 1 << 60

Charge = Callable[[int], None]


class Change(Record):
    """Lines ``old`` to ``old_end`` of one file became ``new`` to ``new_end`` of the other (0-based)."""

    old: int
    old_end: int
    new: int
    new_end: int


def split_lines(data: bytes) -> list[bytes]:
    """Return the lines with their newlines; the last one may lack it."""
    lines = data.split(b"\n")
    last = lines.pop()
    result = [line + b"\n" for line in lines]
    if last:
        result.append(last)
    return result


class _File:
    """The lines of one file as numbers, and which of them changed."""

    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers
        self.changed = bytearray(len(numbers) + 2)  # a final 0, also read by index -1
        self.kept: list[int] = []
        self.values: list[int] = []


def compare(
    old: Sequence[bytes],
    new: Sequence[bytes],
    charge: Charge,
    *,
    key: Callable[[bytes], bytes] | None = None,
    minimal: bool = False,
    algorithm: str = "",
    by_indent: bool = True,
) -> list[Change]:
    """Return the changes that turn one list of lines into another.

    Args:
        key: Returns what is compared of a line; None for all of it.
        algorithm: "patience" or "histogram"; "" for Myers'.
        by_indent: Changes that can slide go where the indentation suggests, as in patches, but not in merges.
    """
    charge(1 + ((len(old) + len(new)) >> 2))
    known: dict[bytes, int] = {}
    sides = []
    for lines in (old, new):
        keys = lines if key is None else [key(line) for line in lines]
        sides.append(_File([known.setdefault(each, len(known)) for each in keys]))
    first, second = sides
    if algorithm:
        _by_rare_lines(first, second, charge, minimal, algorithm)
    else:
        _clean(first, second, len(known), charge)
        _Search(first, second, charge, minimal).run()
    compact(old, first.numbers, first.changed, second.changed, charge, by_indent=by_indent)
    compact(new, second.numbers, second.changed, first.changed, charge, by_indent=by_indent)
    return _script(first, second)


def _by_rare_lines(first: _File, second: _File, charge: Charge, minimal: bool, algorithm: str) -> None:
    """Mark the changed lines by the algorithm "patience" or "histogram"."""

    def fall_back(begin: int, end: int, other_begin: int, other_end: int) -> None:
        known: dict[int, int] = {}
        parts = []
        for numbers in (first.numbers[begin:end], second.numbers[other_begin:other_end]):
            charge(1 + (len(numbers) >> 2))
            parts.append(_File([known.setdefault(number, len(known)) for number in numbers]))
        _clean(parts[0], parts[1], len(known), charge)
        _Search(parts[0], parts[1], charge, minimal).run()
        first.changed[begin:end] = parts[0].changed[: end - begin]
        second.changed[other_begin:other_end] = parts[1].changed[: other_end - other_begin]

    marks = Marks(first.numbers, second.numbers, (first.changed, second.changed))
    (patience if algorithm == "patience" else histogram)(marks, fall_back, charge)


def _script(first: _File, second: _File) -> list[Change]:
    changes = []
    i = j = 0
    while i < len(first.numbers) or j < len(second.numbers):
        if first.changed[i] or second.changed[j]:
            start, other = i, j
            while first.changed[i]:
                i += 1
            while second.changed[j]:
                j += 1
            changes.append(Change(start, i, other, j))
        else:
            i += 1
            j += 1
    return changes


def _root(number: int) -> int:
    """Return roughly the square root (xdl_bogosqrt)."""
    result = 1
    while number > 0:
        result <<= 1
        number >>= 2
    return result


def _clean(first: _File, second: _File, classes: int, charge: Charge) -> None:
    """Mark lines that the other file lacks, and leave out lines that match too often."""
    a, b = first.numbers, second.numbers
    start = 0
    shorter = min(len(a), len(b))
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    counts = []
    for numbers in (a, b):
        count = [0] * classes
        for number in numbers:
            count[number] += 1
        counts.append(count)
    for side, other in ((first, counts[1]), (second, counts[0])):
        numbers = side.numbers
        last = len(numbers) - end - 1
        limit = min(_root(len(numbers)), _MOST_EQUAL)
        marks = bytearray(len(numbers) + 1)
        for at in range(start, last + 1):
            matches = other[numbers[at]]
            marks[at] = 0 if not matches else 2 if matches >= limit else 1
        for at in range(start, last + 1):
            mark = marks[at]
            if mark == 1 or (mark == 2 and not _is_among_changes(marks, at, start, last, charge)):
                side.kept.append(at)
                side.values.append(numbers[at])
            else:
                side.changed[at] = 1


def _is_among_changes(marks: bytearray, at: int, start: int, end: int, charge: Charge) -> bool:
    """Return True for a frequent line that stands among lines without a match (xdl_clean_mmatch)."""
    charge(1)
    start, end = max(start, at - _WINDOW), min(end, at + _WINDOW)
    before = [0, 1]
    for index in range(at - 1, start - 1, -1):
        if marks[index] == 1:
            break
        before[marks[index] == 2] += 1
    if not before[0]:
        return False
    after = [0, 1]
    for index in range(at + 1, end + 1):
        if marks[index] == 1:
            break
        after[marks[index] == 2] += 1
    if not after[0]:
        return False
    missing, frequent = before[0] + after[0], before[1] + after[1]
    return frequent * _FREQUENT_RATIO < frequent + missing


class _Split(Record):
    """Where a comparison is divided, and whether each half must be compared minimally."""

    i: int
    j: int
    minimal_before: bool
    minimal_after: bool


class _Search:
    """Finds the shortest edit script by divide and conquer, or a short one."""

    def __init__(self, first: _File, second: _File, charge: Charge, minimal: bool) -> None:
        self.first = first
        self.second = second
        self.a = first.values
        self.b = second.values
        self.charge = charge
        self.minimal = minimal
        diagonals = len(self.a) + len(self.b) + 3
        self.offset = len(self.b) + 1
        self.forward = [0] * (diagonals + 1)
        self.backward = [0] * (diagonals + 1)
        self.most = max(_root(diagonals), _LEAST_COST)

    def run(self) -> None:
        """Mark the changed lines of both files (xdl_recs_cmp)."""
        a, b = self.a, self.b
        stack = [(0, len(a), 0, len(b), self.minimal)]
        while stack:
            low, high, other_low, other_high, minimal = stack.pop()
            while low < high and other_low < other_high and a[low] == b[other_low]:
                low += 1
                other_low += 1
            while low < high and other_low < other_high and a[high - 1] == b[other_high - 1]:
                high -= 1
                other_high -= 1
            self.charge(1 + ((high - low + other_high - other_low) >> 4))
            if low == high:
                for at in range(other_low, other_high):
                    self.second.changed[self.second.kept[at]] = 1
            elif other_low == other_high:
                for at in range(low, high):
                    self.first.changed[self.first.kept[at]] = 1
            else:
                split = self._split(low, high, other_low, other_high, minimal)
                stack.append((split.i, high, split.j, other_high, split.minimal_after))
                stack.append((low, split.i, other_low, split.j, split.minimal_before))

    def _split(self, off1: int, lim1: int, off2: int, lim2: int, minimal: bool) -> _Split:
        """Return where two parts are divided (xdl_split)."""
        a, b, shift = self.a, self.b, self.offset
        forward, backward = self.forward, self.backward
        dmin, dmax = off1 - lim2, lim1 - off2
        fmin = fmax = fmid = off1 - off2
        bmin = bmax = bmid = lim1 - lim2
        odd = (fmid - bmid) & 1
        forward[fmid + shift] = off1
        backward[bmid + shift] = lim1
        cost = 0
        while True:
            cost += 1
            self.charge(1 + ((fmax - fmin + bmax - bmin) >> 2))
            snake = False
            fmin, fmax = _widen(forward, fmin, fmax, dmin, dmax, shift, -1)
            for d in range(fmax, fmin - 1, -2):
                left, right = forward[d - 1 + shift], forward[d + 1 + shift]
                i = begin = left + 1 if left >= right else right
                j = i - d
                while i < lim1 and j < lim2 and a[i] == b[j]:
                    i += 1
                    j += 1
                snake = snake or i - begin > _SNAKE
                forward[d + shift] = i
                if odd and bmin <= d <= bmax and backward[d + shift] <= i:
                    return _Split(i, j, True, True)
            bmin, bmax = _widen(backward, bmin, bmax, dmin, dmax, shift, _FAR)
            for d in range(bmax, bmin - 1, -2):
                left, right = backward[d - 1 + shift], backward[d + 1 + shift]
                i = begin = left if left < right else right - 1
                j = i - d
                while i > off1 and j > off2 and a[i - 1] == b[j - 1]:
                    i -= 1
                    j -= 1
                snake = snake or begin - i > _SNAKE
                backward[d + shift] = i
                if not odd and fmin <= d <= fmax and i <= forward[d + shift]:
                    return _Split(i, j, True, True)
            if minimal:
                continue
            box, diagonals = (off1, lim1, off2, lim2), (fmin, fmax, bmin, bmax)
            if snake and cost > _LEAST_COST:
                found = self._after_snake(box, diagonals, fmid, bmid, cost)
                if found is not None:
                    return found
            if cost >= self.most:
                return self._furthest(box, diagonals)

    def _after_snake(
        self,
        box: tuple[int, int, int, int],
        diagonals: tuple[int, int, int, int],
        fmid: int,
        bmid: int,
        cost: int,
    ) -> _Split | None:
        """Return a split at a long run of equal lines, if one is far enough along."""
        a, b, shift = self.a, self.b, self.offset
        off1, lim1, off2, lim2 = box
        fmin, fmax, bmin, bmax = diagonals
        best, found = 0, None
        for d in range(fmax, fmin - 1, -2):
            i = self.forward[d + shift]
            j = i - d
            value = (i - off1) + (j - off2) - abs(d - fmid)
            if (
                value > max(_HEURISTIC_FACTOR * cost, best)
                and off1 + _SNAKE <= i < lim1
                and off2 + _SNAKE <= j < lim2
            ) and a[i - _SNAKE : i] == b[j - _SNAKE : j]:
                best, found = value, _Split(i, j, True, False)
        if found is not None:
            return found
        for d in range(bmax, bmin - 1, -2):
            i = self.backward[d + shift]
            j = i - d
            value = (lim1 - i) + (lim2 - j) - abs(d - bmid)
            if (
                value > max(_HEURISTIC_FACTOR * cost, best)
                and off1 < i <= lim1 - _SNAKE
                and off2 < j <= lim2 - _SNAKE
            ) and a[i : i + _SNAKE] == b[j : j + _SNAKE]:
                best, found = value, _Split(i, j, False, True)
        return found

    def _furthest(self, box: tuple[int, int, int, int], diagonals: tuple[int, int, int, int]) -> _Split:
        """Return the split at the furthest point of both directions, after too much work."""
        shift = self.offset
        off1, lim1, off2, lim2 = box
        fmin, fmax, bmin, bmax = diagonals
        ahead = ahead_i = -1
        for d in range(fmax, fmin - 1, -2):
            i = min(self.forward[d + shift], lim1)
            j = i - d
            if lim2 < j:
                i, j = lim2 + d, lim2
            if ahead < i + j:
                ahead, ahead_i = i + j, i
        back = back_i = _FAR
        for d in range(bmax, bmin - 1, -2):
            i = max(off1, self.backward[d + shift])
            j = i - d
            if j < off2:
                i, j = off2 + d, off2
            if i + j < back:
                back, back_i = i + j, i
        if (lim1 + lim2) - back < ahead - (off1 + off2):
            return _Split(ahead_i, ahead - ahead_i, True, False)
        return _Split(back_i, back - back_i, False, True)


def _widen(points: list[int], low: int, high: int, least: int, most: int, *rest: int) -> tuple[int, int]:
    """Return the range of diagonals for the next cost; ``rest``: the offset of the list, and its sentinel."""
    shift, sentinel = rest
    if low > least:
        low -= 1
        points[low - 1 + shift] = sentinel
    else:
        low += 1
    if high < most:
        high += 1
        points[high + 1 + shift] = sentinel
    else:
        high -= 1
    return low, high

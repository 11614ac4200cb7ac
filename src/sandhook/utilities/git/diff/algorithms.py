"""The algorithms patience and histogram, which look for lines that are rare in both files.

Both work on numbers, one for each different line, and mark the lines that changed. Where they find no rare line, a
function compares the parts with Myers' algorithm.

Source: git 2.39, xdiff/xpatience.c and xdiff/xhistogram.c.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

Charge = Callable[[int], None]
#: Compares two parts, and marks their changed lines: begin and end in the first file, begin and end in the second.
Fallback = Callable[[int, int, int, int], None]

_MOST_REPEATS = 64  #: of a line that begins a common region, in the histogram's part of the first file


class Marks:
    """Both files: the numbers of their lines, and which lines changed."""

    def __init__(
        self, first: Sequence[int], second: Sequence[int], changed: tuple[bytearray, bytearray]
    ) -> None:
        self.first = first
        self.second = second
        self.changed = changed

    def all(self, begin: int, end: int, other_begin: int, other_end: int) -> None:
        """Mark all lines of two parts."""
        for changed, low, high in ((self.changed[0], begin, end), (self.changed[1], other_begin, other_end)):
            if low < high:
                changed[low:high] = b"\1" * (high - low)


# --------------------------------------------------------------------------- patience


def patience(marks: Marks, fallback: Fallback, charge: Charge) -> None:
    """Mark the changed lines by the lines that are unique in both files."""
    stack = [(0, len(marks.first), 0, len(marks.second))]
    while stack:
        begin, end, other_begin, other_end = stack.pop()
        charge(1 + ((end - begin + other_end - other_begin) >> 1))
        if begin == end or other_begin == other_end:
            marks.all(begin, end, other_begin, other_end)
            continue
        pairs, has_matches = _unique_pairs(marks, begin, end, other_begin, other_end)
        if not has_matches:
            marks.all(begin, end, other_begin, other_end)
        elif pairs:
            stack += reversed(list(_between(marks, _longest(pairs), (begin, end, other_begin, other_end))))
        else:
            fallback(begin, end, other_begin, other_end)


def _unique_pairs(
    marks: Marks, begin: int, end: int, other_begin: int, other_end: int
) -> tuple[list[tuple[int, int]], bool]:
    """Return the lines that are unique in both parts, and whether the parts have any line in common."""
    places: dict[int, int] = {}
    for at in range(begin, end):
        number = marks.first[at]
        places[number] = -1 if number in places else at
    others: dict[int, int] = {}
    for at in range(other_begin, other_end):
        number = marks.second[at]
        if number in places:
            others[number] = -1 if number in others else at
    pairs = [(at, others[number]) for number, at in places.items() if at >= 0 and others.get(number, -1) >= 0]
    return pairs, bool(others)


def _longest(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest sequence of pairs that grows on both sides."""
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for at, (_, other) in enumerate(pairs):
        place = bisect_left(ends, other)
        before.append(last[place - 1] if place else -1)
        ends[place : place + 1] = [other]
        last[place : place + 1] = [at]
    chosen = []
    at = last[-1]
    while at >= 0:
        chosen.append(pairs[at])
        at = before[at]
    return chosen[::-1]


def _between(
    marks: Marks, common: list[tuple[int, int]], box: tuple[int, int, int, int]
) -> list[tuple[int, int, int, int]]:
    """Return the parts between common lines, without the equal lines at their ends."""
    first, second = marks.first, marks.second
    begin, end, other_begin, other_end = box
    parts = []
    at = 0
    while True:
        stop, other_stop = common[at] if at < len(common) else (end, other_end)
        if at < len(common):
            while stop > begin and other_stop > other_begin and first[stop - 1] == second[other_stop - 1]:
                stop -= 1
                other_stop -= 1
        while begin < stop and other_begin < other_stop and first[begin] == second[other_begin]:
            begin += 1
            other_begin += 1
        if stop > begin or other_stop > other_begin:
            parts.append((begin, stop, other_begin, other_stop))
        if at == len(common):
            return parts
        while at + 1 < len(common) and common[at + 1] == (common[at][0] + 1, common[at][1] + 1):
            at += 1
        begin, other_begin = common[at][0] + 1, common[at][1] + 1
        at += 1


# --------------------------------------------------------------------------- histogram


def histogram(marks: Marks, fallback: Fallback, charge: Charge) -> None:
    """Mark the changed lines by the longest common region whose lines are rarest in the first file."""
    stack = [(0, len(marks.first), 0, len(marks.second))]
    while stack:
        begin, end, other_begin, other_end = box = stack.pop()
        charge(1 + ((end - begin + other_end - other_begin) >> 1))
        if begin == end or other_begin == other_end:
            marks.all(*box)
            continue
        search = _Regions(marks, box, charge)
        search.run()
        if search.needs_fallback:
            fallback(*box)
        elif search.region is None:
            marks.all(*box)
        else:
            low, high, other_low, other_high = search.region
            stack.append((high, end, other_high, other_end))
            stack.append((begin, low, other_begin, other_low))


class _Regions:
    """Finds the best common region of two parts."""

    def __init__(self, marks: Marks, box: tuple[int, int, int, int], charge: Charge) -> None:
        self._first = marks.first
        self._second = marks.second
        self._box = box
        self._charge = charge
        self._places: dict[int, list[int]] = {}
        begin, end, _, _ = box
        for at in range(begin, end):
            self._places.setdefault(marks.first[at], []).append(at)
        self._least = _MOST_REPEATS + 1
        self._has_common = False
        self.region: tuple[int, int, int, int] | None = None

    @property
    def needs_fallback(self) -> bool:
        """True if the parts have lines in common, all of which are frequent."""
        return self._has_common and self._least > _MOST_REPEATS

    def run(self) -> None:
        """Look at each line of the second part that is in no region yet."""
        _, _, at, other_end = self._box
        while at < other_end:
            at = self._try(at)

    def _try(self, other: int) -> int:
        """Extend the places of a line to regions; return the line after the longest of them."""
        places = self._places.get(self._second[other])
        following = other + 1
        if places is None:
            return following
        self._has_common = True
        if len(places) > self._least:
            return following
        first, second = self._first, self._second
        begin, end, other_begin, other_end = self._box
        index = 0
        while index < len(places):
            low = high = places[index]
            other_low = other_high = other
            repeats = len(places)
            while low > begin and other_low > other_begin and first[low - 1] == second[other_low - 1]:
                low -= 1
                other_low -= 1
                repeats = min(repeats, len(self._places[first[low]]))
            while high + 1 < end and other_high + 1 < other_end and first[high + 1] == second[other_high + 1]:
                high += 1
                other_high += 1
                repeats = min(repeats, len(self._places[first[high]]))
            self._charge(1 + ((high - low) >> 3))
            following = max(following, other_high + 1)
            longest = 0 if self.region is None else self.region[1] - 1 - self.region[0]
            if high - low > longest or repeats < self._least:
                self.region = (low, high + 1, other_low, other_high + 1)
                self._least = repeats
            index += 1
            while index < len(places) and places[index] <= high:
                index += 1
        return following

"""Joins the differences between one file and several parents: lines with a column for each parent.

Source: git 2.39, combine-diff.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.utilities.git.diff.drivers import is_heading
from sandhook.utilities.git.diff.xdiff import Charge, compare

_HEADING = 40  #: bytes of the line that is printed after a hunk's "@@@"
_UNSIGNED = (1 << 64) - 1  #: with -U0, git's number of lines can go below 0, and wraps

Key = Callable[[bytes], bytes] | None


class _Lost:
    """A line that the result lacks, and the parents that have it (a bit for each)."""

    __slots__ = ("line", "parents")

    def __init__(self, line: bytes, parents: int) -> None:
        self.line = line
        self.parents = parents


class _Place:
    """A line of the result, or its end.

    Attributes:
        added: The parents that lack the line. lost: Lines of parents that were removed before it.
        shown: The line belongs to a hunk. hides_lost: It is the context before a hunk.
        numbers: The number of the line in each parent.
    """

    __slots__ = ("added", "hides_lost", "lost", "numbers", "shown")

    def __init__(self, parents: int) -> None:
        self.added = 0
        self.lost: list[_Lost] = []
        self.shown = False
        self.hides_lost = False
        self.numbers = [0] * parents


class Combination:
    """The differences between the lines of a result and those of its parents.

    Args:
        parents: The lines of each parent.
        dense: Hunks in which the result is that of some parent are left out (--cc).
        context: Lines around changes. key: What is compared of a line; None for all of it.
    """

    def __init__(
        self,
        result: Sequence[bytes],
        parents: Sequence[Sequence[bytes]],
        charge: Charge,
        *,
        dense: bool,
        context: int,
        key: Key,
        algorithm: str = "",
    ) -> None:
        self._algorithm = algorithm
        self._result = result
        self._parents = parents
        self._charge = charge
        self._context = context
        self._all = (1 << len(parents)) - 1
        self._places = [_Place(len(parents)) for _ in range(len(result) + 2)]
        self._last = len(result)
        for number, lines in enumerate(parents):
            charge(1 + (len(result) >> 1))
            twin = next((each for each in range(number) if parents[each] is lines), None)
            if twin is None:
                self._compare(number, lines, key)
            else:
                self._repeat(number, twin)
        for place in self._places[: self._last + 1]:
            place.shown = bool(place.added or place.lost)
        if dense:
            self._drop_settled_hunks()
        self._add_context()

    # ------------------------------------------------------------------ parents

    def _compare(self, number: int, lines: Sequence[bytes], key: Key) -> None:
        """Add the differences from one parent."""
        mask = 1 << number
        removed: dict[int, list[_Lost]] = {}
        for change in compare(lines, self._result, self._charge, key=key, algorithm=self._algorithm):
            if change.old < change.old_end:
                removed[change.new] = [_Lost(line, mask) for line in lines[change.old : change.old_end]]
            for at in range(change.new, change.new_end):
                self._places[at].added |= mask
        at = 1
        for index, place in enumerate(self._places[: self._last + 1]):
            place.numbers[number] = at
            if index in removed:
                place.lost = _merged(place.lost, removed[index], mask, key, self._charge)
            at += sum(1 for each in place.lost if each.parents & mask)
            at += index < self._last and not place.added & mask
        self._places[-1].numbers[number] = at

    def _repeat(self, number: int, twin: int) -> None:
        """Add the differences from a parent that has the file of another one."""
        mask, other = 1 << number, 1 << twin
        for place in self._places:
            place.numbers[number] = place.numbers[twin]
            for each in place.lost:
                if each.parents & other:
                    each.parents |= mask
            if place.added & other:
                place.added |= mask

    # ------------------------------------------------------------------ hunks

    def _next(self, at: int, *, shown: bool) -> int:
        """Return the first place from ``at`` that is shown, or is not; one after the last if it does not exist."""
        while at <= self._last and self._places[at].shown != shown:
            at += 1
        return at

    def _tail(self, begin: int, at: int) -> int:
        """Return where the context after a hunk begins; ``at`` is the first place after it."""
        has_only_lost = begin < at and not self._places[at - 1].added
        return at - 1 if has_only_lost else at

    def _drop_settled_hunks(self) -> None:
        at = 0
        while (at := self._next(at, shown=True)) <= self._last:
            self._charge(1)
            end = self._end_of_group(at)
            if self._is_settled(at, end):
                for place in self._places[at:end]:
                    place.shown = False
            at = end

    def _end_of_group(self, begin: int) -> int:
        """Return the end of a group of hunks whose contexts meet."""
        at = begin + 1
        while at <= self._last:
            if not self._places[at].shown:
                ahead = min(self._tail(begin, at) + self._context, self._last + 1)
                near = [each for each in range(at, ahead) if self._places[each].shown]
                if not near:
                    return at
                at = near[-1]
            at += 1
        return at

    def _is_settled(self, begin: int, end: int) -> bool:
        """Return True for a hunk with two versions, one of which is the result."""
        versions: set[int] = set()
        for place in self._places[begin:end]:
            versions.update((place.added,) if place.added else ())
            versions.update(each.parents for each in place.lost)
            if len(versions) > 1:
                return False
        return versions != {self._all}

    def _add_context(self) -> None:
        places, context = self._places, self._context
        at = self._next(0, shown=True)
        while at <= self._last:
            for place in places[max(0, at - context) : at]:
                place.hides_lost = place.hides_lost or not place.shown
                place.shown = True
            while True:
                end = self._next(at, shown=False)
                if end > self._last:
                    return
                following = self._next(end, shown=True)
                end = self._tail(at, end)
                if following >= end + context:
                    break
                for place in places[end:following]:
                    place.shown = True
                at = following
            for place in places[end : min(end + context, self._last + 1)]:
                place.shown = True
            at = following

    # ------------------------------------------------------------------ text

    def has_hunks(self) -> bool:
        """Return True if there is something to print."""
        return any(place.shown for place in self._places)

    def hunks(self) -> Iterator[bytes]:
        """Yield the text of the hunks."""
        at = 0
        heading = b""
        while True:
            heading = b""
            while at <= self._last and not self._places[at].shown:
                if at < self._last and is_heading(self._result[at]):
                    heading = self._result[at]
                at += 1
            if at > self._last:
                return
            end = self._next(at, shown=False)
            yield self._hunk_header(at, end, heading)
            yield b"".join(self._hunk_lines(at, end))
            self._charge(1 + (end - at))
            at = end

    def _hunk_header(self, begin: int, end: int, heading: bytes) -> bytes:
        hidden = 0
        if not self._context:
            hidden = sum(1 for place in self._places[begin:end] if not place.added)
        size = end - begin - (end > self._last) - hidden
        marks = "@" * (len(self._parents) + 1)
        first, last = self._places[begin].numbers, self._places[end].numbers
        ranges = "".join(f" -{low},{high - low - hidden}" for low, high in zip(first, last, strict=True))
        text = f"{marks}{ranges} +{begin + 1},{size & _UNSIGNED} {marks}".encode()
        visible = heading[:_HEADING].split(b"\n")[0].rstrip()
        # git stops before the last visible byte
        return text + (b" " + visible[:-1] if len(visible) > 1 else b"") + b"\n"

    def _hunk_lines(self, begin: int, end: int) -> Iterator[bytes]:
        count = len(self._parents)
        for at in range(begin, end):
            place = self._places[at]
            for each in () if place.hides_lost else place.lost:
                yield _columns(each.parents, count, b"-") + _without_newline(each.line) + b"\n"
            if at < self._last and (place.added or self._context):
                yield _columns(place.added, count, b"+") + _without_newline(self._result[at]) + b"\n"


def _columns(parents: int, count: int, mark: bytes) -> bytes:
    return b"".join(mark if parents >> each & 1 else b" " for each in range(count))


def _without_newline(line: bytes) -> bytes:
    return line.removesuffix(b"\n")


def _merged(known: list[_Lost], new: list[_Lost], mask: int, key: Key, charge: Charge) -> list[_Lost]:
    """Return the lost lines of earlier parents and of one more; lines that both have in this order are one."""
    if not known:
        return new
    charge(1 + len(known) * len(new))
    olds = [each.line if key is None else key(each.line) for each in known]
    news = [each.line if key is None else key(each.line) for each in new]
    prefers_new = [bytearray(len(new) + 1) for _ in range(len(known) + 1)]  # a byte for each pair of lines
    above = [0] * (len(new) + 1)
    for i, old in enumerate(olds, 1):
        row = [0] * (len(new) + 1)
        for j, line in enumerate(news, 1):
            row[j] = above[j - 1] + 1 if old == line else max(row[j - 1], above[j])
            prefers_new[i][j] = row[j - 1] >= above[j]
        above = row
    result: list[_Lost] = []
    i, j = len(known), len(new)
    while i or j:
        if i and j and olds[i - 1] == news[j - 1]:
            known[i - 1].parents |= mask
            result.append(known[i - 1])
            i, j = i - 1, j - 1
        elif not i or (j and prefers_new[i][j]):
            result.append(new[j - 1])
            j -= 1
        else:
            result.append(known[i - 1])
            i -= 1
    return result[::-1]

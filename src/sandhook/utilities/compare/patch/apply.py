"""Apply the hunks of a patch to the lines of a file, even if the lines have moved or changed slightly.

Source: GNU patch 2.7.6 manual, "Applying Imperfect Patches".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.record import Record
from sandhook.utilities.compare.patch.parse import Hunk

Charge = Callable[[int], None]


class Placement(Record):
    """The result of applying one hunk.

    Attributes:
        line: Line of the new file, from 1, where it was or would have been applied.
        fuzz: Lines of context that were ignored.
        offset: Distance from the expected line.
        failed: It did not fit anywhere.
        shift: How many lines the hunks before it have added.
    """

    line: int
    fuzz: int
    offset: int
    failed: bool
    shift: int = 0


class Applier:
    """Applies hunks to one file.

    Attributes:
        result: The lines so far.
    """

    def __init__(self, lines: Sequence[bytes], max_fuzz: int, loose: bool, charge: Charge) -> None:
        self._lines = lines
        self._forms = [collapse_blanks(line) for line in lines] if loose else lines
        self._loose = loose
        self._max_fuzz = max_fuzz
        self._charge = charge
        self._consumed = 0  #: lines of the input that are already in the result
        self._in_offset = 0
        self._out_offset = 0
        self.result: list[bytes] = []

    def apply(self, hunk: Hunk) -> Placement:
        """Apply a hunk; hunks must come in order."""
        old = hunk.old
        before, after = hunk.context()
        max_fuzz = min(self._max_fuzz, max(before, after))
        for fuzz in range(max_fuzz + 1):
            at = self._locate(hunk, old, fuzz)
            if at is not None:
                return self._place(hunk, at, fuzz)
        line = self._expected_offset(hunk, old) + 1 + self._in_offset + self._out_offset
        return Placement(line, 0, 0, True, self._out_offset)

    def fits(self, hunk: Hunk, fuzz: int = 0) -> bool:
        """Return whether a hunk could be applied with ``fuzz`` lines of context ignored."""
        return self._locate(hunk, hunk.old, fuzz, record=False) is not None

    def fits_better(self, hunk: Hunk, other: Hunk) -> bool:
        """Return whether a hunk fits with less fuzz than another one."""
        for fuzz in range(min(self._max_fuzz, max(other.context())) + 1):
            if self.fits(other, fuzz):
                return False
            if self.fits(hunk, fuzz):
                return True
        return False

    def finish(self) -> list[bytes]:
        """Return all lines, including those after the last hunk."""
        self.result += self._lines[self._consumed :]
        self._consumed = len(self._lines)
        for at in range(len(self.result) - 1):
            if self.result[at][-1:] != b"\n":  # no longer a last line
                self.result[at] += b"\n"
        return self.result

    def _expected_offset(self, hunk: Hunk, old: Sequence[bytes]) -> int:
        """Return the offset (from 0) where the hunk expects its old lines."""
        return hunk.start if not old else hunk.start - 1

    def _place(self, hunk: Hunk, at: int, fuzz: int) -> Placement:
        """Append the lines before the hunk, then its new lines; context lines come from the file."""
        self.result += self._lines[self._consumed : at]
        line = at + 1 + self._out_offset
        position = at
        for mark, text in hunk.lines:
            self._charge(1)
            if mark == b"+":
                self.result.append(text)
                continue
            if mark == b" " and position < len(self._lines):  # with fuzz, a hunk may extend beyond the end
                self.result.append(self._lines[position])
            position += 1
        self._consumed = min(position, len(self._lines))
        self._out_offset += len(hunk.new) - len(hunk.old)
        return Placement(line, fuzz, self._in_offset, False)

    def _locate(self, hunk: Hunk, old: Sequence[bytes], fuzz: int, *, record: bool = True) -> int | None:
        """Return the nearest offset that has the old lines, with ``fuzz`` lines of context ignored."""
        before, after = hunk.context()
        context = max(before, after)
        skip_first = fuzz + before - context
        skip_last = fuzz + after - context
        expected = self._expected_offset(hunk, old) + self._in_offset
        size = len(self._lines)
        if not old:
            return min(max(expected, self._consumed), size)
        old_forms = [collapse_blanks(line) for line in old] if self._loose else list(old)
        last = size - len(old) + max(skip_last, 0)
        if (skip_first < 0 and hunk.start <= 1) or (skip_first < 0 and skip_last < 0):
            places = [0]
            if skip_last < 0 and len(old) != size:
                return None
        elif skip_last < 0:
            places = [size - len(old)]
        else:
            places = []
            farthest = max(last - expected, expected - self._consumed, 0)
            if self._fits(old_forms, expected, skip_first, skip_last):
                return self._record_offset(expected, expected, record)
            for distance in range(1, farthest + 1):
                self._charge(1)
                for place in (expected + distance, expected - distance):
                    if self._consumed <= place <= last and self._fits(
                        old_forms, place, skip_first, skip_last
                    ):
                        return self._record_offset(place, expected, record)
            return None
        for place in places:
            if place >= self._consumed and self._fits(
                old_forms, place, max(skip_first, 0), max(skip_last, 0)
            ):
                return self._record_offset(place, expected, record)
        return None

    def _record_offset(self, place: int, expected: int, record: bool) -> int:
        if record:
            self._in_offset += place - expected
        return place

    def _fits(self, old_forms: Sequence[bytes], place: int, skip_first: int, skip_last: int) -> bool:
        if place < self._consumed:
            return False
        stop = len(old_forms) - skip_last
        if place + stop > len(self._forms) or place + len(old_forms) > len(self._forms) + skip_last:
            return False
        forms = self._forms
        return all(forms[place + at] == old_forms[at] for at in range(skip_first, stop))


def collapse_blanks(line: bytes) -> bytes:
    """Return a line with each run of blanks as one blank, and none at its ends (-l)."""
    return b" ".join(line.split())

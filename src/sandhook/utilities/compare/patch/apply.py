"""Applies the hunks of a patch to the lines of a file, also where the file has moved on a little.

Source: GNU patch 2.7.6 manual, "Applying Imperfect Patches".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.record import Record
from sandhook.utilities.compare.patch.parse import Hunk

Charge = Callable[[int], None]


class Placed(Record):
    """What became of one hunk.

    Attributes:
        where: Line of the new file, from 1, where it was or would have been applied.
        fuzz: Lines of context that were ignored.
        offset: How far from the expected place, in lines.
        failed: It did not fit anywhere.
        shift: How many lines the hunks before it have added.
    """

    where: int
    fuzz: int
    offset: int
    failed: bool
    shift: int = 0


class Applier:
    """One file that is being patched.

    Attributes:
        result: The lines so far.
    """

    def __init__(self, lines: Sequence[bytes], most_fuzz: int, loose: bool, charge: Charge) -> None:
        self._lines = lines
        self._forms = [loosely(line) for line in lines] if loose else lines
        self._loose = loose
        self._most_fuzz = most_fuzz
        self._charge = charge
        self._done = 0  #: lines of the input that are used up
        self._in_offset = 0
        self._out_offset = 0
        self.result: list[bytes] = []

    def apply(self, hunk: Hunk) -> Placed:
        """Apply a hunk after the ones before it."""
        old = hunk.old
        before, after = hunk.context()
        most = min(self._most_fuzz, max(before, after))
        for fuzz in range(most + 1):
            at = self._locate(hunk, old, fuzz)
            if at is not None:
                return self._place(hunk, at, fuzz)
        where = self._guess(hunk, old) + 1 + self._in_offset + self._out_offset
        return Placed(where, 0, 0, True, self._out_offset)

    def fits(self, hunk: Hunk, fuzz: int = 0) -> bool:
        """Return whether a hunk could be applied with so many lines of context ignored."""
        return self._locate(hunk, hunk.old, fuzz, keep=False) is not None

    def fits_rather(self, hunk: Hunk, other: Hunk) -> bool:
        """Return whether a hunk fits with less fuzz than another one, which comes first if both do."""
        for fuzz in range(min(self._most_fuzz, max(other.context())) + 1):
            if self.fits(other, fuzz):
                return False
            if self.fits(hunk, fuzz):
                return True
        return False

    def finish(self) -> list[bytes]:
        """Return all lines, with those after the last hunk."""
        self.result += self._lines[self._done :]
        self._done = len(self._lines)
        for at in range(len(self.result) - 1):
            if self.result[at][-1:] != b"\n":  # no longer a last line
                self.result[at] += b"\n"
        return self.result

    def _guess(self, hunk: Hunk, old: Sequence[bytes]) -> int:
        """Return the offset (from 0) where the hunk's old lines should stand."""
        return hunk.start if not old else hunk.start - 1

    def _place(self, hunk: Hunk, at: int, fuzz: int) -> Placed:
        """Copy what lies before the hunk, then its new lines; context is kept as the file has it."""
        self.result += self._lines[self._done : at]
        where = at + 1 + self._out_offset
        position = at
        for mark, text in hunk.lines:
            self._charge(1)
            if mark == b"+":
                self.result.append(text)
                continue
            if mark == b" " and position < len(self._lines):  # fuzz may lead after the end
                self.result.append(self._lines[position])
            position += 1
        self._done = min(position, len(self._lines))
        self._out_offset += len(hunk.new) - len(hunk.old)
        return Placed(where, fuzz, self._in_offset, False)

    def _locate(self, hunk: Hunk, old: Sequence[bytes], fuzz: int, *, keep: bool = True) -> int | None:
        """Return the offset where the old lines stand with ``fuzz`` lines of context ignored, nearest first."""
        before, after = hunk.context()
        context = max(before, after)
        skip_first = fuzz + before - context
        skip_last = fuzz + after - context
        guess = self._guess(hunk, old) + self._in_offset
        size = len(self._lines)
        if not old:
            return min(max(guess, self._done), size)
        wanted = [loosely(line) for line in old] if self._loose else list(old)
        last = size - len(old) + max(skip_last, 0)
        if (skip_first < 0 and hunk.start <= 1) or (skip_first < 0 and skip_last < 0):
            places = [0]
            if skip_last < 0 and len(old) != size:
                return None
        elif skip_last < 0:
            places = [size - len(old)]
        else:
            places = []
            farthest = max(last - guess, guess - self._done, 0)
            if self._fits(wanted, guess, skip_first, skip_last):
                return self._keep(guess, guess, keep)
            for distance in range(1, farthest + 1):
                self._charge(1)
                for place in (guess + distance, guess - distance):
                    if self._done <= place <= last and self._fits(wanted, place, skip_first, skip_last):
                        return self._keep(place, guess, keep)
            return None
        for place in places:
            if place >= self._done and self._fits(wanted, place, max(skip_first, 0), max(skip_last, 0)):
                return self._keep(place, guess, keep)
        return None

    def _keep(self, place: int, guess: int, keep: bool) -> int:
        if keep:
            self._in_offset += place - guess
        return place

    def _fits(self, wanted: Sequence[bytes], place: int, skip_first: int, skip_last: int) -> bool:
        if place < self._done:
            return False
        stop = len(wanted) - skip_last
        if place + stop > len(self._forms) or place + len(wanted) > len(self._forms) + skip_last:
            return False
        forms = self._forms
        return all(forms[place + at] == wanted[at] for at in range(skip_first, stop))


def loosely(line: bytes) -> bytes:
    """Return a line with runs of blanks as one, and none at its end (-l)."""
    return b" ".join(line.split())

"""Finds the lines that changed lines were made from, for blame that looks through commits (--ignore-rev).

A line is compared by its pairs of neighbouring characters. The line with the clearest match is matched first, and the
lines before and after it are then matched with what is before and after its match.

Source: git-blame(1), "--ignore-rev"; git 2.39, blame.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.utilities.git.diff.xdiff import Change

_DISTANCE = 10  #: lines around the expected one that are compared
_LEAST = 10  #: pairs of characters that lines elsewhere in the file must share
_UNKNOWN, _NOTHING = -1, -2

Pairs = dict[int, int]


class SimilarLines:
    """The lines of an older and of a newer file, whose pairs are found when they are first compared.

    Args:
        charge, charge_memory: Charge work, and bytes.
    """

    def __init__(
        self,
        old: Sequence[bytes],
        new: Sequence[bytes],
        charge: Callable[[int], None],
        charge_memory: Callable[[int], None],
    ) -> None:
        self._charge = charge
        self._charge_memory = charge_memory
        self._files = (old, new)
        self._known: tuple[dict[int, Pairs], dict[int, Pairs]] = ({}, {})

    def pairs(self, file: int, number: int) -> Pairs:
        """Return the pairs of a line; ``file`` is 0 for the older file, and 1 for the newer one."""
        known = self._known[file].get(number)
        if known is None:
            known = self._known[file][number] = self._pairs(self._files[file][number])
            self._charge_memory(300 + len(known) * 60)
        return known

    def _pairs(self, line: bytes) -> Pairs:
        """Return how often each pair of characters is in a line, without regard to case."""
        self._charge(1 + (len(line) >> 4))
        pairs: Pairs = {}
        before = 0
        for code in (*line, 32):
            here = 0 if code in b" \t\n\r\v\f" else code + 32 if 65 <= code <= 90 else code
            pair = before | here << 8
            before = here
            if pair:
                pairs[pair] = pairs.get(pair, 0) + 1
        return pairs

    def similarity(self, first: Pairs, second: Pairs) -> int:
        """Return how many pairs two lines share."""
        self._charge(1 + (len(second) >> 2))
        return sum(min(count, first.get(pair, 0)) for pair, count in second.items())

    def sources(self, change: Change) -> list[int]:
        """Return for each new line of a change the old line that it was made from, -1 for none."""
        result = _Matching(self, change).run() if change.old_end > change.old else []
        result = result or [-1] * (change.new_end - change.new)
        return [line if line >= 0 else self._elsewhere(change.new + at) for at, line in enumerate(result)]

    def _elsewhere(self, number: int) -> int:
        """Return the old line of the whole file that is most similar to a new one, -1 for none."""
        best, found = _LEAST, -1
        for at in range(len(self._files[0])):
            similarity = self.similarity(self.pairs(1, number), self.pairs(0, at))
            if similarity < best:
                continue
            if similarity == best and found != -1 and abs(found - number) < abs(at - number):
                continue
            best, found = similarity, at
        return found


class _Matching:
    """The matches of the lines of one change. Lines have their numbers in the files."""

    def __init__(self, lines: SimilarLines, change: Change) -> None:
        self._lines = lines
        self._change = change
        old, new = change.old_end - change.old, change.new_end - change.new
        self._distance = min(_DISTANCE, old - 1)
        self._reach = ((2 * self._distance + 1) * new - 1) // old
        self._certainties = [_UNKNOWN] * new
        self._results = [0] * new
        self._seconds = [0] * new
        self._known: dict[tuple[int, int], int] = {}

    def run(self) -> list[int]:
        """Return the old line of each new one, -1 for none."""
        change = self._change
        parts = [(change.old, change.old_end, change.new, change.new_end)]
        while parts:
            parts += reversed(self._match(*parts.pop()))
        return self._results

    def _closest(self, new: int) -> int:
        """Return the old line in the place of a new one."""
        change = self._change
        old_size, new_size = change.old_end - change.old, change.new_end - change.new
        return ((new - change.new) * 2 + 1) * old_size // (new_size * 2) + change.old

    def _match(self, old: int, old_end: int, new: int, new_end: int) -> list[tuple[int, int, int, int]]:
        """Match the new line that is clearest; return the parts before and after it."""
        base, certainties, results = self._change.new, self._certainties, self._results
        clearest = -1
        most = -1
        for line in range(new, new_end):
            self._find(line, old, old_end)
            if certainties[line - base] > most:
                most, clearest = certainties[line - base], line
        if clearest < 0:
            return []
        found = results[clearest - base]
        self._subtract(found, clearest)
        first, last = max(new, clearest - self._reach), min(new_end, clearest + self._reach + 1)
        for line in range(first, last):
            self._known.pop((found, line), None)
            at = line - base
            if line == clearest or certainties[at] < 0:
                continue
            pair = (results[at], self._seconds[at])
            if (line < clearest and max(pair) >= found) or (line > clearest and min(pair) <= found):
                certainties[at] = _UNKNOWN
        parts = [(old, found + 1, new, clearest)] if clearest > new else []
        return parts + ([(found, old_end, clearest + 1, new_end)] if clearest + 1 < new_end else [])

    def _subtract(self, old: int, new: int) -> None:
        """Remove what a new line has of an old one, so that no other line matches it."""
        pairs = self._lines.pairs(0, old)
        for pair, count in self._lines.pairs(1, new).items():
            left = pairs.get(pair, 0) - count
            if left > 0:
                pairs[pair] = left
            else:
                pairs.pop(pair, None)

    def _find(self, new: int, old: int, old_end: int) -> None:
        """Find the two old lines that are most similar to a new one."""
        at = new - self._change.new
        if self._certainties[at] != _UNKNOWN:
            return
        closest = self._closest(new)
        best = second = 0
        best_line = second_line = old
        for line in range(max(old, closest - self._distance), min(old_end, closest + self._distance + 1)):
            value = self._known.get((line, new))
            if value is None:
                value = self._lines.similarity(self._lines.pairs(1, new), self._lines.pairs(0, line))
                value *= 1000 - abs(line - closest)
                self._known[line, new] = value
            if value > best:
                second, second_line = best, best_line
                best, best_line = value, line
            elif value > second:
                second, second_line = value, line
        if not best:
            self._certainties[at], self._results[at] = _NOTHING, -1
            return
        self._certainties[at] = best * 2 - second
        self._results[at], self._seconds[at] = best_line, second_line

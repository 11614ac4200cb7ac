"""Finds lines that were moved within a file, or copied from other files: git blame -M and -C.

Source: git-blame(1); git 2.39, blame.c.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Sequence

from sandhook.record import Record
from sandhook.text.numbers import is_number
from sandhook.utilities.git.diff.xdiff import Charge, compare, split_lines

_MOVE_SCORE, _COPY_SCORE = 20, 40
_LETTERS = string.ascii_letters.encode() + string.digits.encode()

#: A commit's file, in which lines are looked for: its path and its contents.
Source = tuple[str, bytes]
Passed = tuple[str, str, dict[int, int]]


class CopyOptions(Record):
    """What -M and -C ask for.

    Fields:
        level: 0 for moves within the file, 1 for copies from files that the commit changes, 2 for copies from all files
            in the commit that makes the file, 3 for those in all commits.
        moved: A run of lines is a move if it has more letters and digits than that; ``copied`` is that of copies.
    """

    level: int = 0
    moved: int = _MOVE_SCORE
    copied: int = _COPY_SCORE


def copy_options(words: Sequence[tuple[str, str]]) -> CopyOptions | None:
    """Return what the options ask for, each a letter and a number or ""; None without them."""
    if not words:
        return None
    result = CopyOptions(min(3, sum(letter == "C" for letter, _ in words)))
    for letter, text in words:
        score = int(text[:9]) if is_number(text) else 0
        if score and letter == "M":
            result = result._replace(moved=score)
        elif score:
            result = result._replace(copied=score)
    return result


class _Run(Record):
    """Lines that follow each other: in the file that is blamed, and in that of a commit."""

    final: int
    at: int
    size: int


class _Match(Record):
    """Where a part of a run is from."""

    score: int
    run: _Run
    parent: str
    path: str
    source: int


class CopySearch:
    """Passes lines of one commit's file to places in its parents that have them, too.

    Args:
        final: The lines of the file that is blamed.
        key: What is compared of a line, None for all of it.
    """

    def __init__(
        self,
        options: CopyOptions,
        final: Sequence[bytes],
        charge: Charge,
        key: Callable[[bytes], bytes] | None,
    ) -> None:
        self._options = options
        self._final = final
        self._charge = charge
        self._key = key

    def moves(
        self, lines: dict[int, int], mine: Sequence[bytes], parents: Iterable[tuple[str, str, bytes]]
    ) -> Iterator[Passed]:
        """Remove from ``lines`` those that were elsewhere in the file of a parent; yield them with the parent."""
        for parent, path, data in parents:
            yield from self._pass(lines, mine, parent, [(path, data)], self._options.moved)

    def copies(
        self, lines: dict[int, int], mine: Sequence[bytes], parent: str, sources: Sequence[Source]
    ) -> Iterator[Passed]:
        """Remove from ``lines`` those that other files of a parent have; yield them with the parent."""
        yield from self._pass(lines, mine, parent, sources, self._options.copied)

    def _pass(
        self, lines: dict[int, int], mine: Sequence[bytes], parent: str, sources: Sequence[Source], least: int
    ) -> Iterator[Passed]:
        runs = [run for run in _runs(lines) if self._score(run) > least]
        split = [(path, split_lines(data)) for path, data in sources] if runs else []
        while runs:
            rest = []
            for run in runs:
                match = self._best(run, mine, parent, split)
                if match is None or match.score <= least:
                    continue
                found = match.run
                yield parent, match.path, {found.final + at: match.source + at for at in range(found.size)}
                for at in range(found.size):
                    del lines[found.final + at]
                before = found.final - run.final
                after = run.size - before - found.size
                end = before + found.size
                rest += [_Run(run.final, run.at, before)] if before else []
                rest += [_Run(run.final + end, run.at + end, after)] if after else []
            runs = [run for run in rest if self._score(run) > least]

    def _score(self, run: _Run) -> int:
        """Return the number of letters and digits, and 1."""
        text = b"".join(self._final[run.final : run.final + run.size])
        self._charge(1 + (len(text) >> 6))
        return 1 + len(text) - len(text.translate(None, _LETTERS))

    def _best(
        self, run: _Run, mine: Sequence[bytes], parent: str, sources: Sequence[tuple[str, list[bytes]]]
    ) -> _Match | None:
        """Return the longest part of a run that a source has; the last one of equal ones."""
        best: _Match | None = None
        wanted = list(mine[run.at : run.at + run.size])
        for path, old in sources:
            best_here: _Match | None = None
            for at, source, count in self._common(old, wanted):
                part = _Run(run.final + at, run.at + at, count)
                score = self._score(part)
                if best_here is None or score >= best_here.score:
                    best_here = _Match(score, part, parent, path, source)
            if best_here is not None and (best is None or best_here.score >= best.score):
                best = best_here
        return best

    def _common(self, old: list[bytes], new: list[bytes]) -> Iterator[tuple[int, int, int]]:
        """Yield the runs of lines that both have: where they begin in ``new`` and in ``old``, and how many they are."""
        at_old = at_new = 0
        for change in compare(old, new, self._charge, key=self._key):
            if change.new > at_new:
                yield at_new, at_old, change.new - at_new
            at_old, at_new = change.old_end, change.new_end
        if len(new) > at_new:
            yield at_new, at_old, len(new) - at_new


def _runs(lines: dict[int, int]) -> list[_Run]:
    """Return lines, by their numbers and those in the commit's file, as runs."""
    result: list[_Run] = []
    for final in sorted(lines):
        last = result[-1] if result else None
        if last is not None and (last.final + last.size, last.at + last.size) == (final, lines[final]):
            result[-1] = last._replace(size=last.size + 1)
        else:
            result.append(_Run(final, lines[final], 1))
    return result

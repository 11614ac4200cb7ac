"""Moves groups of changed lines to where people expect them (xdl_change_compact).

A group of added or removed lines can often slide up or down. It is moved next to a change of the other file, or to
where the indentation suggests a boundary.

Source: git 2.39, xdiff/xdiffi.c.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.record import Record

_MOST_INDENT = 200
_MOST_BLANKS = 20
_MOST_SLIDING = 100
_INDENT_WEIGHT = 60


class _Group:
    """A group of changed lines in one file, from ``start`` to ``end``; it may be empty."""

    def __init__(self, changed: bytearray, numbers: Sequence[int] | None, size: int) -> None:
        self.changed = changed
        self.numbers = numbers
        self.size = size
        self.start = self.end = 0
        while changed[self.end]:
            self.end += 1

    def next(self) -> bool:
        if self.end == self.size:
            return False
        self.start = self.end = self.end + 1
        while self.changed[self.end]:
            self.end += 1
        return True

    def previous(self) -> bool:
        if self.start == 0:
            return False
        self.start = self.end = self.start - 1
        while self.changed[self.start - 1]:
            self.start -= 1
        return True

    def slide_down(self) -> bool:
        numbers = self.numbers
        assert numbers is not None
        if self.end < self.size and numbers[self.start] == numbers[self.end]:
            self.changed[self.start] = 0
            self.changed[self.end] = 1
            self.start += 1
            self.end += 1
            while self.changed[self.end]:
                self.end += 1
            return True
        return False

    def slide_up(self) -> bool:
        numbers = self.numbers
        assert numbers is not None
        if self.start > 0 and numbers[self.start - 1] == numbers[self.end - 1]:
            self.start -= 1
            self.end -= 1
            self.changed[self.start] = 1
            self.changed[self.end] = 0
            while self.changed[self.start - 1]:
                self.start -= 1
            return True
        return False


def compact(
    lines: Sequence[bytes],
    numbers: Sequence[int],
    changed: bytearray,
    other_changed: bytearray,
    charge: Callable[[int], None],
    *,
    by_indent: bool = True,
) -> None:
    """Slide the groups of one file; ``changed`` is modified.

    Args:
        by_indent: A group without a match in the other file goes where the indentation suggests, not to its end.
    """
    group = _Group(changed, numbers, len(numbers))
    other = _Group(other_changed, None, len(other_changed) - 2)
    while True:
        if group.end != group.start:
            charge(1)
            _place(group, other, lines if by_indent else None, charge)
        if not group.next():
            break
        other.next()


def _place(
    group: _Group, other: _Group, lines: Sequence[bytes] | None, charge: Callable[[int], None]
) -> None:
    while True:
        size = group.end - group.start
        matching = -1
        while group.slide_up():
            charge(1)
            other.previous()
        earliest = group.end
        if other.end > other.start:
            matching = group.end
        while group.slide_down():
            charge(1)
            other.next()
            if other.end > other.start:
                matching = group.end
        if size == group.end - group.start:
            break
    if group.end == earliest:
        return
    if matching != -1:
        while other.end == other.start and group.slide_up():
            other.previous()
        return
    if lines is None:
        return
    shift = max(earliest, group.end - size - 1, group.end - _MOST_SLIDING)
    best_shift, best = -1, (0, 0)
    while shift <= group.end:
        charge(1)
        first, second = _score(lines, shift), _score(lines, shift - size)
        score = (first[0] + second[0], first[1] + second[1])
        if best_shift == -1 or _compared(score, best) <= 0:
            best, best_shift = score, shift
        shift += 1
    while group.end > best_shift and group.slide_up():
        other.previous()


def _compared(score: tuple[int, int], best: tuple[int, int]) -> int:
    indents = (score[0] > best[0]) - (score[0] < best[0])
    return _INDENT_WEIGHT * indents + (score[1] - best[1])


def _indent(line: bytes) -> int:
    """Return the columns of indentation, -1 for a blank line."""
    width = 0
    for byte in line:
        if byte == 32:
            width += 1
        elif byte == 9:
            width += 8 - width % 8
        elif byte not in b"\n\v\f\r":
            return width
        if width >= _MOST_INDENT:
            return _MOST_INDENT
    return -1


class _Measure(Record):
    """The lines around a split: indentation of the next, the previous and the following line; blank lines."""

    at_end: bool
    indent: int
    before_blank: int
    before: int
    after_blank: int
    after: int


def _measure(lines: Sequence[bytes], split: int) -> _Measure:
    at_end = split >= len(lines)
    before_blank, before = 0, -1
    for at in range(split - 1, -1, -1):
        before = _indent(lines[at])
        if before != -1:
            break
        before_blank += 1
        if before_blank == _MOST_BLANKS:
            before = 0
            break
    after_blank, after = 0, -1
    for at in range(split + 1, len(lines)):
        after = _indent(lines[at])
        if after != -1:
            break
        after_blank += 1
        if after_blank == _MOST_BLANKS:
            after = 0
            break
    return _Measure(at_end, -1 if at_end else _indent(lines[split]), before_blank, before, after_blank, after)


def _score(lines: Sequence[bytes], split: int) -> tuple[int, int]:
    """Return the indentation and the penalty of a split (score_add_split)."""
    m = _measure(lines, split)
    penalty = 0
    if m.before == -1 and m.before_blank == 0:
        penalty += 1
    if m.at_end:
        penalty += 21
    after_blank = 1 + m.after_blank if m.indent == -1 else 0
    blanks = m.before_blank + after_blank
    penalty += -30 * blanks + 6 * after_blank
    indent = m.indent if m.indent != -1 else m.after
    if indent != -1 and m.before != -1:
        if indent > m.before:
            penalty += 10 if blanks else -4
        elif indent < m.before:
            if m.after != -1 and m.after > indent:
                penalty += 17 if blanks else 24
            else:
                penalty += 17 if blanks else 23
    return indent, penalty

"""Finds the lines of a diff that were moved, and gives them colours of their own: --color-moved.

Source: git-diff(1), "--color-moved" and "--color-moved-ws"; git 2.39, diff.c.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from sandhook.limits import check_fits
from sandhook.record import Record
from sandhook.utilities.git.diff.painting import ColorPainter, Line, slot_colors
from sandhook.utilities.git.diff.xdiff import Charge

MovedMode = Literal["plain", "blocks", "zebra", "dimmed-zebra"]

_LEAST_LETTERS = 20  #: letters and digits of a block of lines that counts as moved
_EVENT_BYTES = 300  #: what a line takes in memory, roughly
_MANY = 1024  #: events between two looks at the memory
_LETTERS = string.ascii_letters.encode() + string.digits.encode()
_SPACE = 32
_TAB_WIDTH = 8
_BLANK_LINE = -1  #: the indentation of a line of white space
_DEFAULTS = {
    "oldmoved": "bold magenta", "oldmovedalternative": "bold blue",
    "oldmoveddimmed": "dim", "oldmovedalternativedimmed": "dim italic",
    "newmoved": "bold cyan", "newmovedalternative": "bold yellow",
    "newmoveddimmed": "dim", "newmovedalternativedimmed": "dim italic",
}  # fmt: skip


class MovedColors(Record):
    """The sequences of moved lines, by the names of their settings."""

    of: dict[str, bytes]


def read_moved_colors(get: Callable[[str], str | None]) -> MovedColors:
    """Return the colours of the settings. Raises GitError for a word that is not a colour."""
    return MovedColors(slot_colors(get, _DEFAULTS))


class MovedForm(Record):
    """What counts as moved.

    Fields:
        key: What is compared of a line, None for all of it.
        by_indent: Lines are moved with another indentation, if it changes by the same in a whole block.
    """

    mode: MovedMode
    colors: MovedColors
    key: Callable[[bytes], bytes] | None = None
    by_indent: bool = False


class _Event:
    """A part of the output: text, or one line of a hunk."""

    __slots__ = ("alternate", "at_end", "dimmed", "indent", "key", "line", "mark", "moved", "painter")

    def __init__(self, mark: bytes, line: bytes, painter: ColorPainter | None, at_end: bool) -> None:
        self.mark = mark  #: b"" for text
        self.line = line
        self.painter = painter
        self.at_end = at_end  #: among the last added lines of a file, where blank ones are errors
        self.key = b""
        self.indent = 0
        self.moved = self.alternate = self.dimmed = False

    @property
    def is_change(self) -> bool:
        """True for an added and for a removed line."""
        return self.mark == b"+" or self.mark == b"-"


class _Block:
    """A run of lines of the other side that the present lines may have come from.

    Attributes:
        at: The event of its last line.
        shift: How much more the present lines are indented; _BLANK_LINE before a line that is not blank.
    """

    __slots__ = ("at", "shift")

    def __init__(self, at: int, shift: int) -> None:
        self.at = at
        self.shift = shift


class _Collecting:
    """A painter that keeps the lines of hunks, whose colours depend on the lines that follow."""

    def __init__(self, painter: ColorPainter, keep: Callable[[_Event], None]) -> None:
        self._painter = painter
        self._keep = keep

    def head(self, text: bytes) -> bytes:
        """Return the lines before the first hunk."""
        return self._painter.head(text)

    def hunk(self, text: bytes) -> bytes:
        """Return the line of a hunk."""
        return self._painter.hunk(text)

    def body(self, lines: Iterable[Line]) -> Iterator[bytes]:
        """Keep the lines of a hunk, and yield nothing."""
        for mark, line, at_end in self._painter.placed(lines):
            self._keep(_Event(mark, line, self._painter, at_end))
        return iter(())


class MovedLines:
    """The patches of one comparison, from which moved lines are found."""

    def __init__(self, form: MovedForm, charge: Charge) -> None:
        self._form = form
        self._charge = charge
        self._events: list[_Event] = []

    def _keep(self, event: _Event) -> None:
        if len(self._events) % _MANY == 0:
            check_fits(2 * _EVENT_BYTES * (len(self._events) + _MANY))
        self._events.append(event)

    def painter(self, painter: ColorPainter) -> _Collecting:
        """Return a painter in place of another one, for one file."""
        return _Collecting(painter, self._keep)

    def text(self, piece: bytes) -> None:
        """Keep a piece of the output that is not a line of a hunk."""
        if piece:
            self._keep(_Event(b"", piece, None, False))

    def pieces(self) -> Iterator[bytes]:
        """Yield all that was kept, in order and in colour."""
        self._mark_moved()
        if self._form.mode == "dimmed-zebra":
            self._dim()
        for event in self._events:
            if event.painter is None:
                yield event.line
            else:
                yield from event.painter.line(event.mark, event.line, event.at_end, self._color(event))

    def _color(self, event: _Event) -> bytes | None:
        """Return the colour of a moved line, None for other lines."""
        if not event.moved:
            return None
        name = "newmoved" if event.mark == b"+" else "oldmoved"
        name += "alternative" * event.alternate + "dimmed" * event.dimmed
        return self._form.colors.of[name]

    # ------------------------------------------------------------------ search

    def _origins(self) -> dict[tuple[bytes, bytes], list[int]]:
        """Return the lines by their marks and texts, the last ones first."""
        found: dict[tuple[bytes, bytes], list[int]] = {}
        for at, event in enumerate(self._events):
            if not event.is_change:
                continue
            self._charge(1 + (len(event.line) >> 6))
            event.key = event.line
            if self._form.by_indent:
                event.indent, event.key = _indented(event.line)
            elif self._form.key is not None:
                event.key = self._form.key(event.line)
            found.setdefault((event.mark, event.key), []).append(at)
        for places in found.values():
            places.reverse()
        return found

    def _mark_moved(self) -> None:
        events, origins = self._events, self._origins()
        blocks: list[_Block] = []
        length, side, alternates, at = 0, b"", False, 0
        while at < len(events):
            event = events[at]
            self._charge(1)
            places: Sequence[int] = ()
            if event.is_change:
                places = origins.get((b"-" if event.mark == b"+" else b"+", event.key), ())
            else:
                alternates = False
            if blocks and (not places or event.mark != side):
                if not self._keeps(at, length) and length > 1:
                    places, at = (), at - length  # another block may begin at its second line
                blocks, length, alternates = [], 0, False
            if not places:
                side, at = b"", at + 1
                continue
            if self._form.mode == "plain":
                event.moved, at = True, at + 1
                continue
            blocks = self._continued(blocks, event)
            if not blocks:
                continues = self._keeps(at, length)
                if not continues and length > 1:
                    at -= length
                else:
                    blocks = self._begun(places, event)
                alternates = continues and bool(blocks) and side == event.mark and not alternates
                side, length = event.mark if blocks else b"", 0
            if blocks:
                length += 1
                event.moved = True
                event.alternate = event.alternate or (alternates and self._form.mode != "blocks")
            at += 1
        self._keeps(len(events), length)

    def _begun(self, places: Sequence[int], event: _Event) -> list[_Block]:
        """Return the blocks that begin with a line."""
        self._charge(len(places))
        check_fits(_EVENT_BYTES * len(places))
        return [_Block(at, self._shift(event, self._events[at])) for at in places]

    def _continued(self, blocks: list[_Block], event: _Event) -> list[_Block]:
        """Return the blocks whose next line is the present one."""
        self._charge(len(blocks))
        kept = []
        for block in blocks:
            at = block.at + 1
            follows = self._events[at] if at < len(self._events) else None
            if follows is None or follows.mark != self._events[block.at].mark or follows.key != event.key:
                continue
            if self._form.by_indent and follows.indent != _BLANK_LINE:
                shift = event.indent - follows.indent
                if block.shift == _BLANK_LINE:
                    block.shift = shift
                if block.shift != shift:
                    continue
            block.at = at
            kept.append(block)
        return kept

    def _shift(self, event: _Event, origin: _Event) -> int:
        if not self._form.by_indent:
            return 0
        if event.indent == _BLANK_LINE == origin.indent:
            return _BLANK_LINE
        return event.indent - origin.indent

    def _keeps(self, end: int, length: int) -> bool:
        """Return True if a block is long enough; else its lines were not moved."""
        block = self._events[end - length : end]
        letters = 0
        for event in reversed(block):
            self._charge(1 + (len(event.line) >> 6))
            letters += len(event.line) - len(event.line.translate(None, _LETTERS))
            if letters >= _LEAST_LETTERS:
                return True
        for event in block:
            event.moved = False
        return False

    def _dim(self) -> None:
        """Dim the lines of blocks but those next to a line of another block."""
        events = self._events
        for at, event in enumerate(events):
            if not (event.is_change and event.moved):
                continue
            around = [
                each
                for each in (events[at - 1] if at else None, events[at + 1] if at + 1 < len(events) else None)
                if each is not None and each.is_change
            ]
            event.dimmed = not any(each.moved and each.alternate != event.alternate for each in around)


def _indented(line: bytes) -> tuple[int, bytes]:
    """Return the width of a line's indentation, _BLANK_LINE for a line of white space; and the rest of the line."""
    text = line.lstrip(b"\v\f\r")
    rest = text.lstrip(b" \t")
    if not rest.strip():
        return _BLANK_LINE, b""
    width = 0
    for byte in text[: len(text) - len(rest)]:
        width += 1 if byte == _SPACE else _TAB_WIDTH - width % _TAB_WIDTH
    return width, rest

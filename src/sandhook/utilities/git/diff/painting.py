"""Patches in colour, and with changes word by word.

Source: git-diff(1), "--color", "--word-diff"; git 2.39, diff.c and ws.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, Protocol

from sandhook.limits import check_fits
from sandhook.record import Record
from sandhook.utilities.git.diff.xdiff import Charge, compare, split_lines
from sandhook.utilities.git.names.colors import RESET, setting_color

#: A line of a hunk: its mark (" ", "-" or "+"), and the line itself.
Line = tuple[bytes, bytes]
Mode = Literal["plain", "porcelain", "color"]
Part = Literal["indent", "text", "error"]

_RESET = RESET.encode()
_NO_NEWLINE = b"\\ No newline at end of file"
_DEFAULTS = {
    "context": "normal", "meta": "bold", "frag": "cyan", "func": "normal", "old": "red", "new": "green",
    "commit": "yellow", "whitespace": "normal red",
}  # fmt: skip
_WORD_BYTES = 200  #: what a word takes in memory, roughly
_MANY = 1024  #: words between two looks at the memory


class Palette(Record):
    """The sequences of the parts of a patch, "" for no colour."""

    context: bytes = b""
    meta: bytes = b""
    frag: bytes = b""
    func: bytes = b""
    old: bytes = b""
    new: bytes = b""
    commit: bytes = b""
    whitespace: bytes = b""


def read_palette(get: Callable[[str], str | None]) -> Palette:
    """Return the colours of the settings. Raises GitError for a word that is not a colour."""
    return Palette(**slot_colors(get, _DEFAULTS))


def slot_colors(get: Callable[[str], str | None], defaults: Mapping[str, str]) -> dict[str, bytes]:
    """Return the colours of ``color.diff.SLOT``, or else of its old name. Raises GitError for other words."""
    found: dict[str, bytes] = {}
    for slot, default in defaults.items():
        key = f"color.diff.{slot}"
        found[slot] = setting_color(get, f"diff.color.{slot}" if get(key) is None else key, default).encode()
    return found


def painted(color: bytes, text: bytes) -> bytes:
    """Return a text in a colour, even in an empty one, as git prints the lines of a patch."""
    return color + text + _RESET


class Painter(Protocol):
    """Turns the parts of a patch into what is printed."""

    def head(self, text: bytes) -> bytes:
        """Return the lines before the first hunk."""
        ...

    def hunk(self, text: bytes) -> bytes:
        """Return the line of a hunk: "@@ -1,2 +1,2 @@ heading" and a newline."""
        ...

    def body(self, lines: Iterable[Line]) -> Iterator[bytes]:
        """Yield the lines of a hunk."""
        ...


class ColorPainter:
    """Prints patches in colour.

    Args:
        pieces: Returns the parts of an added line.
        blank_ends: The line of each file from which on added blank lines are errors (1-based); zeros for none.
        highlighted: The marks of the lines in which errors are shown.
        marks: What is printed in place of marks, None for the marks themselves.
    """

    def __init__(
        self,
        palette: Palette,
        pieces: Callable[[bytes], list[tuple[Part, bytes]]],
        blank_ends: tuple[int, int] = (0, 0),
        highlighted: bytes = b"+",
        marks: Mapping[bytes, bytes] | None = None,
    ) -> None:
        self.palette = palette
        self._highlighted = highlighted if palette.whitespace else b""
        self._marks = marks or {}
        self._pieces = pieces
        self._blank_ends = blank_ends
        self._at = (0, 0)

    def head(self, text: bytes) -> bytes:
        """Return the lines before the first hunk."""
        return b"".join(self._head_line(line) for line in text.splitlines(keepends=True))

    def _head_line(self, line: bytes) -> bytes:
        if line.startswith(b"Binary files "):
            return line
        text = line.rstrip(b"\n")
        tab = b"\t" if text.endswith(b"\t") and text.startswith((b"--- ", b"+++ ")) else b""
        return painted(self.palette.meta, text.removesuffix(tab) if tab else text) + tab + b"\n"

    def hunk(self, text: bytes) -> bytes:
        """Return the line of a hunk."""
        end = text.index(b"@@", 2) + 2
        heading = text[end:].rstrip(b"\n")
        self._at = _starts(text[:end])
        line = painted(self.palette.frag, text[:end])
        if heading:
            line += painted(self.palette.context, b" ") + painted(self.palette.func, heading[1:])
        return line + b"\n"

    def body(self, lines: Iterable[Line]) -> Iterator[bytes]:
        """Yield the lines of a hunk."""
        for mark, line, at_end in self.placed(lines):
            yield from self.line(mark, line, at_end)

    def placed(self, lines: Iterable[Line]) -> Iterator[tuple[bytes, bytes, bool]]:
        """Yield the marks and the lines of a hunk, and whether each is after the last line that may be blank."""
        old_at, new_at = self._at
        old_end, new_end = self._blank_ends
        for mark, line in lines:
            yield mark, line, mark == b"+" and new_end > 0 and old_at >= old_end and new_at >= new_end
            old_at += mark != b"+"
            new_at += mark != b"-"

    def line(self, mark: bytes, line: bytes, at_end: bool, color: bytes | None = None) -> Iterator[bytes]:
        """Yield one line of a hunk, in the colour of its mark or in another one."""
        palette = self.palette
        text = line.removesuffix(b"\n")
        sign = self._marks.get(mark, mark)
        if color is None:
            color = {b"+": palette.new, b"-": palette.old}.get(mark, palette.context)
        is_highlighted = bool(mark) and mark in self._highlighted
        if is_highlighted and at_end and not text.strip():
            yield painted(palette.whitespace, sign + text)
        elif is_highlighted:
            yield painted(color, sign) + self._highlight(text, color)
        elif mark + text:  # an empty line of context may have no blank before it
            cr = b"\r" if text.endswith(b"\r") else b""
            yield painted(color, sign + text.removesuffix(b"\r")) + cr
        yield b"\n" if line.endswith(b"\n") else b"\n" + painted(palette.context, _NO_NEWLINE) + b"\n"

    def _highlight(self, text: bytes, color: bytes) -> bytes:
        colors = {"text": color, "error": self.palette.whitespace}
        return b"".join(
            painted(colors[part], piece) if part in colors else piece for part, piece in self._pieces(text)
        )


def _starts(header: bytes) -> tuple[int, int]:
    """Return the first lines of "@@ -1,2 +3,4 @@"."""
    old, new = (int(word[1:].partition(b",")[0]) for word in header.split()[1:3])
    return old, new


class _Mark(Record):
    """What is printed around a run of words on a line."""

    color: bytes
    before: bytes
    after: bytes


class WordPainter:
    """Prints patches word by word.

    Args:
        words: Returns the spans of the words of a text.
        colored: Colours are printed, also in the modes "plain" and "porcelain".
    """

    def __init__(
        self,
        mode: Mode,
        palette: Palette,
        words: Callable[[bytes], Iterator[tuple[int, int]]],
        charge: Charge,
        *,
        colored: bool,
    ) -> None:
        self.mode = mode
        self.words = words
        self.charge = charge
        self.colored = colored
        self._palette = palette
        self._color = ColorPainter(palette, lambda line: [("text", line)])
        signs = {
            "plain": ((b"[-", b"-]"), (b"{+", b"+}"), (b"", b"")),
            "porcelain": ((b"-", b"\n"), (b"+", b"\n"), (b" ", b"\n")),
            "color": ((b"", b""), (b"", b""), (b"", b"")),
        }[mode]
        colors = (palette.old, palette.new, palette.context) if colored else (b"", b"", b"")
        self._old, self._new, self._same = (_Mark(color, *each) for color, each in zip(colors, signs))
        self._newline = b"~\n" if mode == "porcelain" else b"\n"

    def head(self, text: bytes) -> bytes:
        """Return the lines before the first hunk."""
        return self._color.head(text) if self.colored else text

    def hunk(self, text: bytes) -> bytes:
        """Return the line of a hunk."""
        return self._color.hunk(text) if self.colored else text

    def body(self, lines: Iterable[Line]) -> Iterator[bytes]:
        """Yield the lines of a hunk: removed and added lines are compared where they stand together."""
        old: list[bytes] = []
        new: list[bytes] = []
        for mark, line in lines:
            text = line if line.endswith(b"\n") else line + b"\n"
            if mark != b" ":
                (old if mark == b"-" else new).append(text)
                continue
            yield from self._changed(b"".join(old), b"".join(new))
            old, new = [], []
            yield self._context(text[:-1])
        yield from self._changed(b"".join(old), b"".join(new))

    def _context(self, text: bytes) -> bytes:
        if self.mode == "porcelain":
            line = b" " + text
            return (painted(self._palette.context, line) if self.colored else line) + b"\n~\n"
        return (painted(self._palette.context, text) if self.colored and text else text) + b"\n"

    def _changed(self, old: bytes, new: bytes) -> Iterator[bytes]:
        if not new:
            yield from self._run(self._old, old)
            return
        olds, news = self._spans(old), self._spans(new)
        changes = compare(
            [old[start:end] for start, end in olds],
            [new[start:end] for start, end in news],
            self.charge,
            by_indent=False,
        )
        at = 0
        for change in changes:
            start, end = _extent(olds, change.old, change.old_end)
            new_start, new_end = _extent(news, change.new, change.new_end)
            yield from self._run(self._same, new[at:new_start])
            yield from self._run(self._old, old[start:end])
            yield from self._run(self._new, new[new_start:new_end])
            at = new_end
        yield from self._run(self._same, new[at:])

    def _spans(self, text: bytes) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        for span in self.words(text):
            if len(spans) % _MANY == 0:
                check_fits(2 * _WORD_BYTES * (len(spans) + _MANY))
            spans.append(span)
        return spans

    def _run(self, mark: _Mark, text: bytes) -> Iterator[bytes]:
        """Yield a run of words, with the mark around each of its lines."""
        self.charge(1 + (len(text) >> 8))
        lines = text.split(b"\n")
        for number, line in enumerate(lines):
            if line:
                shown = mark.before + line + mark.after
                yield mark.color + shown + _RESET if mark.color else shown
            if number < len(lines) - 1:
                yield self._newline


def _extent(spans: list[tuple[int, int]], first: int, last: int) -> tuple[int, int]:
    """Return where a range of words begins and ends; an empty one is at the end of the word before it."""
    if first < last:
        return spans[first][0], spans[last - 1][1]
    end = spans[first - 1][1] if first else 0
    return end, end


_WORD = re.compile(rb"[^ \t\n\v\f\r]+")


def blank_separated(charge: Charge) -> Callable[[bytes], Iterator[tuple[int, int]]]:
    """Return a function that yields the spans of words between blanks."""

    def words(text: bytes) -> Iterator[tuple[int, int]]:
        for match in _WORD.finditer(text):
            charge(1)
            yield match.span()

    return words


class Search(Protocol):
    """A compiled expression."""

    def search(self, data: bytes, /) -> Span | None:
        """Return the first match."""
        ...


class Span(Protocol):
    """A match."""

    def span(self, group: int = 0) -> tuple[int, int]:
        """Return the offsets of the match."""
        ...


def matched(regex: Search, charge: Charge) -> Callable[[bytes], Iterator[tuple[int, int]]]:
    """Return a function that yields what an expression matches; no word goes on after a newline.

    Each line is searched alone, so that a line's length bounds a search.
    """

    def words(text: bytes) -> Iterator[tuple[int, int]]:
        base = 0
        for line in split_lines(text):
            at = 0
            while at < len(line):
                charge(1 + ((len(line) - at) >> 8))
                match = regex.search(line[at:])
                if match is None:
                    break
                start, end = (at + each for each in match.span())
                newline = line.find(b"\n", start, end)
                end = end if newline < 0 else newline
                if start < end:
                    yield base + start, base + end
                at = max(end, start + 1) if start < end else start + 1
            base += len(line)

    return words

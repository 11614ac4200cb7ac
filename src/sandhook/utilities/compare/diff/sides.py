"""diff -y: lay out two columns of lines."""

from __future__ import annotations

import unicodedata

from sandhook.utilities.compare.diff.style import Style


class Sides:
    """Lays out two lines next to each other."""

    def __init__(self, style: Style) -> None:
        unit = 1 if style.expand else style.tab
        offset = (style.width + unit + 3) // (2 * unit) * unit
        self.half = max(0, min(offset - 3, style.width - offset))
        self.column = offset if self.half else style.width
        self.style = style

    def row(self, left: bytes | None, mark: str, right: bytes | None) -> bytes:
        pieces: list[str] = []
        at = self._text(left, pieces, 0) if left is not None else 0
        if (
            left is not None
            and right is not None
            and mark == "|"
            and (left[-1:] == b"\n") != (right[-1:] == b"\n")
        ):
            mark = "/" if left[-1:] == b"\n" else "\\"
        if mark != " ":
            at = self._blanks(at, (self.half + self.column - 1) // 2, pieces) + 1
            pieces.append(mark)
        if right is not None and right.removesuffix(b"\n"):
            self._blanks(at, self.column, pieces)
            self._text(right, pieces, self.column)
        ends_line = any(side is not None and side[-1:] == b"\n" for side in (left, right))
        return "".join(pieces).encode("utf-8", "surrogateescape") + (b"\n" if ends_line else b"")

    def _blanks(self, at: int, to: int, pieces: list[str]) -> int:
        if not self.style.expand:
            tab = self.style.tab
            while at + tab - at % tab <= to:
                at += tab - at % tab
                pieces.append("\t")
        pieces.append(" " * (to - at))
        return max(at, to)

    def _text(self, line: bytes, pieces: list[str], start: int) -> int:
        """Append as much of a line as fits into its half, which begins at ``start``; return the column after it."""
        column = written = 0
        has_returns = b"\r" in line
        for letter in line.removesuffix(b"\n").decode("utf-8", "surrogateescape"):
            if column > self.half and not has_returns:
                break
            if letter == "\r":
                pieces.append(letter)
                self._blanks(0, start, pieces)
                column = written = 0
                continue
            if letter == "\t":
                step = self.style.tab - column % self.style.tab
                if column == written:
                    stop = written + step
                    if self.style.expand:
                        stop = min(stop, self.half)
                        pieces.append(" " * (stop - written))
                        written = stop
                    elif stop < self.half:
                        pieces.append("\t")
                        written = stop
                column += step
                continue
            size = (
                2
                if unicodedata.east_asian_width(letter) in "WF"
                else 0
                if unicodedata.combining(letter)
                else 1
            )
            if letter < " " or letter == "\x7f":
                size = 0
            column += size
            if column <= self.half:
                pieces.append(letter)
                written = column
        return written

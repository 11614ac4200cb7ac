"""Two columns of lines, as diff -y lays them out."""

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
        at = self._text(left, pieces) if left is not None else 0
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
            self._text(right, pieces)
        whole = any(side is not None and side[-1:] == b"\n" for side in (left, right))
        return "".join(pieces).encode("utf-8", "surrogateescape") + (b"\n" if whole else b"")

    def _blanks(self, at: int, to: int, pieces: list[str]) -> int:
        if not self.style.expand:
            tab = self.style.tab
            while at + tab - at % tab <= to:
                at += tab - at % tab
                pieces.append("\t")
        pieces.append(" " * (to - at))
        return max(at, to)

    def _text(self, line: bytes, pieces: list[str]) -> int:
        """Write as much of a line as fits into its half; return the column after it."""
        wanted = shown = 0
        returns = b"\r" in line
        for letter in line.removesuffix(b"\n").decode("utf-8", "surrogateescape"):
            if wanted > self.half and not returns:
                break
            if letter == "\r":
                pieces.append(letter)
                wanted = shown = 0
                continue
            if letter == "\t":
                step = self.style.tab - wanted % self.style.tab
                if wanted == shown:
                    stop = shown + step
                    if self.style.expand:
                        stop = min(stop, self.half)
                        pieces.append(" " * (stop - shown))
                        shown = stop
                    elif stop < self.half:
                        pieces.append("\t")
                        shown = stop
                wanted += step
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
            wanted += size
            if wanted <= self.half:
                pieces.append(letter)
                shown = wanted
        return shown

"""Ranges of lines of a file: "-L 10,20", "-L /regex/,+5", "-L :function".

Source: git-log(1), "-L"; git 2.39, line-range.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import LINE_BRE, Regex, compile_regex
from sandhook.utilities.git.diff.xdiff import Charge
from sandhook.utilities.git.errors import GitError

_PLACE = r"(?:\d+|\^?/(?:\\.|[^/\\])*/)"
_RANGE = re.compile(rf"({_PLACE})?(?:,([+-]\d+|{_PLACE})?)?", re.DOTALL)
_FUNCTION = re.compile(r"(\^?):((?:\\.|[^:\\])+)", re.DOTALL)
_DIGITS = 9

#: Returns the heading of a function that a line begins, None for another line.
Heading = Callable[[bytes], "bytes | None"]


def split_argument(text: str) -> tuple[str, str]:
    """Return the range and the file of "-L RANGE:FILE". Raises GitError for another form."""
    match = _FUNCTION.match(text) or _RANGE.match(text)
    end = match.end() if match is not None else 0
    if text[end : end + 1] != ":" or not text[end + 1 :]:
        raise GitError(f"-L argument not 'start,end:file' or ':funcname:file': {text}")
    return text[:end], text[end + 1 :]


class Lines:
    """The lines of a file, in which ranges are found."""

    def __init__(self, lines: Sequence[bytes], heading: Heading, charge: Charge, *, shown: str) -> None:
        self._lines = lines
        self._heading = heading
        self._charge = charge
        self._shown = shown

    def range(self, text: str, anchor: int = 1) -> tuple[int, int] | None:
        """Return the lines of a range, 0-based and without the last; None for a malformed text.

        Args:
            anchor: The line where searches begin (1-based).
        """
        count = len(self._lines)
        anchor = max(1, min(anchor, count + 1))
        if (match := _FUNCTION.fullmatch(text)) is not None:
            first, last = self._function(match[2], 1 if match[1] else anchor)
        elif (match := _RANGE.fullmatch(text)) is not None:
            first = self._place(match[1], anchor)
            last = self._end(match[2], first)
            if first and last and last < first:
                first, last = last, first
        else:
            return None
        if first > count:
            raise GitError(f"file {self._shown} has only {count} line{'s' * (count != 1)}")
        first = max(1, first)
        last = count if last < 1 or last > count else last
        return first - 1, last

    def _place(self, text: str | None, after: int) -> int:
        if not text:
            return 0
        if text[0].isdigit():
            number = int(text[-_DIGITS:])
            if not number:
                raise GitError(f"-L invalid line number: {number}")
            return number
        if text[0] == "^":
            text, after = text[1:], 1
        return self._search(text[1:-1], after)

    def _end(self, text: str | None, first: int) -> int:
        if text and text[0] in "+-":
            number = int(text[1:][-_DIGITS:])
            if not number:
                raise GitError("-L invalid empty range")
            return first + number - 1 if text[0] == "+" else max(1, first + 1 - number)
        return self._place(text, first + 1)

    def _compiled(self, pattern: str, after: int) -> Regex:
        try:
            return compile_regex(pattern, LINE_BRE)
        except PatternError as error:
            raise GitError(f"-L parameter '{pattern}' starting at line {after}: {error}") from None

    def _search(self, pattern: str, after: int) -> int:
        regex = self._compiled(pattern, after)
        for at in range(after - 1, len(self._lines)):
            self._charge(1 + (len(self._lines[at]) >> 6))
            if regex.search(self._lines[at].removesuffix(b"\n")) is not None:
                return at + 1
        raise GitError(f"-L parameter '{pattern}' starting at line {after}: No match")

    def _function(self, pattern: str, after: int) -> tuple[int, int]:
        """Return the first and the last line of a function (1-based)."""
        regex = self._compiled(pattern, after)
        first = 0
        for at in range(after - 1, len(self._lines)):
            line = self._lines[at].removesuffix(b"\n")
            self._charge(1 + (len(line) >> 6))
            if first and self._heading(line) is not None:
                return first, at
            if not first and regex.search(line) is not None and self._heading(line) is not None:
                first = at + 1
        if not first:
            raise GitError(f"-L parameter '{pattern}' starting at line {after}: no match")
        return first, len(self._lines)

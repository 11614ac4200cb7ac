"""Where jq continues after a malformed input: on the next line, because it passes lines to its parser.

The worker passes all inputs at once. After an error libjq forgets the rest of what it was passed, so that the
lines after the error are passed again.
"""

from __future__ import annotations

from ctypes import c_char_p, c_void_p, cast


class Resumption:
    """The lines that were passed to a parser last."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._start = 0  # offset of the bytes that were passed last
        self._line = 1  # the number that the parser gives to the line there; it does not count dropped lines

    def after(self, message: str) -> tuple[c_char_p, int] | None:
        """Return address and size of the lines after an error; None for a message without a place, or at the end.

        The address is valid as long as this object. Progress is certain: each call returns a shorter rest.
        """
        text, _, place = message.rpartition(" at line ")
        first, _, second = place.partition(", column ")
        if text.endswith(" at EOF") or not (first.isdecimal() and second.isdecimal()):
            return None
        line, column = int(first), int(second)
        end = self._start
        for _ in range(line - self._line + (column > 0)):
            end = self._data.find(b"\n", end) + 1
            if not end:
                return None
        if end <= self._start or end == len(self._data):
            return None
        self._start, self._line = end, line
        base = cast(c_char_p(self._data), c_void_p).value or 0
        return c_char_p(base + end), len(self._data) - end

"""The position of a run of ``native.py`` in its inputs: libjq reads lines and reports those it has read."""

from __future__ import annotations

from bisect import bisect_right


class Position:
    """The position in the inputs, in lines of their files: jq reads lines and counts those it has read."""

    def __init__(
        self, files: list[tuple[str, int]], data: bytes, read: bytes, *, lines: bool, whole: bool
    ) -> None:
        self._names = [name for name, _ in files]
        self._starts: list[int] = []
        start = 0
        for _, size in files:
            self._starts.append(start)
            start += size
        self._data = data
        self._read = read  # what the parser reads: the data itself, or its lines as strings
        self._lines = lines
        self.whole = whole  # all inputs were read
        self._seen = self._line = self._end = 0

    def at(self, offset: int) -> tuple[str, int] | None:
        """Return file and line if the parser is at ``offset``; None before anything was read."""
        if (offset == 0 and not self.whole) or not self._names:
            return None
        if self.whole:
            return self._names[-1], self._data.count(b"\n", self._starts[-1])
        end = self._original(offset)
        file = bisect_right(self._starts, max(0, end - 1)) - 1
        return self._names[file], self._data.count(b"\n", self._starts[file], end)

    def end(self, offset: int) -> int:
        """Return how many bytes of the files were read if the parser is at ``offset``."""
        return self._original(offset) if offset else 0

    def _original(self, offset: int) -> int:
        """Return the end of the line of the data that was read last."""
        if self.whole:
            return len(self._data)
        if self._lines:
            return self._line_end(offset)
        if self._read[offset - 1 : offset] == b"\n":
            return offset
        file = bisect_right(self._starts, offset - 1)
        last = self._starts[file] if file < len(self._starts) else len(self._data)
        newline = self._data.find(b"\n", offset, last)
        return last if newline < 0 else newline + 1

    def _line_end(self, offset: int) -> int:
        lines_read = self._read.count(b"\n", self._seen, offset) + (self._read[offset - 1 : offset] != b"\n")
        for _ in range(lines_read - self._line):
            newline = self._data.find(b"\n", self._end)
            self._end = len(self._data) if newline < 0 else newline + 1
        self._line = lines_read - self._read.count(b"\n", self._seen, offset)
        self._seen = offset
        return self._end

"""The position in the input for jq's messages: "(at <stdin>:3)".

jq counts the lines that it has read, so the position of a value is the number of newlines up to the
end of the line on which the value ends. It is computed only after an error.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from sandhook.lazy import lazily
from sandhook.utilities.data.jq.arguments import Command

_TOKEN = lazily(rb'(?s)"(?>[^"\\]++|\\.)*+"|[][{}]|[^][{}",:\s]+')


class Sources:
    """The inputs of one call, in order."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._starts: list[int] = []
        self._size = 0

    @property
    def read(self) -> bool:
        """Whether any input was read."""
        return bool(self._names)

    def add(self, name: str, data: bytes) -> bytes:
        """Record the name and the size of an input; return its bytes."""
        self._names.append(name)
        self._starts.append(self._size)
        self._size += len(data)
        return data

    def position(self, data: bytes, index: int, command: Command) -> str:
        """Return the position of value number ``index`` (0-based), or of the last one, in jq's notation."""
        if not self._names:
            return "<unknown>"
        end = len(data)
        if not command.slurp and not command.stream:
            for number, stop in enumerate(_ends(data, lines=command.raw_input)):
                end = stop
                if number == index:
                    break
        at = self._file(end - 1)
        newline = data.find(b"\n", end)
        last = self._starts[at + 1] if at + 1 < len(self._starts) else len(data)
        stop = last if newline < 0 else min(newline + 1, last)
        lines = data.count(b"\n", self._starts[at], stop)
        return f"{self._names[at]}:{lines}"

    def names(self, data: bytes, command: Command) -> Iterator[str]:
        """Yield the file of every value, for ``input_filename``."""
        if command.null_input or command.slurp:
            return
        for end in _ends(data, lines=command.raw_input):
            yield self._names[self._file(end - 1)]

    def _file(self, offset: int) -> int:
        return max(0, bisect_right(self._starts, max(offset, 0)) - 1)


def _ends(data: bytes, *, lines: bool) -> Iterator[int]:
    """Yield the offset after each value, or with ``lines`` the offset of each newline."""
    if lines:
        at = 0
        while at < len(data):
            end = data.find(b"\n", at)
            end = len(data) if end < 0 else end
            yield end
            at = end + 1
        return
    depth = 0
    for match in _TOKEN.finditer(data):
        first = match[0][:1]
        if first in (b"[", b"{"):
            depth += 1
            continue
        if first in (b"]", b"}"):
            depth -= 1
        if depth <= 0:
            yield match.end()

"""The format of compress (``.Z``): LZW with codes of 9 to 16 bits, expanded in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator

MAGIC = b"\x1f\x9d"
_NARROWEST, _WIDEST = 9, 16
_CLEAR = 256
_PIECE = 65_536


class LzwError(Exception):
    """The data are damaged."""


class _Codes:
    """Reads codes. They are stored in groups of eight; a change of the width pads the current group."""

    def __init__(self, head: bytes, chunks: Iterator[bytes]) -> None:
        self._buffer = head
        self._chunks = chunks
        self._at = 0
        self._group: list[int] = []

    def next(self, width: int) -> int:
        """Return the next code, -1 at the end."""
        if not self._group:
            while len(self._buffer) - self._at < width and (piece := next(self._chunks, b"")):
                self._buffer = self._buffer[self._at :] + piece
                self._at = 0
            data = self._buffer[self._at : self._at + width]
            self._at += len(data)
            bits, mask = int.from_bytes(data, "little"), (1 << width) - 1
            self._group = [bits >> width * index & mask for index in range(8 * len(data) // width)]
            self._group.reverse()
        return self._group.pop() if self._group else -1

    def drop_group(self) -> None:
        """Drop the rest of the group, which is padding, before a change of the width."""
        self._group = []


def expanded(head: bytes, chunks: Iterator[bytes], charge: Callable[[int], None]) -> Iterator[bytes]:
    """Yield the expanded data of a stream. Raises LzwError.

    Args:
        head: The part that was already read.
        chunks: The rest.
    """
    while len(head) < 3:
        piece = next(chunks, b"")
        if not piece:
            raise LzwError("unexpected end of file")
        head += piece
    max_width, block_mode = head[2] & 31, bool(head[2] & 128)
    if max_width > _WIDEST:
        raise LzwError(f"compressed with {max_width} bits, can only handle {_WIDEST} bits")
    codes = _Codes(head[3:], chunks)
    table = [bytes((byte,)) for byte in range(256)] + [b""] * block_mode
    width = _NARROWEST
    previous = b""
    out: list[bytes] = []
    size = 0
    while (code := codes.next(width)) >= 0:
        if block_mode and code == _CLEAR:
            del table[_CLEAR + 1 :]
            codes.drop_group()
            width, previous = _NARROWEST, b""
            continue
        entry = table[code] if code < len(table) else previous + previous[:1]
        if not entry or code > len(table):
            raise LzwError("corrupt input")
        if previous and len(table) < 1 << max_width:
            table.append(previous + entry[:1])
            if max_width == _NARROWEST and len(table) >= 1 << max_width:
                raise LzwError("compressed with 9 bits, which programs do in different ways")
            if len(table) >= 1 << width and width < max_width:
                codes.drop_group()
                width += 1
        previous = entry
        out.append(entry)
        size += len(entry)
        if size > _PIECE:
            charge(1 + (size >> 8))
            yield b"".join(out)
            out, size = [], 0
    charge(1 + (size >> 8))
    yield b"".join(out)

"""The format of compress (``.Z``): LZW with codes of 9 to 16 bits, expanded a piece at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator

MAGIC = b"\x1f\x9d"
_NARROWEST, _WIDEST = 9, 16
_CLEAR = 256
_PIECE = 65_536


class LzwError(Exception):
    """The data are damaged."""


class _Codes:
    """Reads codes. They come in groups of eight, and a group is filled up where the width changes."""

    def __init__(self, held: bytes, chunks: Iterator[bytes]) -> None:
        self._held = held
        self._chunks = chunks
        self._at = 0
        self._group: list[int] = []

    def next(self, width: int) -> int:
        """Return the next code, -1 at the end."""
        if not self._group:
            while len(self._held) - self._at < width and (more := next(self._chunks, b"")):
                self._held = self._held[self._at :] + more
                self._at = 0
            data = self._held[self._at : self._at + width]
            self._at += len(data)
            bits, mask = int.from_bytes(data, "little"), (1 << width) - 1
            self._group = [bits >> width * at & mask for at in range(8 * len(data) // width)]
            self._group.reverse()
        return self._group.pop() if self._group else -1

    def change(self) -> None:
        """Another width begins: the rest of the group means nothing."""
        self._group = []


def expanded(held: bytes, chunks: Iterator[bytes], charge: Callable[[int], None]) -> Iterator[bytes]:
    """Yield what a stream holds. Raises LzwError.

    Args:
        held: What was read of it.
        chunks: The rest.
    """
    while len(held) < 3:
        more = next(chunks, b"")
        if not more:
            raise LzwError("unexpected end of file")
        held += more
    most, blocks = held[2] & 31, bool(held[2] & 128)
    if most > _WIDEST:
        raise LzwError(f"compressed with {most} bits, can only handle {_WIDEST} bits")
    codes = _Codes(held[3:], chunks)
    table = [bytes((byte,)) for byte in range(256)] + [b""] * blocks
    width = _NARROWEST
    previous = b""
    out: list[bytes] = []
    size = 0
    while (code := codes.next(width)) >= 0:
        if blocks and code == _CLEAR:
            del table[_CLEAR + 1 :]
            codes.change()
            width, previous = _NARROWEST, b""
            continue
        entry = table[code] if code < len(table) else previous + previous[:1]
        if not entry or code > len(table):
            raise LzwError("corrupt input")
        if previous and len(table) < 1 << most:
            table.append(previous + entry[:1])
            if most == _NARROWEST and len(table) >= 1 << most:
                raise LzwError("compressed with 9 bits, which programs do in different ways")
            if len(table) >= 1 << width and width < most:
                codes.change()
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

"""Descriptions that read the expanded contents of compressed files, for zgrep, zdiff and similar utilities."""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.command.context import Context, Reader
from sandhook.formats.compressed import CorruptError, expanded, kind_of
from sandhook.kernel.descriptor import Description


class Unpacked(Description):
    """The contents of a file, expanded if it is compressed; damaged data is reported once and ends the input.

    Attributes:
        damaged: The data was damaged.
    """

    __slots__ = ("_buffer", "_ctx", "_name", "_pieces", "_reader", "damaged")
    readable = True

    def __init__(self, name: str, reader: Reader, ctx: Context) -> None:
        super().__init__()
        self._name = name
        self._ctx = ctx
        self._reader = reader
        self._buffer = b""
        self._pieces = self._expand()
        self.damaged = False

    def _expand(self) -> Iterator[bytes]:
        chunks = self._reader.chunks()
        first = next(chunks, b"")
        kind = kind_of(first)
        rest = _prepend(first, chunks)
        ctx = self._ctx
        yield from expanded(rest, kind, ctx.charge, ctx.budget.charge_memory) if kind else rest

    def read(self, count: int) -> bytes:
        while not self._buffer:
            try:
                piece = next(self._pieces, None)
            except CorruptError as error:
                self.damaged = True
                self._ctx.process.write_error(
                    f"\n{self._ctx.name}: {self._name}: {error}\n".encode("utf-8", "surrogateescape")
                )
                piece = None
            if piece is None:
                return b""
            self._buffer = piece
        data, self._buffer = self._buffer[:count], self._buffer[count:]
        return data

    def unread(self, data: bytes) -> None:
        self._buffer = data + self._buffer

    def close(self) -> None:
        self._reader.close()


def _prepend(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest

"""Compressed files as descriptions that give what they hold: for zgrep, zdiff and similar ones."""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.command.context import Context, Reader
from sandhook.formats.compressed import CorruptError, expanded, kind_of
from sandhook.kernel.descriptor import Description


class Unpacked(Description):
    """What a file holds, expanded if it is compressed; a fault in it is reported once and ends it.

    Attributes:
        damaged: There was a fault.
    """

    __slots__ = ("_ctx", "_held", "_name", "_pieces", "_reader", "damaged")
    readable = True

    def __init__(self, name: str, reader: Reader, ctx: Context) -> None:
        super().__init__()
        self._name = name
        self._ctx = ctx
        self._reader = reader
        self._held = b""
        self._pieces = self._expand()
        self.damaged = False

    def _expand(self) -> Iterator[bytes]:
        chunks = self._reader.chunks()
        first = next(chunks, b"")
        kind = kind_of(first)
        rest = _joined(first, chunks)
        yield from expanded(rest, kind, self._ctx.charge) if kind else rest

    def read(self, count: int) -> bytes:
        while not self._held:
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
            self._held = piece
        data, self._held = self._held[:count], self._held[count:]
        return data

    def unread(self, data: bytes) -> None:
        self._held = data + self._held

    def close(self) -> None:
        self._reader.close()


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest

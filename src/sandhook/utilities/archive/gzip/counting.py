"""What gzip -l and -v show about an input, collected while it is read."""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.command.context import Reader


class CountingReader:
    """A reader that records the size, the first chunk and the last eight bytes."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.size = 0
        self.head = b""
        self.tail = b""

    def chunks(self) -> Iterator[bytes]:
        """Yield the rest in pieces of at most 64 KiB."""
        for data in self._reader.chunks():
            self.size += len(data)
            self.head = self.head or data
            self.tail = (self.tail + data)[-8:]
            yield data

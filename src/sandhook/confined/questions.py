"""The worker's end of the conversation with its host: frames of calls, and questions."""

from __future__ import annotations

from collections import deque
from itertools import count

from sandhook.isolation import wire
from sandhook.worker import frames, process

_NUMBERS = count(1)

#: Frames of each open channel that another program received for it.
_WAITING: dict[int, deque[tuple[int, bytes]]] = {}


def receive() -> tuple[int, bytes]:
    """Return the next frame of the host that is of no channel."""
    while True:
        kind, payload = _next()
        if kind not in wire.CHANNEL_FROM_HOST:
            return kind, payload
        _put_aside(kind, payload)


def _next() -> tuple[int, bytes]:
    kind, length = frames.HEADER.unpack(process.read_exactly(frames.HEADER.size))
    return kind, process.read_exactly(length)


def _put_aside(kind: int, payload: bytes) -> None:
    (number,) = wire.CHANNEL.unpack_from(payload)
    waiting = _WAITING.get(number)
    if waiting is not None:  # else it was closed
        waiting.append((kind, payload[wire.CHANNEL.size :]))


class Channel:
    """One call to jq, SQLite or the network. Several may be open: each program of a pipeline has its own."""

    def __init__(self) -> None:
        self._number = next(_NUMBERS) & 0xFFFFFFFF
        self._waiting: deque[tuple[int, bytes]] = deque()
        _WAITING[self._number] = self._waiting

    def send(self, kind: int, payload: bytes) -> None:
        """Send a frame of this channel."""
        process.send(kind, wire.CHANNEL.pack(self._number) + payload)

    def receive(self) -> tuple[int, bytes]:
        """Return the next frame of this channel."""
        while not self._waiting:
            _put_aside(*_next())
        return self._waiting.popleft()

    def forget(self) -> None:
        """Drop frames that still come."""
        _WAITING.pop(self._number, None)


def ask_files(name: str, *arguments: object, data: bytes = b"") -> tuple[object, bytes]:
    """Perform an operation of ``isolation.fileserver`` and return its result. Raises OSError."""
    process.send(wire.FILES, wire.join([name, *arguments], data))
    kind, payload = receive()
    value, content = wire.split(payload)
    if kind == wire.VALUE:
        return value, content
    assert isinstance(value, list)
    raise OSError(*value)

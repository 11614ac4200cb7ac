"""Server-sent events, as far as a proxy reads them: which bytes are one event, and its data.

Source: WHATWG HTML, "Server-sent events".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sandhook.record import Record

#: The most bytes of an event.
LARGEST = 64 << 20

#: Attempts in turn to continue a stream, and the seconds before each: the server may wish others.
ATTEMPTS, PAUSE, LONGEST_PAUSE = 5, 1.0, 60.0

_MARK = b"\xef\xbb\xbf"


class UnreadableStream(ValueError):
    """A stream that two readers may split into different events."""


class Event(Record):
    """One event.

    Attributes:
        raw: Its bytes, with the empty line at its end.
        data: Its data.
    """

    raw: bytes
    data: bytes

    @property
    def has_id(self) -> bool:
        """Whether a client can continue after this event."""
        return self.field(b"id") is not None

    def field(self, name: bytes) -> bytes | None:
        """Return the value of the last field with a name; None without one."""
        for line in reversed(self.raw.splitlines()):
            found, _, value = line.partition(b":")
            if found == name:
                return value.removeprefix(b" ")
        return None

    def with_data(self, texts: Sequence[bytes]) -> bytes:
        """Return the event with other data: an event for each text, or one without data if there is no text."""
        fields = [line for line in self.raw.splitlines() if line and line.partition(b":")[0] != b"data"]
        named = [line for line in fields if line.partition(b":")[0] != b"id"]
        last = len(texts) - 1
        events = [
            [*(fields if index == last else named), *(b"data: " + line for line in text.splitlines())]
            for index, text in enumerate(texts)
        ] or [fields]
        return b"".join(b"\n".join(lines) + b"\n\n" for lines in events)


def read_events(readline: Callable[[int], bytes]) -> Iterator[Event]:
    """Yield the events of a stream; lines after the last empty line make no event.

    Args:
        readline: Returns up to that many bytes, to the end of a line; b"" at the end.

    Raises:
        UnreadableStream: A line ends in CR alone, or an event is too large.
    """
    raw: list[bytes] = []
    data: list[bytes] = []
    size = 0
    is_first = True
    while line := readline(LARGEST + 1):
        size += len(line)
        if size > LARGEST:
            raise UnreadableStream(f"an event has more than {LARGEST} bytes")
        if is_first:
            line, is_first = line.removeprefix(_MARK), False
        text = line.removesuffix(b"\n").removesuffix(b"\r")
        if b"\r" in text:
            raise UnreadableStream("a line of the stream ends in CR alone")
        if not line.endswith(b"\n"):
            return
        raw.append(line)
        name, _, value = text.partition(b":")
        if name == b"data":
            data.append(value.removeprefix(b" "))
        if not text:
            yield Event(b"".join(raw), b"\n".join(data))
            raw, data, size = [], [], 0


class Place:
    """Where a stream is continued.

    Attributes:
        last: The id of its last event that has one.
        attempts: Attempts to continue it since its last event.
    """

    def __init__(self) -> None:
        self.last: str | None = None
        self.attempts = 0
        self._pause: float | None = None

    def note(self, event: Event) -> None:
        self.attempts = 0
        identity, retry = event.field(b"id"), event.field(b"retry")
        if identity is not None and b"\0" not in identity:
            self.last = identity.decode("utf-8", "replace").encode("ascii", "replace").decode() or None
        if retry is not None and retry.isdigit():
            self._pause = min(int(retry[:9]) / 1000, LONGEST_PAUSE)

    def pause(self) -> float:
        """Return the seconds to wait before the next attempt."""
        wished = PAUSE if self._pause is None else max(self._pause, 0.01)
        return min(wished * 2**self.attempts, LONGEST_PAUSE)

"""Reading lines from a descriptor for read and mapfile: no byte after the delimiter is read."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.expand.locale import as_characters, goes_by_bytes
from sandhook.kernel.descriptor import Description
from sandhook.kernel.pipe import PipeReader
from sandhook.record import Record
from sandhook.state.state import State

_POLL = 0.01  #: virtual seconds between two looks at a source that cannot wake us


class Line(Record):
    """What was read.

    Attributes:
        text: Without the delimiter; bytes that are no UTF-8 are surrogates.
        escaped: Offsets of characters that a backslash protected from splitting.
        complete: The delimiter, or as many characters as wanted, came before the end of input.
        timed_out: Time ran out first.
    """

    text: str
    escaped: frozenset[int]
    complete: bool
    timed_out: bool = False


NOTHING: frozenset[int] = frozenset()


class TimeOut(Exception):
    """No input came in time."""


def wait_for_input(state: State, description: Description, seconds: float) -> bool:
    """Wait at most ``seconds`` (virtual) until a read would not block; return True when it would not."""
    kernel = state.process.kernel
    due = kernel.budget.elapsed() + seconds
    if not description.ready():
        kernel.scheduler.yield_to_others()
    while not description.ready():
        left = due - kernel.budget.elapsed()
        if left <= 0:
            return False
        if isinstance(description, PipeReader):
            description.expect()
            kernel.scheduler.alarm(left)
            kernel.scheduler.block()
        else:
            kernel.scheduler.sleep(min(_POLL, left))
    return True


class Source:
    """A description read piece by piece, with a deadline if there is one."""

    __slots__ = ("_description", "_due", "_state")

    def __init__(self, state: State, description: Description, timeout: float | None) -> None:
        self._state = state
        self._description = description
        self._due = None if timeout is None else state.budget.elapsed() + timeout

    def take(self, delimiter: bytes, limit: int) -> bytes:
        """Return bytes up to and with ``delimiter`` (b"" for none), at most ``limit``; b"" at the end.

        Raises:
            TimeOut: The deadline passed; with a deadline the piece may end anywhere.
        """
        budget = self._state.budget
        description = self._description
        if self._due is not None and not isinstance(description, PipeReader) and description.ready():
            limit = 1
        if self._due is not None:
            if not wait_for_input(self._state, description, self._due - budget.elapsed()):
                raise TimeOut
            if isinstance(description, PipeReader):  # take no more than is there, so as not to block
                limit = min(limit, len(description.pipe.buffer) or 1)
        return take(self._state, description, delimiter, limit)


def take(state: State, description: Description, delimiter: bytes, limit: int) -> bytes:
    """Read up to and with ``delimiter`` (b"" for none), at most ``limit`` bytes, and charge them."""
    found = description.read_until(delimiter, limit) if delimiter else description.read(limit)
    budget = state.budget
    budget.charge(1 + (len(found) >> 8))
    budget.check_fits(len(found))
    return found


def is_plain_line(data: bytes, delimiter: bytes, raw: bool) -> bool:
    """Return True for a whole line with nothing to undo, as it nearly always is."""
    return data[-1:] == delimiter and b"\0" not in data and (raw or b"\\" not in data)


def read_line(
    state: State,
    description: Description,
    delimiter: bytes = b"\n",
    *,
    count: int | None = None,
    exact: bool = False,
    raw: bool = True,
    timeout: float | None = None,
    begun: bytes = b"",
) -> Line:
    """Read one line.

    Args:
        begun: What was taken of the line already.
        delimiter: One byte.
        count: Characters at most; 0 reads nothing.
        exact: The delimiter is a character like others; only ``count`` ends the line.
        raw: A backslash is a character like others.
        timeout: Virtual seconds, None for ever.

    Raises:
        OSError: EBADF, EISDIR.
    """
    limit = state.budget.limits.memory_bytes
    data = begun
    source = Source(state, description, timeout)
    if count is not None:
        next_one = _byte if goes_by_bytes(state) else _character
        return _read_count(source, delimiter, count, exact, raw, next_one)
    complete = data[-1:] == delimiter and (raw or not _ends_escaped(data))
    timed_out = False
    try:
        while not complete:
            piece = source.take(delimiter, limit)
            data += piece
            if not piece:
                break
            if piece[-1:] == delimiter and (raw or not _ends_escaped(data)):
                complete = True
                break
            state.budget.check_fits(len(data) * 2)
    except TimeOut:
        timed_out = True
    if complete:
        data = data[:-1]
    if b"\0" in data:
        data = data.replace(b"\0", b"")
    if raw or b"\\" not in data:
        return Line(data.decode("utf-8", "surrogateescape"), NOTHING, complete, timed_out)
    text, escaped = _unescape(data.decode("utf-8", "surrogateescape"))
    return Line(text, escaped, complete, timed_out)


def _ends_escaped(data: bytes) -> bool:
    """Return True when the last byte is protected by a backslash that is not protected itself."""
    body = data[:-1]
    return (len(body) - len(body.rstrip(b"\\"))) % 2 == 1


def _unescape(text: str) -> tuple[str, frozenset[int]]:
    """Remove backslashes; a newline after one vanishes, any other character is protected."""
    kept: list[str] = []
    escaped: set[int] = set()
    at = 0
    while at < len(text):
        letter = text[at]
        at += 1
        if letter == "\\":
            if at < len(text):
                letter = text[at]
                at += 1
                if letter == "\n":
                    continue
                escaped.add(len(kept))
            else:
                break
        kept.append(letter)
    return "".join(kept), frozenset(escaped)


def _read_count(
    source: Source, delimiter: bytes, count: int, exact: bool, raw: bool, next_one: Callable[[Source], str]
) -> Line:
    """Read character by character: -n and -N count characters, which are bytes in the C locale."""
    kept: list[str] = []
    escaped: set[int] = set()
    protect = False
    complete = count == 0
    timed_out = False
    try:
        while not complete:
            letter = next_one(source)
            if not letter:
                break
            if protect:
                protect = False
                if letter == "\n":
                    continue
                escaped.add(len(kept))
            elif letter == "\\" and not raw:
                protect = True
                continue
            elif not exact and letter.encode("utf-8", "surrogateescape") == delimiter:
                complete = True
                break
            if letter == "\0":
                continue
            kept.append(letter)
            complete = len(kept) == count
    except TimeOut:
        timed_out = True
    text = "".join(kept)
    if next_one is _byte and not escaped:  # bytes that make characters together are those again
        text = as_characters(text)
    return Line(text, frozenset(escaped), complete, timed_out)


def _byte(source: Source) -> str:
    """Read one byte; "" at the end."""
    return source.take(b"", 1).decode("ascii", "surrogateescape")


def _character(source: Source) -> str:
    """Read one UTF-8 character; a byte that begins none is a character by itself; "" at the end."""
    data = source.take(b"", 1)
    if not data or data < b"\xc2":
        return data.decode("utf-8", "surrogateescape")
    size = 2 if data < b"\xe0" else 3 if data < b"\xf0" else 4
    while len(data) < size:
        more = source.take(b"", 1)
        data += more
        if not more or not 0x80 <= more[0] < 0xC0:
            break
    return data.decode("utf-8", "surrogateescape")

"""Reading lines from a descriptor for read and mapfile: no byte after the delimiter is read."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.kernel.descriptor import Description
from sandhook.kernel.pipe import PipeReader
from sandhook.limits import check_clock, check_fits
from sandhook.record import Record
from sandhook.state.state import State
from sandhook.text.locale import as_characters, characters_are_bytes

#: Bytes that a character in a list takes, and one that a backslash escapes, with its offset and the text before it.
_CHARACTER_BYTES = 88
_ESCAPE_BYTES = 224

_POLL = 0.01  #: virtual seconds between two polls of a source that cannot wake a task


class Line(Record):
    """The result of reading one line.

    Attributes:
        text: Without the delimiter; bytes that are not UTF-8 are surrogates.
        escaped: Offsets of characters that a backslash protected from splitting.
        complete: The delimiter or the requested number of characters came before the end of the input.
        timed_out: The timeout expired first.
    """

    text: str
    escaped: frozenset[int]
    complete: bool
    timed_out: bool = False


NOTHING: frozenset[int] = frozenset()


class TimeoutExpired(Exception):
    """No input arrived before the deadline."""


def wait_for_input(state: State, description: Description, seconds: float) -> bool:
    """Wait at most ``seconds`` (virtual) for input; return True when a read would not block."""
    kernel = state.process.kernel
    deadline = kernel.budget.elapsed() + seconds
    if not description.ready():
        kernel.scheduler.yield_to_others()
    while not description.ready():
        remaining = deadline - kernel.budget.elapsed()
        if remaining <= 0:
            return False
        if isinstance(description, PipeReader):
            description.expect()
            kernel.scheduler.alarm(remaining)
            kernel.scheduler.block()
        else:
            kernel.scheduler.sleep(min(_POLL, remaining))
    return True


class Source:
    """A description that is read in pieces, with an optional deadline."""

    __slots__ = ("_description", "_due", "_state")

    def __init__(self, state: State, description: Description, timeout: float | None) -> None:
        self._state = state
        self._description = description
        self._due = None if timeout is None else state.budget.elapsed() + timeout

    def read_until(self, delimiter: bytes, limit: int) -> bytes:
        """Return bytes up to and including ``delimiter`` (b"" for none), at most ``limit``; b"" at the end.

        Raises:
            TimeOut: The deadline passed; with a deadline the piece may end anywhere.
        """
        budget = self._state.budget
        description = self._description
        if self._due is not None and not isinstance(description, PipeReader) and description.ready():
            limit = 1
        if self._due is not None:
            if not wait_for_input(self._state, description, self._due - budget.elapsed()):
                raise TimeoutExpired
            if isinstance(description, PipeReader):  # read only what is buffered, so as not to block
                limit = min(limit, len(description.pipe.buffer) or 1)
        return read_piece(self._state, description, delimiter, limit)


def read_piece(state: State, description: Description, delimiter: bytes, limit: int) -> bytes:
    """Read up to and including ``delimiter`` (b"" for none), at most ``limit`` bytes, and charge them."""
    data = description.read_until(delimiter, limit) if delimiter else description.read(limit)
    budget = state.budget
    budget.charge(1 + (len(data) >> 8))
    budget.check_fits(len(data))
    return data


def is_plain_line(data: bytes, delimiter: bytes, raw: bool) -> bool:
    """Return True for a whole line without NUL and without escapes, the usual case."""
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
    line_start: bytes = b"",
) -> Line:
    """Read one line.

    Args:
        line_start: The part of the line that was already read.
        delimiter: One byte; b"" for none.
        count: Characters at most; 0 reads nothing.
        exact: The delimiter is an ordinary character; only ``count`` ends the line.
        raw: A backslash is an ordinary character.
        timeout: Virtual seconds; None waits for ever.

    Raises:
        OSError: EBADF, EISDIR.
    """
    limit = state.budget.memory_bytes
    data = line_start
    source = Source(state, description, timeout)
    if count is not None:
        read_one = _byte if characters_are_bytes(state.get) else _character
        return _read_count(source, delimiter, count, exact, raw, read_one)
    complete = bool(data) and data[-1:] == delimiter and (raw or not _ends_escaped(data))
    timed_out = False
    try:
        while not complete:
            piece = source.read_until(delimiter, limit)
            data += piece
            if not piece:
                break
            if piece[-1:] == delimiter and (raw or not _ends_escaped(data)):
                complete = True
                break
            state.budget.check_fits(len(data) * 2)
    except TimeoutExpired:
        timed_out = True
    if complete:
        data = data[:-1]
    if b"\0" in data:
        data = _without_nul(data, raw)
    if raw or b"\\" not in data:
        return Line(data.decode("utf-8", "surrogateescape"), NOTHING, complete, timed_out)
    text, escaped = _unescape(data.decode("utf-8", "surrogateescape"))
    return Line(text, escaped, complete, timed_out)


def _without_nul(data: bytes, raw: bool) -> bytes:
    """Drop every NUL; as in bash, one after a backslash ends the text."""
    at = -1 if raw else data.find(b"\\")
    while at >= 0:
        if data[at + 1 : at + 2] == b"\0":
            data = data[:at]
        at = data.find(b"\\", at + 2)
    return data.replace(b"\0", b"")


def _ends_escaped(data: bytes) -> bool:
    """Return True when an unescaped backslash precedes the last byte."""
    body = data[:-1]
    return (len(body) - len(body.rstrip(b"\\"))) % 2 == 1


def _unescape(text: str) -> tuple[str, frozenset[int]]:
    """Remove backslashes; a newline after one vanishes, any other character is protected."""
    check_fits(text.count("\\") * _ESCAPE_BYTES)
    pieces: list[str] = []
    escaped: set[int] = set()
    size = start = 0
    while (index := text.find("\\", start)) >= 0:
        pieces.append(text[start:index])
        size += index - start
        start = index + 2
        letter = text[index + 1 : start]
        if letter not in ("", "\n"):
            escaped.add(size)
            pieces.append(letter)
            size += 1
        if not len(pieces) & 1023:
            check_clock()
    pieces.append(text[start:])
    return "".join(pieces), frozenset(escaped)


def _read_count(
    source: Source, delimiter: bytes, count: int, exact: bool, raw: bool, read_one: Callable[[Source], str]
) -> Line:
    """Read character by character: -n and -N count characters, which are bytes in the C locale."""
    characters: list[str] = []
    escaped: set[int] = set()
    is_escaped = False
    complete = count == 0
    timed_out = False
    try:
        while not complete:
            letter = read_one(source)
            if not letter:
                break
            if is_escaped:
                is_escaped = False
                if letter == "\n":
                    continue
                escaped.add(len(characters))  # also a NUL, which ends the text
            elif letter == "\\" and not raw:
                is_escaped = True
                continue
            elif not exact and letter.encode("utf-8", "surrogateescape") == delimiter:
                complete = True
                break
            elif letter == "\0":
                continue
            characters.append(letter)
            if not len(characters) & 4095:
                check_fits(len(characters) * _CHARACTER_BYTES)
            complete = len(characters) == count
    except TimeoutExpired:
        timed_out = True
    text = "".join(characters).partition("\0")[0]
    if read_one is _byte and not escaped:  # decode sequences of bytes that form characters
        text = as_characters(text)
    return Line(text, frozenset(escaped), complete, timed_out)


def _byte(source: Source) -> str:
    """Read one byte; "" at the end."""
    return source.read_until(b"", 1).decode("ascii", "surrogateescape")


def _character(source: Source) -> str:
    """Read one UTF-8 character; "" at the end. A byte that begins no character counts as one."""
    data = source.read_until(b"", 1)
    if not data or data < b"\xc2":
        return data.decode("utf-8", "surrogateescape")
    size = 2 if data < b"\xe0" else 3 if data < b"\xf0" else 4
    while len(data) < size:
        next_byte = source.read_until(b"", 1)
        data += next_byte
        if not next_byte or not 0x80 <= next_byte[0] < 0xC0:
            break
    return data.decode("utf-8", "surrogateescape")

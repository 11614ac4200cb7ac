"""The parser of ed's command lines: addresses, patterns, replacements.

Source: POSIX.1-2024 XCU 3, ed. Oracle: GNU ed 1.19.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sandhook.lazy import lazily
from sandhook.limits import Budget, check_clock
from sandhook.pattern.errors import PatternError, UnmatchedBracketError
from sandhook.pattern.posix import Match, Regex
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.extras.ed.buffer import Buffer, EdError

if TYPE_CHECKING:
    import re

_BLANKS = lazily(rb"[ \t]*")
_DIGITS = lazily(rb"[0-9]*")

Part = bytes | int  #: of a replacement: text, or the number of a group


class Compile(Protocol):
    """Compiles a regular expression, basic or extended by the options. Raises PatternError."""

    def __call__(self, text: str, icase: bool = False) -> Regex: ...


class Addresses:
    """The addresses before a command.

    Attributes:
        count: The number of addresses: 0, 1 or 2.
    """

    __slots__ = ("count", "first", "second")

    def __init__(self, first: int, second: int, count: int) -> None:
        self.first = first
        self.second = second
        self.count = count


class Parser:
    """Parses one command line at a time.

    Attributes:
        regex: The last pattern, which an empty pattern refers to.
    """

    def __init__(
        self,
        buffer: Buffer,
        compile_: Compile,
        next_line: Callable[[], bytes | None],
        budget: Budget,
    ) -> None:
        self._buffer = buffer
        self._compile = compile_
        self._next_line = next_line
        self._budget = budget
        self._text = b""
        self._at = 0
        self.regex: Regex | None = None

    def start(self, text: bytes) -> None:
        """Begin another line."""
        self._text = text
        self._at = 0

    def state(self) -> tuple[bytes, int]:
        """Return the position, for ``restore``."""
        return self._text, self._at

    def restore(self, state: tuple[bytes, int]) -> None:
        """Return to a position."""
        self._text, self._at = state

    def peek(self) -> bytes:
        """Return the next byte, b"" at the end."""
        return self._text[self._at : self._at + 1]

    def next(self) -> bytes:
        """Return the next byte, and move past it."""
        byte = self.peek()
        self._at += len(byte)
        return byte

    def rest(self) -> bytes:
        """Return the rest of the line, and move to its end."""
        text, self._at = self._text[self._at :], len(self._text)
        return text

    def blanks(self) -> bool:
        """Move past blanks; return False at another character."""
        start, self._at = self._at, _span_end(_BLANKS, self._text, self._at)
        return self._at > start

    def number(self) -> int | None:
        """Parse a decimal number; return None when there is no digit. Raises EdError for more than 18."""
        start, self._at = self._at, _span_end(_DIGITS, self._text, self._at)
        if self._at == start:
            return None
        if self._at - start > 18:
            raise EdError("Numerical result out of range")
        return int(self._text[start : self._at])

    # ------------------------------------------------------------------ addresses

    def addresses(self) -> Addresses:
        """Parse the addresses before a command. Raises EdError."""
        buffer = self._buffer
        count, first, second = 0, buffer.current, buffer.current
        leading = False
        while True:
            self.blanks()
            address = self.address()
            if address is not None:
                first = first if leading else second
                second = address
                count = 2 if leading else min(count + 1, 2)
                leading = False
            self.blanks()
            mark = self.peek()
            if mark == b"%" and not count and address is None:
                self._at += 1
                first, second, count, leading = 1, buffer.last, 2, True
                continue
            if mark not in (b",", b";") or not mark:
                break
            self._at += 1
            if address is None and not count:
                first, second, count, leading = (1 if mark == b"," else buffer.current), buffer.last, 2, True
                continue
            if mark == b";":
                buffer.current = second
            if address is None:
                leading = False
            elif self._is_last_address():
                first, count = second, 2
                break
        if count == 1:
            first = second
        return Addresses(first, second, count)

    def _is_last_address(self) -> bool:
        """Return True when no address follows a separator: ``5,p``."""
        self.blanks()
        following = self.peek()
        return not following or following not in b"0123456789.$'/?+-,;%"

    def address(self) -> int | None:
        """Parse an address with its offsets; return None when there is no address. Raises EdError."""
        buffer = self._buffer
        base: int | None = None
        while True:
            byte = self.peek()
            if byte in (b"+", b"-") and byte:
                self._at += 1
                self.blanks()
                amount = self.number()
                step = 1 if amount is None else amount
                base = (buffer.current if base is None else base) + (step if byte == b"+" else -step)
            elif byte.isdigit():
                value = self.number() or 0
                base = value if base is None else base + value
            elif base is not None:
                if self._at and self._text[self._at : self._at + 1] in (b" ", b"\t"):
                    start = self._at
                    self.blanks()
                    if self.peek() in (b"+", b"-") or self.peek().isdigit():
                        continue
                    self._at = start
                break
            elif byte == b".":
                self._at += 1
                base = buffer.current
            elif byte == b"$":
                self._at += 1
                base = buffer.last
            elif byte == b"'":
                self._at += 1
                base = self._mark_address()
            elif byte in (b"/", b"?") and byte:
                self._at += 1
                base = self._search_address(byte)
            else:
                return None
        if not 0 <= base <= buffer.last:
            raise EdError("Invalid address")
        return base

    def _mark_address(self) -> int:
        name = self.next().decode("latin-1")
        if not name.islower() or not name.isascii():
            raise EdError("Invalid mark character")
        line = self._buffer.marks.get(name)
        number = 0 if line is None else self._buffer.number_of(line)
        if not number:
            raise EdError("Invalid address")
        return number

    def _search_address(self, delimiter: bytes) -> int:
        regex = self.pattern(delimiter)
        buffer = self._buffer
        step = 1 if delimiter == b"/" else -1
        number = buffer.current
        for _ in range(buffer.last):
            number += step
            if number > buffer.last:
                number = 1
            elif number < 1:
                number = buffer.last
            self._budget.charge(1)
            if regex.test(buffer.text(number), remaining=self._budget.remaining):
                return number
        raise EdError("No match")

    # ------------------------------------------------------------------ patterns

    def pattern(self, delimiter: bytes, *, ends: bool = False) -> Regex:
        """Parse a pattern up to its delimiter or the end of the line; "" is the last pattern. Raises EdError.

        Args:
            ends: The delimiter is required.
        """
        text, closed = self.until(delimiter)
        if ends and not closed:
            raise EdError("Missing pattern delimiter")
        if not text:
            if self.regex is None:
                raise EdError("No previous pattern")
            return self.regex
        try:
            self.regex = self._compile(text.decode("utf-8", "surrogateescape"))
        except PatternError as error:
            unclosed = isinstance(error, UnmatchedBracketError)
            raise EdError("Unbalanced brackets ([])" if unclosed else str(error)) from None
        return self.regex

    def until(self, delimiter: bytes) -> tuple[bytes, bool]:
        """Return the text up to a delimiter outside brackets, and False when the line ends first."""
        text = self._text
        pieces = bytearray()
        while self._at < len(text):
            byte = text[self._at : self._at + 1]
            if byte == delimiter:
                self._at += 1
                return bytes(pieces), True
            if byte == b"\\" and self._at + 1 < len(text):
                following = text[self._at + 1 : self._at + 2]
                pieces += following if following == delimiter else byte + following
                self._at += 2
            elif byte == b"[" and (end := _bracket_end(text, self._at)) > 0:
                pieces += text[self._at : end]
                self._at = end
            else:
                pieces += byte
                self._at += 1
        return bytes(pieces), False

    def replacement(
        self, delimiter: bytes, previous: tuple[Part, ...] | None
    ) -> tuple[tuple[Part, ...], bool]:
        """Parse a replacement; return its parts, and False when its delimiter is missing. Raises EdError.

        Args:
            before: The previous replacement, which ``%`` means.
        """
        parts: list[Part] = []
        literal = bytearray()
        closed = False
        while byte := self.next():
            if byte == delimiter:
                closed = True
                break
            if byte == b"\\":
                byte = self.next()
                if not byte:
                    self.start(self._next_line() or b"")
                    byte = b"\n"
                if byte.isdigit() and byte != b"0":
                    parts += [bytes(literal), int(byte)]
                    literal.clear()
                    continue
            elif byte == b"&":
                parts += [bytes(literal), 0]
                literal.clear()
                continue
            literal += byte
        if not parts and literal == b"%":
            if previous is None:
                raise EdError("No previous substitution")
            return previous, closed
        return (*parts, bytes(literal)), closed


def _span_end(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    """Return the end of a match that may be empty."""
    match = pattern.match(text, at)
    return at if match is None else match.end()


def _bracket_end(text: bytes, at: int) -> int:
    """Return the offset after a bracket expression that begins at ``at``; -1 when it is not closed."""
    check_clock()  # a text of open brackets alone is read once for each of them
    end = at + 1
    if text[end : end + 1] == b"^":
        end += 1
    if text[end : end + 1] == b"]":
        end += 1
    while end < len(text) and text[end : end + 1] != b"]":
        kind = text[end + 1 : end + 2]
        if text[end : end + 1] == b"[" and kind and kind in b".:=":
            close = text.find(kind + b"]", end + 2)
            if close < 0:
                return -1
            end = close + 2
        else:
            end += 1
    return end + 1 if end < len(text) else -1


def fill(parts: tuple[Part, ...], match: Match) -> bytes:
    """Return the text of a replacement for one match."""
    return b"".join([part if isinstance(part, bytes) else match.group(part) or b"" for part in parts])

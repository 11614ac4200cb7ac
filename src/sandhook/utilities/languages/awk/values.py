"""The values of awk, and conversions between them.

A number is a float and a string is a str. Input that may be a number (POSIX's "numeric string") is
a Strnum. An array is an Array. A variable that was never set is None.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from sandhook.lazy import lazily
from sandhook.record import Record

_NUMBER = r"[ \t\n\r\f\v]*+([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
_PREFIX = lazily(_NUMBER)
_NUMBER_ONLY = lazily(_NUMBER + r"[ \t\n\r\f\v]*")
_SPECIAL = lazily(r"(?i)[ \t\n\r\f\v]*+([-+])(inf|nan)(?:[ \t\n\r\f\v]*)")


class Misplaced(Record):
    """A jump in a wrong place: the error, the 1-based line, and the offset in the program where gawk finds it."""

    text: str
    line: int
    at: int


class Fatal(Exception):
    """The program cannot continue: ``awk: cmd. line:1: fatal: ...``.

    Attributes:
        status: Exit status: 2, or 1 for an error in the text of the program.
        line: 1-based line of the failed statement in the whole text of the program; 0 when it is unknown.
        misplaced: The jumps in wrong places that the parser found before the error.
    """

    misplaced: tuple[Misplaced, ...] = ()

    def __init__(self, message: str, status: int = 2, line: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.line = line


class Unlabelled(Fatal):
    """An error that gawk prints without "fatal" or "error"."""


class ScalarContext(Fatal):
    """An array was used as a scalar.

    Attributes:
        array: The array.
        names: Its name where it was used, then the arguments that led to that parameter.
        is_complete: ``names`` ends with a name outside the calls.
    """

    def __init__(self, array: object) -> None:
        super().__init__("")
        self.array = array
        self.names: list[str] = []
        self.is_complete = False

    def __str__(self) -> str:
        if not self.names:
            return "attempt to use array in a scalar context"
        first, *others = self.names
        sources = f" ({', '.join(f'from {name}' for name in others)})" if others else ""
        return f"attempt to use array `{first}{sources}' in a scalar context"


class NextRecord(Exception):
    """Raised by next inside a function; the argument is the line of the statement."""


class NextInput(Exception):
    """Raised by nextfile inside a function; the argument is the line of the statement."""


class Strnum(str):
    """Text from input, which is a number when it looks like one."""

    __slots__ = ()


class Key(str):
    """The subscript of an element that a loop visits: a string that compares as a number if it is an integer."""

    __slots__ = ()


class Regexp(str):
    """The source of a regular expression that is a value, ``@/re/``."""

    __slots__ = ()


class FieldString(str):
    """A string that the program assigned to a field: it is never numeric."""

    __slots__ = ()


class Array(dict[str, "Value"]):
    """An associative array in the order of insertion."""

    __slots__ = ()
    __hash__ = object.__hash__  # type: ignore[assignment]


Value: TypeAlias = float | str | Array | None


def text_to_number(text: str) -> float:
    """Return the number at the start of a string, by default 0."""
    try:
        value = float(text)
    except ValueError:
        return _number_prefix(text)
    if value - value == 0.0 and text.isascii() and "_" not in text:
        return value
    return _number_prefix(text)


def _number_prefix(text: str) -> float:
    match = _PREFIX.match(text)
    if match:
        return float(match[1])
    special = _SPECIAL.match(text)
    if special and special.end() == len(text):
        return math.copysign(
            math.inf if special[2].lower() == "inf" else math.nan, -1.0 if special[1] == "-" else 1.0
        )
    return 0.0


def numeric_value(text: str) -> float | None:
    """Return the number that the whole text denotes, or None."""
    try:
        value = float(text)
    except ValueError:
        return _number_prefix(text) if _SPECIAL.fullmatch(text) else None
    if value - value == 0.0 and text.isascii() and "_" not in text and "\x1c" not in text:
        return value
    if _NUMBER_ONLY.fullmatch(text) or _SPECIAL.fullmatch(text):
        return _number_prefix(text)
    return None


def to_number(value: Value) -> float:
    """Convert a scalar to a number. Raises Fatal for an array."""
    if type(value) is float:
        return value
    if isinstance(value, str):
        return text_to_number(value)
    if value is None:
        return 0.0
    raise ScalarContext(value)


def truth(value: Value) -> bool:
    """Return True when a value is true. Raises Fatal for an array."""
    if type(value) is float:
        return value != 0.0
    if value is None:
        return False
    if type(value) is Strnum:
        number = numeric_value(value)
        return bool(value != "") if number is None else number != 0.0
    if isinstance(value, Array):
        raise ScalarContext(value)
    return bool(value != "")

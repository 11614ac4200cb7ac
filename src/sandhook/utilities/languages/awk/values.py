"""Values of awk: what a number, a string and a numeric string are, and how one becomes the other.

A number is a float, a string a str, text from outside that counts as a number when it looks like
one (POSIX's "numeric string") a Strnum, an array an Array, and what was never set is None.
"""

from __future__ import annotations

import math
import re
from typing import Any

_PREFIX = re.compile(r"[ \t\n\r\f\v]*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)")
_WHOLE = re.compile(_PREFIX.pattern + r"[ \t\n\r\f\v]*")
_SPECIAL = re.compile(r"[ \t\n\r\f\v]*([-+])(inf|nan)(?:[ \t\n\r\f\v]*)", re.IGNORECASE)


class Fatal(Exception):
    """The program cannot go on: ``awk: cmd. line:1: fatal: ...`` and status 2, or 1 for what its text shows.

    Attributes:
        line: Of the statement that failed, 1-based in the whole text of the program; 0 for none.
    """

    def __init__(self, message: str, status: int = 2, line: int = 0) -> None:
        super().__init__(message)
        self.status = status
        self.line = line


class Strnum(str):
    """Text from outside."""

    __slots__ = ()


class Regexp(str):
    """The source of an expression that is a value, ``@/re/``."""

    __slots__ = ()


class Fixed(str):
    """A string that the program has put into a field: never numeric."""

    __slots__ = ()


class Array(dict[str, Any]):
    """An associative array; keys are strings, and the order is that of insertion."""

    __slots__ = ()
    __hash__ = object.__hash__  # type: ignore[assignment]


Value = Any  # float | str | Strnum | Array | None


def text_to_number(text: str) -> float:
    """Return the number that a string begins with, 0 for none."""
    try:
        value = float(text)
    except ValueError:
        return _number_prefix(text)
    if value - value == 0.0 and text.isascii() and "_" not in text:
        return value
    return _number_prefix(text)


def _number_prefix(text: str) -> float:
    found = _PREFIX.match(text)
    if found:
        return float(found[1])
    special = _SPECIAL.match(text)
    if special and special.end() == len(text):
        return math.copysign(
            math.inf if special[2].lower() == "inf" else math.nan, -1.0 if special[1] == "-" else 1.0
        )
    return 0.0


def looks_numeric(text: str) -> float | None:
    """Return the number that all of a text is, or None."""
    try:
        value = float(text)
    except ValueError:
        return _number_prefix(text) if _SPECIAL.fullmatch(text) else None
    if value - value == 0.0 and text.isascii() and "_" not in text and "\x1c" not in text:
        return value
    if _WHOLE.fullmatch(text) or _SPECIAL.fullmatch(text):
        return _number_prefix(text)
    return None


def to_number(value: Value) -> float:
    """Convert any scalar."""
    if type(value) is float:
        return value
    if value is None:
        return 0.0
    if isinstance(value, Array):
        raise Fatal("attempt to use array in a scalar context")
    return text_to_number(value)


def truth(value: Value) -> bool:
    """Return whether a value counts as true."""
    if type(value) is float:
        return value != 0.0
    if value is None:
        return False
    if type(value) is Strnum:
        number = looks_numeric(value)
        return bool(value != "") if number is None else number != 0.0
    if isinstance(value, Array):
        raise Fatal("attempt to use array in a scalar context")
    return bool(value != "")

"""Formats for which Python's ``%`` has the same result as printf: strings and decimal numbers between literal text.

Source: POSIX.1-2024 XBD 5. All other formats are left to ``common``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.lazy import cache_texts
from sandhook.record import Record
from sandhook.utilities.system.printf.common import Conversion, Literal, parse_format

_MAX_WIDTH = 1_000  #: ``common`` charges wider fields before it creates them
_MAX_LENGTH = 65_536  #: ``common`` charges longer output


class Plain(Record):
    """A format in Python's syntax.

    Attributes:
        template: The left operand of ``%``.
        conversions: The number of conversions.
        numbers: The indexes of the conversions of numbers.
        bytewise: A string is truncated or padded. Widths count bytes, which are characters only in ASCII.
        room: The greatest number of characters of one expansion, without the arguments.
    """

    template: str
    conversions: int
    numbers: tuple[int, ...]
    bytewise: bool
    room: int


@cache_texts(256)
def _plain(format_: str) -> Plain | None:
    """Return a format in Python's syntax, None when it has other conversions."""
    template: list[str] = []
    kinds: list[str] = []
    bytewise = False
    room = len(format_)
    for item in parse_format(format_.encode("utf-8", "surrogateescape")):
        if isinstance(item, Literal) and not item.warnings and b"\0" not in item.data:
            template.append(item.data.decode("utf-8", "surrogateescape").replace("%", "%%"))
            continue
        if not isinstance(item, Conversion):
            return None
        flags, width, precision, letter, _, negative = item
        if negative or width is None or precision is None or max(width, precision) > _MAX_WIDTH:
            return None
        if letter == "s" and not flags.strip("-"):
            bytewise = bytewise or width > 0 or precision >= 0
        elif letter not in "di" or flags.strip("-0+ ") or precision >= 0:
            return None
        kinds.append("s" if letter == "s" else "d")
        room += width + 20
        cut = f".{precision}" if precision >= 0 else ""
        template.append(f"%{flags}{width or ''}{cut}{kinds[-1]}")
    numbers = tuple(index for index, kind in enumerate(kinds) if kind == "d")
    return Plain("".join(template), len(kinds), numbers, bytewise, room)


def format_simply(format_: str, arguments: Sequence[str]) -> str | None:
    """Return the output of printf, or None when only ``format_printf`` can produce it."""
    plain = _plain(format_) if len(format_) < 1_024 else None
    if plain is None:
        return None
    template, each, numbers, bytewise, room = plain
    count = len(arguments)
    size = sum(map(len, arguments))
    if size > _MAX_LENGTH or (bytewise and not all(map(str.isascii, arguments))):
        return None
    values: list[str | int] = list(arguments)
    if count != each:
        if not each or not count or count % each or room * (count // each) > _MAX_LENGTH:
            return None
        template *= count // each
        numbers = tuple(index for index in range(count) if index % each in numbers)
    for index in numbers:
        number = _decimal(arguments[index])
        if number is None:
            return None
        values[index] = number
    result: str = template % tuple(values)
    return result


def plain_format(format_: str) -> Callable[[Sequence[str]], str | None] | None:
    """Return a function that expands one format as ``format_simply`` does, None when ``%`` cannot expand it."""
    plain = _plain(format_) if len(format_) < 1_024 else None
    if plain is None or plain.bytewise:
        return None
    template, each, numbers, _, room = plain

    def expand(arguments: Sequence[str]) -> str | None:
        if len(arguments) != each or sum(map(len, arguments)) + room > _MAX_LENGTH:
            return format_simply(format_, arguments)
        if not numbers:
            result: str = template % tuple(arguments)
            return result
        values: list[str | int] = list(arguments)
        for index in numbers:
            text = arguments[index]
            if len(text) < 16 and text.isdigit() and text[0] != "0" and text.isascii():
                values[index] = int(text)
                continue
            number = _decimal(text)
            if number is None:
                return None
            values[index] = number
        expansion: str = template % tuple(values)
        return expansion

    return expand


def _decimal(text: str) -> int | None:
    """Return the value of a plain decimal integer, None for other text."""
    digits = text.removeprefix("-")
    if not (digits.isdigit() and digits.isascii()) or len(digits) > 18 or (digits[0] == "0" and text != "0"):
        return None
    return int(text)

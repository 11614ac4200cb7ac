"""Formats that Python's own ``%`` writes as printf does: texts and plain decimal numbers between literal text.

Source: POSIX.1-2024 XBD 5. What is not known to be the same is left to ``common``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from sandhook.record import Record
from sandhook.utilities.system.printf.common import Conversion, Literal, parse_format

_WIDEST = 1_000  #: wider fields are charged by ``common`` before they are made
_LONGEST = 65_536  #: and so is longer output


class Plain(Record):
    """A format in Python's spelling.

    Fields:
        template: What ``%`` is applied to.
        conversions: How many conversions there are.
        numbers: Which of them are of numbers.
        bytewise: A text is cut or filled: its width is counted in bytes, which are characters only in ASCII.
        room: Characters that one use may take beyond those of the texts.
    """

    template: str
    conversions: int
    numbers: tuple[int, ...]
    bytewise: bool
    room: int


@lru_cache(maxsize=256)
def _plain(format_: str) -> Plain | None:
    """Return a format in Python's spelling, None when it has anything else in it."""
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
        flags, width, precision, letter, _ = item
        if width is None or precision is None or max(width, precision) > _WIDEST:
            return None
        if letter == "s" and not flags.strip("-"):
            bytewise = bytewise or width > 0 or precision >= 0
        elif letter not in "di" or flags.strip("-0+ ") or precision >= 0:
            return None
        kinds.append("s" if letter == "s" else "d")
        room += width + 20
        cut = f".{precision}" if precision >= 0 else ""
        template.append(f"%{flags}{width or ''}{cut}{kinds[-1]}")
    numbers = tuple(at for at, kind in enumerate(kinds) if kind == "d")
    return Plain("".join(template), len(kinds), numbers, bytewise, room)


def format_plainly(format_: str, arguments: Sequence[str]) -> str | None:
    """Return what printf writes, or None when that is for ``format_printf`` to find out."""
    plain = _plain(format_) if len(format_) < 1_024 else None
    if plain is None:
        return None
    template, each, numbers, bytewise, room = plain
    count = len(arguments)
    size = sum(map(len, arguments))
    if size > _LONGEST or (bytewise and not all(map(str.isascii, arguments))):
        return None
    values: list[str | int] = list(arguments)
    if count != each:
        if not each or not count or count % each or room * (count // each) > _LONGEST:
            return None
        template *= count // each
        numbers = tuple(at for at in range(count) if at % each in numbers)
    for at in numbers:
        number = _decimal(arguments[at])
        if number is None:
            return None
        values[at] = number
    made: str = template % tuple(values)
    return made


def plain_format(format_: str) -> Callable[[Sequence[str]], str | None] | None:
    """Return what does the same for one format, None when it has more in it than ``%`` can do."""
    plain = _plain(format_) if len(format_) < 1_024 else None
    if plain is None or plain.bytewise:
        return None
    template, each, numbers, _, room = plain

    def make(arguments: Sequence[str]) -> str | None:
        if len(arguments) != each or sum(map(len, arguments)) + room > _LONGEST:
            return format_plainly(format_, arguments)
        if not numbers:
            made: str = template % tuple(arguments)
            return made
        values: list[str | int] = list(arguments)
        for at in numbers:
            text = arguments[at]
            if len(text) < 16 and text.isdigit() and text[0] != "0" and text.isascii():
                values[at] = int(text)
                continue
            number = _decimal(text)
            if number is None:
                return None
            values[at] = number
        filled: str = template % tuple(values)
        return filled

    return make


def _decimal(text: str) -> int | None:
    """Return the value of a decimal integer as anybody writes it, None for any other text."""
    digits = text.removeprefix("-")
    if not (digits.isdigit() and digits.isascii()) or len(digits) > 18 or (digits[0] == "0" and text != "0"):
        return None
    return int(text)

"""Numbers as text: printf's conversions over awk's values, counted in characters, CONVFMT, and comparison.

Source: POSIX.1-2024 XCU 3, awk, "output statements". Oracle: gawk 5.2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from sandhook.record import Record
from sandhook.utilities.awk.values import Array, Fatal, Strnum, Value, looks_numeric, to_number

_CONVERSION = re.compile(
    r"%(?:(\d+)\$)?([-+ #0']*)(\*(?:\d+\$)?|\d*)(\.(?:\*(?:\d+\$)?|\d*))?[hlLqjzt]*(.)", re.DOTALL
)
_LARGEST = 2**31 - 1


class Conversion(Record):
    """One conversion; a width or precision of None is taken from the arguments, -1 is absent; ``at`` is its place."""

    position: int
    flags: str
    width: int | None
    precision: int | None
    letter: str
    at: int


@lru_cache(maxsize=128)
def _parsed(format_: str) -> tuple[str | Conversion, ...]:
    items: list[str | Conversion] = []
    at = 0
    while True:
        percent = format_.find("%", at)
        if percent < 0:
            items.append(format_[at:])
            return tuple(items)
        items.append(format_[at:percent])
        found = _CONVERSION.match(format_, percent)
        if found is None:
            items.append(format_[percent:])
            return tuple(items)
        at = found.end()
        position, flags, width, precision, letter = found.groups()
        if letter == "%":
            items.append("%")
        elif letter not in "csdiouxXeEfFgGaA":
            items.append(found[0])
        elif "$" in (width or "") or "$" in (precision or ""):
            raise Fatal("printf: `*N$' is not supported (L-AWK-002)")
        else:
            items.append(
                Conversion(
                    int((position or "0")[:9]),
                    flags.replace("'", ""),
                    None if width == "*" else _bounded(width),
                    -1 if precision is None else None if precision == ".*" else _bounded(precision[1:]),
                    letter,
                    percent,
                )
            )


def _bounded(digits: str) -> int:
    return min(int(digits[:10] or "0"), _LARGEST)


def format_text(
    format_: str, arguments: Sequence[Any], conversion: str, afford: Callable[[int], None] | None = None
) -> str:
    """Return what printf writes.

    Args:
        conversion: CONVFMT, for ``%s`` of a number that is no integer.
        afford: Refuses a size in characters that the run could never hold.

    Raises:
        Fatal: There are fewer arguments than conversions.
    """
    out: list[str] = []
    size = 0
    index = 0

    def take(at: int) -> Any:
        nonlocal index
        if index >= len(arguments):
            raise Fatal(
                "not enough arguments to satisfy format string"
                f"\n\t`{format_}'\n\t{' ' * (at + 1)}^ ran out for this one"
            )
        index += 1
        return arguments[index - 1]

    for item in _parsed(format_) if len(format_) <= 1_024 else _parsed.__wrapped__(format_):
        if isinstance(item, str):
            out.append(item)
            size += len(item)
            continue
        _, flags, width, precision, letter, at = item
        if width is None:
            width = _star(take(at))
            if width < 0:
                flags += "-"
                width = -width
        if precision is None:
            precision = max(_star(take(at)), -1)
        if item.position:
            if item.position > len(arguments):
                raise Fatal("arg count with `$' greater than total number of supplied arguments")
            value = arguments[item.position - 1]
        else:
            value = take(at)
        if afford is not None:
            afford(size + width + max(precision, 0))
        text = _converted(letter, flags, width, precision, value, conversion)
        size += len(text)
        if afford is not None:
            afford(size)
        out.append(text)
    return "".join(out)


def _star(value: Any) -> int:
    number = to_number(value)
    return int(max(-_LARGEST, min(_LARGEST, number))) if number == number else 0


def _converted(letter: str, flags: str, width: int, precision: int, value: Any, conversion: str) -> str:
    if letter == "s":
        text = (
            number_to_text(value, conversion) if type(value) is float else "" if value is None else str(value)
        )
        return _padded(text if precision < 0 else text[:precision], flags, width)
    if letter == "c":
        return _padded(_character(value), flags, width)
    number = to_number(value)
    if number - number != 0.0:
        text = ("-" if math.copysign(1.0, number) < 0 else "+") + ("nan" if number != number else "inf")
        return _padded(text, flags, width)
    if letter in "aA":
        text = _hexadecimal(number)
        return _padded(text.upper() if letter == "A" else text, flags, width)
    if letter in "diouxX":
        whole = int(number)
        if letter not in "di" and -(2**63) <= whole < 0:
            whole += 2**64  # as C converts it
        return _integer(whole, "d" if letter in "diu" or whole < 0 else letter, flags, width, precision)
    spec = f"%{flags}{width or ''}{'' if precision < 0 else f'.{precision}'}{letter}"
    return spec % number


def _character(value: Any) -> str:
    if type(value) is Strnum:
        number = looks_numeric(value)
        value = str(value) if number is None else number
    if type(value) is float:
        code = int(value) if value - value == 0.0 else 0
        if 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000:
            return chr(code)
        return bytes([code & 0xFF]).decode("utf-8", "surrogateescape")
    return value[:1] if value else "\0"


def _integer(value: int, letter: str, flags: str, width: int, precision: int) -> str:
    digits = format(abs(value), letter)
    if precision >= 0:
        digits = digits.rjust(precision, "0") if value or precision else ""
    sign = (
        "-"
        if value < 0
        else "+"
        if "+" in flags and letter == "d"
        else " "
        if " " in flags and letter == "d"
        else ""
    )
    if "#" in flags and value:
        sign = "0" if letter == "o" and digits[0] != "0" else "0" + letter if letter in "xX" else sign
    if "0" in flags and "-" not in flags and precision < 0:
        digits = digits.rjust(width - len(sign), "0")
    return _padded(sign + digits, flags, width)


def _hexadecimal(value: float) -> str:
    mantissa, _, exponent = value.hex().partition("p")
    head, point, tail = mantissa.partition(".")
    tail = tail.rstrip("0")
    return f"{head}{point if tail else ''}{tail}p{exponent}"


def _padded(text: str, flags: str, width: int) -> str:
    if len(text) >= width:
        return text
    return text.ljust(width) if "-" in flags else text.rjust(width)


def number_to_text(value: float, conversion: str) -> str:
    """Convert a number: an integer in full, any other by ``conversion`` (CONVFMT or OFMT)."""
    if value - value != 0.0:
        sign = "-" if math.copysign(1.0, value) < 0 else "+"
        return sign + ("nan" if value != value else "inf")
    whole = int(value)
    if whole == value:
        return str(whole)
    if conversion == "%.6g":
        return f"{value:.6g}"
    return format_text(conversion, [value], conversion)


def order(left: Value, right: Value, conversion: str) -> int:
    """Compare two values as POSIX says: -1, 0 or 1; 2 for a comparison with NaN."""
    a = left if type(left) is float else _comparable(left)
    b = right if type(right) is float else _comparable(right)
    if type(a) is float and type(b) is float:
        return (a > b) - (a < b) if a == a and b == b else 2
    first = left if isinstance(left, str) else "" if left is None else number_to_text(left, conversion)
    second = right if isinstance(right, str) else "" if right is None else number_to_text(right, conversion)
    return (first > second) - (first < second)


def _comparable(value: Value) -> float | str:
    """Return a float when the value may be compared as one; None is 0 beside a number."""
    if value is None:
        return 0.0
    if type(value) is float:
        return value
    if type(value) is Strnum:
        number = looks_numeric(value)
        return value if number is None else number
    if isinstance(value, Array):
        raise Fatal("attempt to use array in a scalar context")
    return str(value)

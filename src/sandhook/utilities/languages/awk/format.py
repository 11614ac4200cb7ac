"""printf's conversions, numbers as text by CONVFMT, and comparison of values.

Source: POSIX.1-2024 XCU 3, awk, "output statements". Oracle: gawk 5.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

from sandhook.lazy import lazily
from sandhook.limits import check_fits as check_memory
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.languages.awk.values import (
    Array,
    Fatal,
    Key,
    ScalarContext,
    Strnum,
    Value,
    numeric_value,
    to_number,
)

if TYPE_CHECKING:
    import re

_CONVERSION = lazily(
    r"(?s)%(?:(?P<position>\d+)\$)?(?P<before>[-+ #0']*)(?P<width>\*(?:\d+\$)?|\d*)(?P<after>[-+ #']*)"
    r"(?:(?P<precision>\.(?:\*(?:\d+\$)?|-?\d*))[hlLjzt]?|[hlLjzt]?(?P<last>[-+ #']*))(?P<letter>.|\Z)",
)
_CONVERTING = "csdiouxXeEfFgGaA"
_MIXED = "must use `count$' on all formats or none"
_LARGEST = 2**31 - 1
_INTEGER = lazily(r"0|-?[1-9][0-9]{0,15}")


class FormatError(Fatal):
    """A format does not suit its arguments."""


class Conversion(Record):
    """One conversion.

    Attributes:
        position: Number of the argument, 0 for the next one.
        width, precision: -1 is absent; below that, -2 is the next argument, and -2 - N is argument N.
        at: Offset of the letter in the format.
        width_at, precision_at: Offsets of the "*" in the format, when there is one.
        text: What is written instead when the letter converts nothing; the arguments of "*" are used all the same.
    """

    position: int
    flags: str
    width: int
    precision: int
    letter: str
    at: int
    width_at: int
    precision_at: int
    text: str


class Misuse(Record):
    """A conversion that ends the program when it is reached."""

    message: str


@lru_cache(maxsize=128)
def parse_format(format_: str) -> tuple[str | Conversion | Misuse, ...]:
    """Parse a format into conversions and plain text; it ends at a conversion that is misused."""
    items: list[str | Conversion | Misuse] = []
    numbered: bool | None = None
    at = 0
    while True:
        percent = format_.find("%", at)
        if percent < 0:
            items.append(format_[at:])
            return tuple(items)
        items.append(format_[at:percent])
        match = _CONVERSION.match(format_, percent)
        if match is None:
            items.append(format_[percent:])
            return tuple(items)
        at = match.end()
        width, precision = match["width"], match["precision"] or ""
        converts = match["letter"] in _CONVERTING and match["letter"] != ""
        if not converts and "*" not in width + precision:
            items.append("%" if match["letter"] == "%" else match[0])
            continue
        position = match["position"]
        stars = [part.strip("*.$") for part in (width, precision) if "*" in part]
        if any(index and not int(index[:10]) for index in (position, *stars)):
            items.append(Misuse("argument index with `$' must be > 0"))
            return tuple(items)
        unnumbered = "" in stars or (converts and not position)
        if unnumbered and (position or numbered):
            items.append(Misuse(("fatal: " if "" in stars else "") + _MIXED))  # gawk writes it twice
            return tuple(items)
        if position and numbered is False:
            items.append(Misuse(_MIXED))
            return tuple(items)
        numbered = bool(position) if position or unnumbered else numbered
        items.append(_conversion(match))


def _conversion(match: re.Match[str]) -> Conversion:
    letter, precision = match["letter"], match["precision"]
    text = "" if letter and letter in _CONVERTING else "%" if letter == "%" else match[0]
    return Conversion(
        position=_clamp(match["position"] or "0"),
        flags=(match["before"] + match["after"] + (match["last"] or "")).replace("'", ""),
        width=_size(match["width"]) if match["width"] else -1,
        precision=-1 if precision is None else _size(precision[1:]),
        letter=letter,
        at=match.start("letter"),
        width_at=match.start("width"),
        precision_at=match.start("precision") + 1,
        text=text,
    )


def _clamp(digits: str) -> int:
    return min(int(digits[:10] or "0"), _LARGEST)


def _size(text: str) -> int:
    """Return a width or precision as Conversion encodes it."""
    if text[:1] == "*":
        return -2 - _clamp(text[1:-1])
    return -1 if text[:1] == "-" else _clamp(text)


class _Arguments:
    """The arguments of one printf, read in order or by number."""

    def __init__(self, format_: str, values: Sequence[Value]) -> None:
        self._format = format_
        self._values = values
        self._next = 0

    def argument(self, number: int, at: int) -> Value:
        """Return argument ``number``, or the next one for 0. Raises Fatal when it is missing."""
        if number:
            if number > len(self._values):
                raise FormatError(f"argument index {number} greater than total number of supplied arguments")
            return self._values[number - 1]
        if self._next >= len(self._values):
            raise FormatError(
                "not enough arguments to satisfy format string"
                f"\n\t`{self._format}'\n\t{' ' * at}^ ran out for this one"
            )
        self._next += 1
        return self._values[self._next - 1]

    def size(self, code: int, at: int) -> int:
        """Return a width or precision, -1 for an absent one; a width may be negative."""
        if code >= -1:
            return code
        number = to_number(self.argument(-2 - code, at))
        return int(max(-_LARGEST, min(_LARGEST, number))) if number == number else 0


def format_text(
    format_: str, arguments: Sequence[Value], conversion: str, check_fits: Callable[[int], None] | None = None
) -> str:
    """Return what printf writes.

    Args:
        conversion: CONVFMT, for ``%s`` of a number that is not an integer.
        check_fits: Raises LimitExceeded for a size in characters that the run could never hold.

    Raises:
        FormatError: There are fewer arguments than conversions, or a conversion is misused.
    """
    out: list[str] = []
    size = 0
    values = _Arguments(format_, arguments)
    for item in parse_format(format_) if len(format_) <= 1_024 else parse_format.__wrapped__(format_):
        if isinstance(item, str):
            out.append(item)
            size += len(item)
            continue
        if isinstance(item, Misuse):
            raise FormatError(item.message)
        flags, width, precision = item.flags, item.width, item.precision
        if width != -1:
            width = values.size(width, item.width_at)
            if width < 0:
                flags += "-"
                width = -width
        else:
            width = 0
        if precision < -1:
            precision = max(values.size(precision, item.precision_at), -1)
        if item.text:
            out.append(item.text)
            size += len(item.text)
            continue
        value = values.argument(item.position, item.at)
        if check_fits is not None:
            check_fits(size + width + max(precision, 0))
        text = _convert(item.letter, flags, width, precision, value, conversion)
        size += len(text)
        if check_fits is not None:
            check_fits(size)
        out.append(text)
    return "".join(out)


def _convert(letter: str, flags: str, width: int, precision: int, value: Value, conversion: str) -> str:
    if letter == "s":
        text = (
            number_to_text(value, conversion) if type(value) is float else "" if value is None else str(value)
        )
        return _pad(text if precision < 0 else text[:precision], flags, width)
    if letter == "c":
        text, size = _character(value)
        return _pad(text, flags, width - size + 1)
    number = to_number(value)
    if number - number != 0.0:
        text = ("-" if math.copysign(1.0, number) < 0 else "+") + ("nan" if number != number else "inf")
        return text.upper() if letter.isupper() else text
    if letter in "aA":
        return _hexadecimal(number, letter, flags, width, precision)
    if letter in "diouxX":
        integer = int(number)
        if letter in "di":
            return _integer(integer, "d", flags, width, precision, integer == 0)
        if -(2**63) <= integer < 2**64:
            if integer < 0:
                integer += 2**64  # as C converts it
            return _integer(integer, letter, flags, width, precision, number == 0.0)
        letter = "g"
    spec = f"%{flags}{width or ''}{'' if precision < 0 else f'.{precision}'}{letter}"
    return spec % number


def _character(value: Value) -> tuple[str, int]:
    """Return the character that %c writes, and its width: bytes for a number, else 1."""
    if type(value) is Strnum:
        number = numeric_value(value)
        value = str(value) if number is None else number
    if not isinstance(value, float):
        return (value[:1] if isinstance(value, str) and value else "\0"), 1
    code = int(value) & 0xFFFFFFFF if value - value == 0.0 else 0
    if code < 0x80 or 0xD800 <= code < 0xE000:
        return (chr(code) if code < 0x80 else "\0"), 1
    if code < 0x110000:
        return chr(code), len(chr(code).encode())
    if code > 0x7FFFFFFF:
        return bytes([code & 0xFF]).decode("utf-8", "surrogateescape"), 1
    return _encode_beyond_unicode(code)


def _encode_beyond_unicode(code: int) -> tuple[str, int]:
    """Encode a number above Unicode in up to six bytes, as the original UTF-8 did."""
    count = 4 if code < 0x200000 else 5 if code < 0x4000000 else 6
    tail = [0x80 | code >> shift & 0x3F for shift in range(6 * (count - 2), -1, -6)]
    head = (0xFF00 >> count & 0xFF) | code >> 6 * (count - 1)
    return bytes([head, *tail]).decode("utf-8", "surrogateescape"), count


def _integer(value: int, letter: str, flags: str, width: int, precision: int, zero: bool) -> str:
    """Format a whole number; ``zero`` is true when it was zero before its fraction was dropped."""
    digits = format(abs(value), "d" if letter == "u" else letter)
    sign = ""
    if zero and precision == 0 and ("#" not in flags or letter == "d"):
        digits = ""
    elif letter == "d":
        sign = "-" if value < 0 else "+" if "+" in flags else " " if " " in flags else ""
    digits = digits.rjust(precision, "0")
    if "#" in flags and not zero:
        if letter == "o":
            digits = "0" + digits
        elif letter in "xX":
            sign = "0" + letter
    if "0" in flags and "-" not in flags and precision < 0:
        digits = digits.rjust(width - len(sign), "0")
    return _pad(sign + digits, flags, width)


def _hexadecimal(value: float, letter: str, flags: str, width: int, precision: int) -> str:
    """Format ``%a``; the fraction is rounded half to even at ``precision`` digits."""
    mantissa, _, exponent = abs(value).hex().removeprefix("0x").partition("p")
    head, _, tail = mantissa.partition(".")
    if 0 <= precision < len(tail):
        bits = int(head + tail, 16)
        drop = 4 * (len(tail) - precision)
        quotient, remainder = bits >> drop, bits & ((1 << drop) - 1)
        half = 1 << (drop - 1)
        quotient += remainder > half or (remainder == half and quotient & 1)
        text = f"{quotient:x}".rjust(precision + 1, "0")
        head, tail = text[: len(text) - precision], text[len(text) - precision :]
    else:
        tail = tail.rstrip("0") if precision < 0 else tail.ljust(precision, "0")
    body = f"{head}{'.' if tail or '#' in flags else ''}{tail}p{exponent}"
    sign = (
        "-" if math.copysign(1.0, value) < 0 else "+" if "+" in flags else " " if " " in flags else ""
    ) + "0x"
    if "0" in flags and "-" not in flags:
        body = body.rjust(width - len(sign), "0")
    text = _pad(sign + body, flags, width)
    return text.upper() if letter == "A" else text


def _pad(text: str, flags: str, width: int) -> str:
    if len(text) >= width:
        return text
    return text.ljust(width) if "-" in flags else text.rjust(width)


#: The texts of small integers, which most subscripts are.
INTEGERS = {float(number): str(number) for number in range(257)}


def number_to_text(value: float, conversion: str) -> str:
    """Convert a number to text: an integer in full, another number by ``conversion`` (CONVFMT or OFMT)."""
    text = INTEGERS.get(value)
    if text is not None:
        return text
    if value - value != 0.0:
        sign = "-" if math.copysign(1.0, value) < 0 else "+"
        return sign + ("nan" if value != value else "inf")
    integer = int(value)
    if integer == value:
        return str(integer)
    if conversion == "%.6g":
        return f"{value:.6g}"
    return format_text(conversion, [value], "%.6g", check_memory)


def order(left: Value, right: Value, conversion: str) -> int:
    """Compare two values as numbers or as strings: -1, 0 or 1; 2 for a comparison with NaN. Raises Fatal for an array."""
    a = left if type(left) is float else _comparable(left)
    b = right if type(right) is float else _comparable(right)
    if type(a) is float and type(b) is float:
        return (a > b) - (a < b) if a == a and b == b else 2
    first, second = _text(left, conversion), _text(right, conversion)
    return (first > second) - (first < second)


def _text(value: Value, conversion: str) -> str:
    """Convert a scalar to a string, by CONVFMT."""
    if isinstance(value, float):
        return number_to_text(value, conversion)
    return value if isinstance(value, str) else ""


def _comparable(value: Value) -> float | str:
    """Return a float for a value that may be compared as a number, else a string. Raises Fatal for an array."""
    if value is None:
        return 0.0
    if type(value) is float:
        return value
    if type(value) is Strnum:
        number = numeric_value(value)
        return value if number is None else number
    if type(value) is Key:
        return float(value) if _INTEGER.fullmatch(value) else str(value)
    if isinstance(value, Array):
        raise ScalarContext(value)
    return str(value)


def fold_case(value: Value) -> Value:
    """Return a value as IGNORECASE compares it; a string keeps its kind."""
    return type(value)(value.lower()) if isinstance(value, str) else value

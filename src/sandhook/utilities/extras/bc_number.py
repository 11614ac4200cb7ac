"""The numbers of bc and dc: decimal fractions of any length, truncated and never rounded.

A number is an integer and a scale: ``value / 10**scale``. The language defines the scale of a result by
the scales of the operands.

Source: POSIX.1-2024 XCU 3, bc. Oracle: GNU bc 1.07.1 and dc 1.4.1.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from sandhook.record import Record
from sandhook.text.longdouble import decimal_digits

MAX_DIGITS = 100_000  #: digits of one number; a Python operation on more could run too long
_BITS = 332_193  #: the same limit in bits
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CHUNK = 4_000  #: decimal digits that one call of int() parses; Python allows at most 4,300


class NumberError(Exception):
    """An operation has no result: division by zero, a number that is too long."""


class Number(Record):
    """``value / 10**scale``."""

    value: int
    scale: int = 0


ZERO = Number(0)
ONE = Number(1)


class Arithmetic:
    """The operations, which charge the budget for the digits of their operands."""

    def __init__(self, charge: Callable[[int], None]) -> None:
        self._charge = charge

    def _charge_digits(self, *numbers: int) -> None:
        steps = 1
        for number in numbers:
            steps *= 1 + (number.bit_length() >> 9)
        self._charge(steps)

    def add(self, a: Number, b: Number) -> Number:
        x, y, scale = self._align(a, b)
        return check_size(x + y, scale)

    def subtract(self, a: Number, b: Number) -> Number:
        x, y, scale = self._align(a, b)
        return check_size(x - y, scale)

    def _align(self, a: Number, b: Number) -> tuple[int, int, int]:
        scale = max(a.scale, b.scale)
        if a.scale == b.scale:
            return a.value, b.value, scale
        self._charge(1 + (scale >> 6))
        return a.value * 10 ** (scale - a.scale), b.value * 10 ** (scale - b.scale), scale

    def multiply(self, a: Number, b: Number, scale: int) -> Number:
        self._charge_digits(a.value, b.value)
        result_scale = min(a.scale + b.scale, max(scale, a.scale, b.scale))
        return rescale(check_size(a.value * b.value, a.scale + b.scale), result_scale)

    def divide(self, a: Number, b: Number, scale: int) -> Number:
        """Divide, truncated to ``scale`` digits. Raises NumberError for a divisor of 0."""
        if not b.value:
            raise NumberError("Divide by zero")
        power = scale + b.scale - a.scale
        self._charge_digits(a.value, b.value)
        self._charge(1 + (abs(power) >> 4))
        x, y = a.value, b.value
        if power >= 0:
            x *= 10**power
        else:
            y *= 10**-power
        return Number(_quotient(x, y), scale)

    def remainder(self, a: Number, b: Number, scale: int) -> Number:
        """Return a - (a / b) * b, with the quotient truncated to ``scale`` digits."""
        return self.quotient_and_remainder(a, b, scale)[1]

    def quotient_and_remainder(self, a: Number, b: Number, scale: int) -> tuple[Number, Number]:
        if not b.value:
            raise NumberError("Modulo by zero")
        quotient = self.divide(a, b, scale)
        result_scale = max(a.scale, b.scale + scale)
        product = rescale(Number(quotient.value * b.value, quotient.scale + b.scale), result_scale)
        return quotient, rescale(self.subtract(a, product), result_scale)

    def power(self, a: Number, exponent: int, scale: int) -> Number:
        """Raise to an integer power."""
        if not exponent:
            return ONE
        count = abs(exponent)
        digits = a.value.bit_length() * count
        if a.value not in (0, 1, -1) and (digits > _BITS or a.scale * count > MAX_DIGITS):
            raise NumberError("Number too large")
        if a.scale * count > MAX_DIGITS:
            raise NumberError("Number too large")
        self._charge(1 + (digits >> 6))
        result = Number(
            a.value**count if a.value not in (1, -1) else a.value ** (count & 1 or 2), a.scale * count
        )
        if exponent > 0:
            return rescale(result, min(result.scale, max(scale, a.scale)))
        return self.divide(ONE, result, scale)

    def root(self, a: Number, scale: int) -> Number:
        """Return the square root. Raises NumberError for a negative number."""
        if a.value < 0:
            raise NumberError("Square root of a negative number")
        if not a.value:
            return ZERO
        if a.value == 10**a.scale:
            return ONE
        result_scale = max(scale, a.scale)
        self._charge(1 + ((result_scale + a.value.bit_length()) >> 3))
        return Number(isqrt(a.value * 10 ** (2 * result_scale - a.scale)), result_scale)


def check_size(value: int, scale: int) -> Number:
    """Return a number. Raises NumberError for one that is too long."""
    if value.bit_length() > _BITS:
        raise NumberError("Number too large")
    return Number(value, scale)


def _quotient(x: int, y: int) -> int:
    """Divide towards zero."""
    quotient = abs(x) // abs(y)
    return -quotient if (x < 0) != (y < 0) else quotient


def rescale(number: Number, scale: int) -> Number:
    """Return a number truncated to ``scale`` digits after the point."""
    if number.scale <= scale:
        return number
    return Number(_quotient(number.value, 10 ** (number.scale - scale)), scale)


def integer_part(number: Number) -> int:
    """Return a number without its fraction."""
    return number.value if not number.scale else _quotient(number.value, 10**number.scale)


def length(number: Number) -> int:
    """Return how many significant digits a number has."""
    return max(len(decimal_digits(abs(number.value))) if number.value else 1, number.scale)


def compare(a: Number, b: Number) -> int:
    """Return -1, 0 or 1."""
    x, y = a.value, b.value
    if a.scale < b.scale:
        x *= 10 ** (b.scale - a.scale)
    elif b.scale < a.scale:
        y *= 10 ** (a.scale - b.scale)
    return (x > y) - (x < y)


# --------------------------------------------------------------------------- parsing


def parse_number(text: str, base: int) -> Number:
    """Parse a number of digits 0-9 and A-Z with a point; a digit beyond the base counts as the largest digit.

    A single digit before the point has its own value in every base.
    """
    integer_digits, _, fraction_digits = text.partition(".")
    if len(integer_digits) + len(fraction_digits) > MAX_DIGITS:
        raise NumberError("Number too large")
    single = len(integer_digits) == 1
    integer = _digits(integer_digits, base, single)
    if not fraction_digits:
        return Number(integer, 0)
    scale = len(fraction_digits)
    if base == 10:
        return Number(integer * 10**scale + _digits(fraction_digits, 10, False), scale)
    return Number(
        integer * 10**scale + _digits(fraction_digits, base, False) * 10**scale // base**scale, scale
    )


def _digits(text: str, base: int, single: bool) -> int:
    if single:
        return _DIGITS.index(text)
    if base == 10:
        text = "".join("9" if letter > "9" else letter for letter in text)
        value = 0
        for at in range(0, len(text), _CHUNK):
            piece = text[at : at + _CHUNK]
            value = value * 10 ** len(piece) + int(piece)
        return value
    value = 0
    for letter in text:
        value = value * base + min(_DIGITS.index(letter), base - 1)
    return value


# --------------------------------------------------------------------------- formatting


def format_number(number: Number, base: int, *, zero: bool = False) -> str:
    """Format a number in a base; above 16, each digit is a decimal number after a blank.

    Args:
        zero: Include the 0 before the point of a decimal fraction.
    """
    if not number.value:
        return "0"
    sign = "-" if number.value < 0 else ""
    integer, fraction = divmod(abs(number.value), 10**number.scale)
    if base == 10:
        head = decimal_digits(integer) if integer else "0" if zero or not number.scale else ""
        tail = "." + decimal_digits(fraction).rjust(number.scale, "0") if number.scale else ""
        return sign + head + tail
    head = _in_base(integer, base) if integer or not number.scale else ""
    return sign + head + (_fraction(fraction, number.scale, base) if number.scale else "")


def _in_base(value: int, base: int) -> str:
    digits = []
    while value:
        value, digit = divmod(value, base)
        digits.append(digit)
    digits.reverse()
    if base <= 16:
        return "".join(_DIGITS[digit] for digit in digits or [0])
    width = len(str(base - 1))
    return "".join(f" {digit:0{width}d}" for digit in digits or [0])


def _fraction(value: int, scale: int, base: int) -> str:
    """Format a fraction with as many digits as the base needs for 10**-scale."""
    unit = 10**scale
    pieces = []
    weight = 1
    width = len(str(base - 1))
    while weight < unit:
        value *= base
        digit, value = divmod(value, unit)
        pieces.append(_DIGITS[digit] if base <= 16 else f" {digit:0{width}d}")
        weight *= base
    return "." + "".join(pieces).removeprefix(" ") if base > 16 else "." + "".join(pieces)


def wrap(text: str, column: int, width: int) -> tuple[str, int]:
    """Break a number into lines that end with a backslash; return it, and the column after it."""
    if not width:
        return text, 0
    pieces = []
    room = width - 2
    at = 0
    while at < len(text):
        if column >= room:
            pieces.append("\\\n")
            column = 0
        piece = text[at : at + room - column]
        pieces.append(piece)
        column += len(piece)
        at += len(piece)
    return "".join(pieces), column

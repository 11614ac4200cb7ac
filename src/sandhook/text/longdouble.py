"""The ``long double`` of C on x86-64, parsed and printed exactly.

bash's printf and GNU seq compute with a mantissa of 64 bits. Python's floats have 53, and the
difference is visible: ``printf %.20f 0.1``. A number here is a mantissa below 2**64 and a power of two.

Source: ISO C, strtold and fprintf. Oracle: bash 5.2, GNU seq 9.1 (glibc, x86-64).
"""

from __future__ import annotations

import re

from sandhook.record import Record

_BITS = 64
_MIN_EXPONENT = -16_445  #: the exponent of the last bit of the smallest number
_MAX_EXPONENT = 16_384  #: first power of two that is too large
_LONG = (_BITS, _MIN_EXPONENT, _MAX_EXPONENT)
_DOUBLE = (53, -1_074, 1_024)  #: the sizes of ``double``
_MAX_DIGITS = 1_200  #: significant digits that are used; the others only affect rounding
_MAX_POWER_OF_TEN = 6_000  #: the power of ten above which a number is infinite; below its negative it is 0
_CHUNK = 4_000  #: decimal digits converted at a time; Python converts at most 4,300

_DECIMAL = re.compile(r"(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?", re.ASCII)
_HEXADECIMAL = re.compile(r"0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?\d+))?", re.ASCII)
_SPECIAL = re.compile(r"(inf(?:inity)?|nan(?:\([0-9a-zA-Z_]*\))?)", re.ASCII | re.IGNORECASE)


class LongDouble(Record):
    """``mantissa * 2**exponent``, or "inf" or "nan" in ``special``."""

    negative: bool
    mantissa: int
    exponent: int
    special: str = ""


def parse(text: str) -> tuple[LongDouble, int, bool]:
    """Parse a number as strtold does.

    Returns:
        The number (0 without one), the offset of the first character that does not
        belong to it, and whether it was out of range.
    """
    start = len(text) - len(text.lstrip(" \t\n\v\f\r"))
    negative = text[start : start + 1] == "-"
    offset = start + (text[start : start + 1] in ("-", "+") and start < len(text))
    special = _SPECIAL.match(text, offset)
    if special:
        return LongDouble(negative, 0, 0, special[0][:3].lower()), special.end(), False
    match = _HEXADECIMAL.match(text, offset)
    if match and (match[1] or match[2]):
        digits = match[1] + (match[2] or "")
        scale = _exponent(match[3]) - 4 * len(match[2] or "")
        scale += 4 * max(0, len(digits) - _MAX_DIGITS)
        numerator, denominator = int(digits[:_MAX_DIGITS], 16), 1
        if numerator and abs(scale) > 1 << 17:
            scale = (1 << 17) if scale > 0 else -(1 << 17)
        if scale > 0:
            numerator <<= scale
        else:
            denominator <<= -scale
    else:
        match = _DECIMAL.match(text, offset)
        if not match or not (match[1] or match[2]):
            return LongDouble(False, 0, 0), 0, False
        numerator, denominator = _decimal(match[1], match[2] or "", _exponent(match[3]))
    value, range_error = nearest(numerator, denominator)
    return value._replace(negative=negative), match.end(), range_error


def _exponent(text: str | None) -> int:
    if not text:
        return 0
    digits = text.lstrip("+-").lstrip("0")
    size = int(digits) if digits and len(digits) < 9 else 10**9 if digits else 0
    return -size if text[0] == "-" else size


def _decimal(whole: str, fraction: str, exponent: int) -> tuple[int, int]:
    digits = (whole + fraction).lstrip("0")
    exponent -= len(fraction)
    if not digits:
        return 0, 1
    if len(digits) > _MAX_DIGITS:
        exponent += len(digits) - _MAX_DIGITS - 1
        digits = digits[:_MAX_DIGITS] + ("1" if digits[_MAX_DIGITS:].strip("0") else "0")
    size = len(digits) + exponent
    if size > _MAX_POWER_OF_TEN:
        return 1 << (_MAX_EXPONENT + 1), 1
    if size < -_MAX_POWER_OF_TEN:
        return 1, 1 << (_BITS - _MIN_EXPONENT)
    number = int(digits)
    return (number * 10**exponent, 1) if exponent >= 0 else (number, 10**-exponent)


def nearest(numerator: int, denominator: int, sizes: tuple[int, int, int] = _LONG) -> tuple[LongDouble, bool]:
    """Return the long double nearest to a fraction (0 or more), ties to even, and whether it is out of range."""
    if not numerator:
        return LongDouble(False, 0, 0), False
    bits, smallest, too_large = sizes
    exponent = numerator.bit_length() - denominator.bit_length() - bits
    while True:
        exponent = max(exponent, smallest)
        if exponent >= 0:
            quotient, rest = divmod(numerator, denominator << exponent)
            divisor = denominator << exponent
        else:
            quotient, rest = divmod(numerator << -exponent, denominator)
            divisor = denominator
        if quotient >> bits:
            exponent += 1
        elif not quotient >> (bits - 1) and exponent > smallest:
            exponent -= 1
        else:
            break
    inexact = rest != 0
    if 2 * rest > divisor or (2 * rest == divisor and quotient & 1):
        quotient += 1
        if quotient >> bits:
            quotient >>= 1
            exponent += 1
    if exponent + bits > too_large:
        return LongDouble(False, 0, 0, "inf"), True
    return LongDouble(False, quotient, exponent), inexact and not quotient >> (bits - 1)


def as_double(value: LongDouble) -> tuple[LongDouble, bool]:
    """Return the nearest ``double``, which bash's printf uses in posix mode, and whether it is out of range."""
    if value.special or not value.mantissa:
        return value, False
    scale = value.exponent
    top, bottom = value.mantissa << max(scale, 0), 1 << max(-scale, 0)
    rounded, range_error = nearest(top, bottom, _DOUBLE)
    return rounded._replace(negative=value.negative), range_error


def from_int(value: int) -> LongDouble:
    """Return an integer as a long double."""
    return nearest(abs(value), 1)[0]._replace(negative=value < 0)


def decimal_digits(number: int) -> str:
    """Return ``str(number)`` for an integer of any size, 0 or more."""
    if number.bit_length() < 3 * _CHUNK:
        return str(number)
    pieces = []
    unit = 10**_CHUNK
    while number >= unit:
        number, low = divmod(number, unit)
        pieces.append(str(low).zfill(_CHUNK))
    pieces.append(str(number))
    return "".join(reversed(pieces))


def _scale(value: LongDouble, power: int) -> int:
    """Return ``value * 10**power`` as an integer, ties to even."""
    numerator, denominator = value.mantissa, 1
    if power >= 0:
        numerator *= 10**power
    else:
        denominator = 10**-power
    if value.exponent >= 0:
        numerator <<= value.exponent
    else:
        denominator <<= -value.exponent
    quotient, rest = divmod(numerator, denominator)
    return quotient + (2 * rest > denominator or (2 * rest == denominator and quotient & 1 == 1))


def _format_fixed(value: LongDouble, precision: int, alternate: bool) -> str:
    exact = min(precision, max(0, -value.exponent))  # the fraction has no more digits
    digits = decimal_digits(_scale(value, exact)).zfill(exact + 1)
    fraction = (digits[len(digits) - exact :] if exact else "") + "0" * (precision - exact)
    whole = digits[: len(digits) - exact]
    return f"{whole}.{fraction}" if fraction or alternate else whole


def _decimal_exponent(value: LongDouble, precision: int) -> tuple[str, int]:
    """Return precision + 1 significant digits and the exponent of the first."""
    if not value.mantissa:
        return "0" * (precision + 1), 0
    exact = min(precision, 17_000)
    exponent = int((value.mantissa.bit_length() + value.exponent - 1) * 0.30102999566398120) - 1
    while True:
        digits = decimal_digits(_scale(value, exact - exponent))
        if len(digits) == exact + 1:
            return digits + "0" * (precision - exact), exponent
        exponent += len(digits) - exact - 1


def _scientific(value: LongDouble, precision: int, alternate: bool) -> str:
    digits, exponent = _decimal_exponent(value, precision)
    point = "." if precision or alternate else ""
    return f"{digits[0]}{point}{digits[1:]}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _general(value: LongDouble, precision: int, alternate: bool) -> str:
    precision = precision or 1
    digits, exponent = _decimal_exponent(value, precision - 1)
    if precision > exponent >= -4:
        text = _format_fixed(value, precision - 1 - exponent, alternate)
        return text if alternate or "." not in text else text.rstrip("0").rstrip(".")
    fraction = digits[1:] if alternate else digits[1:].rstrip("0")
    point = "." if fraction or alternate else ""
    return f"{digits[0]}{point}{fraction}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _hexadecimal(value: LongDouble, precision: int, alternate: bool) -> str:
    """Format in x86's form: the leading digit is the top four bits of the mantissa."""
    mantissa, exponent = value.mantissa, value.exponent
    if mantissa:
        shift = _BITS - mantissa.bit_length()
        mantissa <<= shift
        exponent += 60 - shift
    else:
        exponent = 0
    return _hexadecimal_text(mantissa, exponent, 15, precision, alternate)


def _hexadecimal_double(value: LongDouble, precision: int, alternate: bool) -> str:
    """Format a ``double``: the leading digit is 1, or 0 for the smallest numbers."""
    mantissa, exponent = value.mantissa, value.exponent
    bits, smallest, _ = _DOUBLE
    shift = min(bits - mantissa.bit_length(), exponent - smallest)
    mantissa <<= shift
    exponent = exponent - shift + bits - 1 if mantissa else 0
    return _hexadecimal_text(mantissa, exponent, 13, precision, alternate)


def _hexadecimal_text(mantissa: int, exponent: int, places: int, precision: int, alternate: bool) -> str:
    """Round a mantissa of one digit and ``places`` after the point, to even; a precision below 0 means all that are not 0."""
    if 0 <= precision < places:
        drop = 4 * (places - precision)
        rounded, rest = mantissa >> drop, mantissa & ((1 << drop) - 1)
        half = 1 << (drop - 1)
        rounded += rest > half or (rest == half and rounded & 1 == 1)
        if rounded >> (4 * precision + 4):
            rounded >>= 4
            exponent += 4
        digits = f"{rounded:0{precision + 1}x}"
    else:
        digits = f"{mantissa:0{places + 1}x}"
        digits = digits[0] + (digits[1:].rstrip("0") if precision < 0 else digits[1:].ljust(precision, "0"))
    point = "." if len(digits) > 1 or alternate else ""
    return f"0x{digits[0]}{point}{digits[1:]}p{exponent:+d}"


_STYLES = {"f": _format_fixed, "e": _scientific, "g": _general, "a": _hexadecimal}


def render(
    value: LongDouble, letter: str, flags: str, width: int, precision: int | None, *, double: bool = False
) -> str:
    """Format as C's printf does for one of the letters aAeEfFgG.

    Args:
        flags: Any of "-+ #0".
        width: The minimum length of the result in characters.
        precision: None means 6, or as many as needed for a and A.
        double: The value is one of ``as_double``.
    """
    kind = letter.lower()
    if value.special:
        text = value.special
    else:
        if precision is None:
            precision = -1 if kind == "a" else 6
        style = _hexadecimal_double if double and kind == "a" else _STYLES[kind]
        text = style(value, precision, "#" in flags)
    sign = "-" if value.negative else "+" if "+" in flags else " " if " " in flags else ""
    if letter.isupper():
        text = text.upper()
    padding = width - len(sign) - len(text)
    if padding <= 0:
        return sign + text
    if "-" in flags:
        return sign + text + " " * padding
    if "0" in flags and not value.special:
        if kind == "a":
            return sign + text[:2] + "0" * padding + text[2:]
        return sign + "0" * padding + text
    return " " * padding + sign + text

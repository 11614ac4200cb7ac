"""The math library of bc -l: e, l, s, c, a and j, truncated to ``scale`` digits.

All computations use integers that represent multiples of 10**-digits, with extra digits for rounding errors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isqrt

from sandhook.utilities.extras.bc_number import MAX_DIGITS, Number, NumberError, integer_part

Charge = Callable[[int], None]
_GUARD_DIGITS = 12
_MAX_ORDER = 10_000
_MAX_SCALE = 4_000


def call(name: str, arguments: list[Number], scale: int, charge: Charge) -> Number:
    """Call one of the functions. Raises NumberError for an argument that is too large."""
    if scale > _MAX_SCALE:
        raise NumberError("Scale too large for the math library")
    if name == "j":
        return _bessel(arguments[0], arguments[1], scale, charge)
    x = arguments[0]
    return {"e": _exponential, "l": _logarithm, "s": _sine, "c": _cosine, "a": _arctangent}[name](
        x, scale, charge
    )


def _scale(x: Number, digits: int) -> int:
    power = digits - x.scale
    return x.value * int(10**power) if power >= 0 else _truncated_quotient(x.value, int(10**-power))


def _truncated_quotient(x: int, y: int) -> int:
    return -(-x // y) if x < 0 else x // y


def _result(value: int, digits: int, scale: int) -> Number:
    return Number(_truncated_quotient(value, 10 ** (digits - scale)), scale)


def _exponential(x: Number, scale: int, charge: Charge) -> Number:
    size = abs(integer_part(x))
    if size > 200_000:
        if x.value < 0:
            return Number(0, scale)
        raise NumberError("Number too large")
    integer_digits = int(size * 0.4343) + 2 if x.value > 0 else 2
    if integer_digits + scale > MAX_DIGITS // 4:
        raise NumberError("Number too large")
    digits = scale + integer_digits + _GUARD_DIGITS
    return _result(_exp(_scale(x, digits), digits, charge), digits, scale)


def _exp(x: int, digits: int, charge: Charge) -> int:
    """Return e**x by halving x, summing the series, and squaring."""
    unit = int(10**digits)
    if x < 0:
        return unit * unit // _exp(-x, digits, charge)
    halvings = max(0, x.bit_length() - unit.bit_length() + 8)
    guard_digits = halvings // 3 + 4
    scaled = unit * int(10**guard_digits)
    y = (x * 10**guard_digits) >> halvings
    total = term = scaled
    count = 1
    while term:
        charge(1 + (digits >> 5))
        term = term * y // (scaled * count)
        total += term
        count += 1
    for _ in range(halvings):
        charge(1 + (digits >> 4))
        total = total * total // scaled
    return int(total // 10**guard_digits)


def _logarithm(x: Number, scale: int, charge: Charge) -> Number:
    if x.value <= 0:
        return Number((1 - 10**scale) * 10**scale, scale)
    digits = scale + _GUARD_DIGITS + max(0, len(str(abs(integer_part(x)).bit_length())))
    return _result(_log(x, digits, charge), digits, scale)


def _log(x: Number, digits: int, charge: Charge) -> int:
    """Return ln x: divide out powers of two, take roots, then sum the series of artanh."""
    numerator, denominator = x.value, 10**x.scale
    shift = numerator.bit_length() - denominator.bit_length()
    unit = 10 ** (digits + 8)
    y = (
        numerator * unit // (denominator << shift)
        if shift >= 0
        else (numerator << -shift) * unit // denominator
    )
    total = _artanh_log(y, unit, charge)
    if shift:
        total += shift * _artanh_log(2 * unit, unit, charge)
    return _truncated_quotient(total, 10**8)


def _artanh_log(y: int, unit: int, charge: Charge) -> int:
    roots = 0
    while abs(y - unit) * 8 > unit:
        y = isqrt(y * unit)
        roots += 1
    z = (y - unit) * unit // (y + unit)
    square = z * z // unit
    total, power, odd = 0, z, 1
    while power:
        charge(1 + (unit.bit_length() >> 7))
        total += _truncated_quotient(power, odd)
        power = _truncated_quotient(power * square, unit)
        odd += 2
    return total << (roots + 1)


@lru_cache(maxsize=8)
def _pi(digits: int) -> int:
    """Return pi * 10**digits, by Machin's formula."""
    unit = int(10 ** (digits + 10))

    def arctangent(inverse: int) -> int:
        power = unit // inverse
        total, odd, sign = power, 3, -1
        square = inverse * inverse
        while power:
            power //= square
            total += sign * (power // odd)
            odd += 2
            sign = -sign
        return total

    return int(4 * (4 * arctangent(5) - arctangent(239)) // 10**10)


def _reduce(x: Number, scale: int) -> tuple[int, int, int]:
    """Return x modulo pi/2, the number of quarter turns modulo 4, and the digits of the result."""
    size = len(str(abs(integer_part(x)).bit_length())) + abs(integer_part(x)).bit_length() // 3 + 1
    if size > _MAX_SCALE:
        raise NumberError("Number too large")
    digits = scale + _GUARD_DIGITS
    wide = digits + size
    quarter = _pi(wide) // 2
    turns, rest = divmod(_scale(x, wide), quarter)
    return rest // 10**size, turns & 3, digits


def _sine(x: Number, scale: int, charge: Charge) -> Number:
    rest, turns, digits = _reduce(x, scale)
    return _result(_sine_series(rest, turns, digits, charge), digits, scale)


def _cosine(x: Number, scale: int, charge: Charge) -> Number:
    rest, turns, digits = _reduce(x, scale)
    return _result(_sine_series(rest, (turns + 1) & 3, digits, charge), digits, scale)


def _sine_series(x: int, turns: int, digits: int, charge: Charge) -> int:
    """Return sin(x + turns * pi/2)."""
    unit = int(10**digits)
    square = x * x // unit
    term, first = (unit, 1) if turns & 1 else (x, 2)
    total, count = term, first
    while term:
        charge(1 + (digits >> 5))
        term = -_truncated_quotient(term * square, unit * count * (count + 1))
        total += term
        count += 2
    return -total if turns & 2 else total


def _arctangent(x: Number, scale: int, charge: Charge) -> Number:
    digits = scale + _GUARD_DIGITS
    unit = 10**digits
    y = abs(_scale(x, digits))
    inverted = y > unit
    if inverted:
        y = unit * unit // y
    halvings = 0
    while y * 8 > unit:
        charge(1 + (digits >> 5))
        y = y * unit // (unit + isqrt(unit * unit + y * y))
        halvings += 1
    square = y * y // unit
    total, power, odd, sign = 0, y, 1, 1
    while power:
        charge(1 + (digits >> 6))
        total += sign * (power // odd)
        power = power * square // unit
        odd += 2
        sign = -sign
    total <<= halvings
    if inverted:
        total = _pi(digits) // 2 - total
    return _result(-total if x.value < 0 else total, digits, scale)


def _bessel(n: Number, x: Number, scale: int, charge: Charge) -> Number:
    """Return the Bessel function of integer order n."""
    order = integer_part(n)
    sign = -1 if order < 0 and order & 1 else 1
    order = abs(order)
    if order > _MAX_ORDER or abs(integer_part(x)) > _MAX_ORDER:
        raise NumberError("Number too large")
    digits = scale + _GUARD_DIGITS + abs(integer_part(x))
    unit = 10**digits
    half = _scale(x, digits) // 2
    term = unit
    for count in range(1, order + 1):
        charge(1 + (digits >> 5))
        term = _truncated_quotient(term * half, unit * count)
    square = half * half // unit
    total, count = term, 1
    while term:
        charge(1 + (digits >> 5))
        term = -_truncated_quotient(term * square, unit * count * (count + order))
        total += term
        count += 1
    return _result(sign * total, digits, scale)

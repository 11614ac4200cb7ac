"""awk's arithmetic operators over floats.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk". Oracle: gawk 5.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from sandhook.utilities.languages.awk.nodes import ArithmeticOperator
from sandhook.utilities.languages.awk.values import Fatal

Operation = Callable[[float, float], float]


def power(left: float, right: float) -> float:
    """Return the power as gawk does: infinity or NaN instead of an exception.

    gawk multiplies for a whole exponent of 64 bits. This rounds otherwise than C's pow, which it calls for the others.
    """
    if -(2.0**63) < right < 2.0**63 and right.is_integer():
        product = _product(left, abs(int(right)))
        if right >= 0:
            return product
        return 1.0 / product if product else math.copysign(math.inf, product)
    try:
        return math.pow(left, right)
    except OverflowError:
        return -math.inf if left < 0 and right % 2 == 1 else math.inf
    except ValueError:
        if left != 0:
            return -math.nan
        return -math.inf if math.copysign(1.0, left) < 0 and right % 2 == 1 else math.inf


def _product(base: float, count: int) -> float:
    """Return ``base`` multiplied ``count`` times, by squares, from the lowest bit of ``count``."""
    product = 1.0
    while True:
        if count & 1:
            product *= base
        count >>= 1
        if not count:
            return product
        base *= base


def _division(where: str) -> Operation:
    """Return division; ``where`` names the operator in the message for a division by zero."""

    def divide(left: float, right: float) -> float:
        if right == 0.0:
            raise Fatal("division by zero attempted" + where)
        return left / right

    return divide


def _remainder(where: str) -> Operation:
    """Return the remainder of a division; ``where`` is as for ``_division``."""

    def remainder(left: float, right: float) -> float:
        if right == 0.0:
            raise Fatal("division by zero attempted" + where)
        try:
            return math.fmod(left, right)
        except ValueError:
            return -math.nan

    return remainder


def to_count(value: float) -> float:
    """Convert to a whole number of 64 bits, as NR and FNR are: the lowest one for a number that does not fit."""
    return float(int(value)) if -(2.0**63) <= value < 2.0**63 else -(2.0**63)


def add(left: float, right: float) -> float:
    """Return the sum. The compiler recognizes this function, and adds without calling it."""
    return left + right


OPERATIONS: dict[ArithmeticOperator, Operation] = {
    "+": add,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _division(""),
    "%": _remainder(" in `%'"),
    "^": power,
}
#: The operations of assignments, whose messages differ.
ASSIGNMENTS = OPERATIONS | {"/": _division(" in `/='"), "%": _remainder(" in `%='")}

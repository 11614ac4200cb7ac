"""The operators of arithmetic on wrapped 64-bit integers, as closures of their operands' closures.

Source: POSIX.1-2024 XCU 2.6.4, bash 5.2 manual 6.5.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sandhook.state.state import State

Integer: TypeAlias = Callable[[State], int]

COMPARE: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
}  # fmt: skip
#: Steps of a row of operators that are charged together.
_CHARGED_TOGETHER = 64

#: The operators that ``binary_constant`` accepts.
WITH_CONSTANT = frozenset((*COMPARE, "+", "-"))

MAX = 2**63 - 1
MIN = -(2**63)
BITS = 2**64 - 1


def wrap(value: int) -> int:
    """Return ``value`` as a signed 64-bit integer."""
    value &= BITS
    return value - 2**64 if value > MAX else value


class OperandError(Exception):
    """An operand that an operator does not accept; who knows the text of the expression converts it to a ShellError."""


class DivisionByZero(OperandError):
    """The right side of a division is 0."""


class NegativeExponent(OperandError):
    """The right side of ``**`` is below 0."""


def unary(operator: str, operand: Integer) -> Integer:
    if operator == "-":
        return lambda state: wrap(-operand(state))
    if operator == "!":
        return lambda state: 0 if operand(state) else 1
    if operator == "~":
        return lambda state: ~operand(state)
    return operand


def chain(first: Integer, steps: Sequence[tuple[str, Integer]]) -> Integer:
    """Compile operators of one precedence, the left operand of each is the value so far."""
    # Closures of two values instead of two operands: a long row must not become a deep tree.
    left: Callable[[Any], int] = operator.itemgetter(0)
    right_one: Callable[[Any], int] = operator.itemgetter(1)
    of_pair: dict[str, Callable[[Any], int]] = {name: binary(name, left, right_one) for name, _ in steps}
    compiled = [(of_pair[name], right) for name, right in steps]

    def run(state: State) -> int:
        value = first(state)
        charge = state.budget.charge
        for at in range(0, len(compiled), _CHARGED_TOGETHER):
            charge(_CHARGED_TOGETHER >> 3)
            for operate, right in compiled[at : at + _CHARGED_TOGETHER]:
                value = operate((value, right(state)))
        return value

    return run


def _add(left: Integer, right: Integer) -> Integer:
    def add(state: State) -> int:
        value = left(state) + right(state)
        return value if MIN <= value <= MAX else wrap(value)

    return add


def _subtract(left: Integer, right: Integer) -> Integer:
    def subtract(state: State) -> int:
        value = left(state) - right(state)
        return value if MIN <= value <= MAX else wrap(value)

    return subtract


def _multiply(left: Integer, right: Integer) -> Integer:
    def multiply(state: State) -> int:
        value = left(state) * right(state)
        return value if MIN <= value <= MAX else wrap(value)

    return multiply


def _quotient(left: Integer, right: Integer) -> Integer:
    def quotient(state: State) -> int:
        a, b = left(state), right(state)
        return a // b if a >= 0 and b > 0 else divide(a, b)[0]

    return quotient


def _remainder(left: Integer, right: Integer) -> Integer:
    def remainder(state: State) -> int:
        a, b = left(state), right(state)
        return a % b if a >= 0 and b > 0 else divide(a, b)[1]

    return remainder


#: Each operator is written out: to call a function of the operator would cost a third of an expression.
_BINARY: dict[str, Callable[[Integer, Integer], Integer]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _quotient,
    "%": _remainder,
    "**": lambda left, right: lambda state: power(left(state), right(state)),
    "<<": lambda left, right: lambda state: wrap(left(state) << (right(state) & 63)),
    ">>": lambda left, right: lambda state: left(state) >> (right(state) & 63),
    "<": lambda left, right: lambda state: 1 if left(state) < right(state) else 0,
    "<=": lambda left, right: lambda state: 1 if left(state) <= right(state) else 0,
    ">": lambda left, right: lambda state: 1 if left(state) > right(state) else 0,
    ">=": lambda left, right: lambda state: 1 if left(state) >= right(state) else 0,
    "==": lambda left, right: lambda state: 1 if left(state) == right(state) else 0,
    "!=": lambda left, right: lambda state: 1 if left(state) != right(state) else 0,
    "&": lambda left, right: lambda state: left(state) & right(state),
    "^": lambda left, right: lambda state: left(state) ^ right(state),
    "|": lambda left, right: lambda state: left(state) | right(state),
}


def binary(operator: str, left: Integer, right: Integer) -> Integer:
    """Compile an operator with two operands, which are both evaluated."""
    return _BINARY[operator](left, right)


def binary_constant(operator: str, left: Integer, constant: int) -> Integer:
    """Compile ``+``, ``-`` or a comparison with a number on the right, as in every counting loop."""
    if operator in "+-":
        amount = constant if operator == "+" else -constant

        def add(state: State) -> int:
            value = left(state) + amount
            return value if MIN <= value <= MAX else wrap(value)

        return add
    decide = COMPARE[operator]
    return lambda state: 1 if decide(left(state), constant) else 0


def divide(left: int, right: int) -> tuple[int, int]:
    """Return quotient and remainder, truncated towards zero as C does."""
    if right == 0:
        raise DivisionByZero("division by 0")
    quotient = abs(left) // abs(right)
    if (left < 0) != (right < 0):
        quotient = -quotient
    return wrap(quotient), left - quotient * right


def power(base: int, exponent: int) -> int:
    """Return base ** exponent, wrapped; the work does not grow with the result."""
    if exponent < 0:
        raise NegativeExponent("exponent less than 0")
    return wrap(pow(base & BITS, exponent, 2**64))


def logical(operator: str, left: Integer, right: Integer) -> Integer:
    if operator == "&&":
        return lambda state: 1 if left(state) and right(state) else 0
    return lambda state: 1 if left(state) or right(state) else 0


def conditional(test: Integer, then: Integer, otherwise: Integer) -> Integer:
    return lambda state: then(state) if test(state) else otherwise(state)


def comma(left: Integer, right: Integer) -> Integer:
    def both(state: State) -> int:
        left(state)
        return right(state)

    return both


COMPOUND: dict[str, Callable[[int, int], int]] = {
    "*": operator.mul,
    "/": lambda a, b: divide(a, b)[0],
    "%": lambda a, b: divide(a, b)[1],
    "+": operator.add,
    "-": operator.sub,
    "<<": lambda a, b: a << (b & 63),
    ">>": lambda a, b: a >> (b & 63),
    "&": operator.and_,
    "^": operator.xor,
    "|": operator.or_,
}

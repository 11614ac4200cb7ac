"""A compiled program, and the arithmetic that its closures share.

Source: POSIX.1-2024 XCU 3, awk, "expressions in awk".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from sandhook.utilities.languages.awk.expressions import Function
from sandhook.utilities.languages.awk.values import Fatal

#: A closure over the Runtime, which stands to the right of this module.
Run = Callable[[Any], Any]


class Program:
    """What a program's text means: immutable once made, and shared by runs.

    Attributes:
        names: Slot of every global variable. arrays: Slots of those that are arrays.
        ranges: How many range patterns there are. counts, terminators: NR or FNR, and RT, are used.
        environment: ENVIRON is used, so that commands get what it says. symbols: SYMTAB or FUNCTAB is.
        information: PROCINFO is.
        total: The only rule adds a field to a variable: slot of the variable, and the field less one.
    """

    def __init__(self, functions: dict[str, Function], names: dict[str, int], arrays: set[int]) -> None:
        self.functions = functions
        self.names = names
        self.slots = len(names)
        self.arrays = arrays
        self.ranges = 0
        self.begin: list[Run] = []
        self.end: list[Run] = []
        self.begin_file: list[Run] = []
        self.end_file: list[Run] = []
        self.rules: list[Run] = []
        self.counts = True
        self.terminators = True
        self.environment = False
        self.symbols = False
        self.information = False
        self.total: tuple[int, int] | None = None
        self.bodies: dict[str, Run] = {}


def power(left: float, right: float) -> float:
    """Raise as C's pow does."""
    try:
        return math.pow(left, right)
    except OverflowError:
        return -math.inf if left < 0 and right % 2 == 1 else math.inf
    except ValueError:
        if left != 0:
            return -math.nan
        return -math.inf if math.copysign(1.0, left) < 0 and right % 2 == 1 else math.inf


def _dividing(where: str) -> Callable[[float, float], float]:
    """Return division; ``where`` names the operator when it is asked to divide by zero."""

    def divide(left: float, right: float) -> float:
        if right == 0.0:
            raise Fatal("division by zero attempted" + where)
        return left / right

    return divide


def _remainder(where: str) -> Callable[[float, float], float]:
    def remainder(left: float, right: float) -> float:
        if right == 0.0:
            raise Fatal("division by zero attempted" + where)
        try:
            return math.fmod(left, right)
        except ValueError:
            return -math.nan

    return remainder


BINARY: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _dividing(""),
    "%": _remainder(" in `%'"),
    "^": power,
}
#: Those that an assignment says in another way when they fail.
ASSIGNING = {"/": _dividing(" in `/='"), "%": _remainder(" in `%='")}

"""Arithmetic on plain variables whose texts are known numbers: counters and sums, without a call for each operand.

Everything else is for the general closure, which each of these has: an unset variable, a text that is not known to be
a number, a variable with attributes.

Storing a number stands in three closures, since a function that they shared would cost what they save.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sandhook.expand import operators
from sandhook.expand.numbers import NUMBERS, NUMBERS_KEPT
from sandhook.expand.operators import MAX, MIN, Integer, wrap
from sandhook.state.state import State
from sandhook.state.values import COMPUTED, AssociativeArray

#: The operators that ``of_two_variables`` accepts.
OF_TWO: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def with_constant(operation: str, name: str, constant: int, general: Integer) -> Integer:
    """Compile ``i < 10`` and ``i + 1``."""
    if operation in "+-":
        amount = constant if operation == "+" else -constant

        def add(state: State) -> int:
            try:
                value = NUMBERS[state.values[name]] + amount
            except KeyError:
                return general(state)
            return value if MIN <= value <= MAX else wrap(value)

        return add
    decide = operators.COMPARE[operation]

    def compare(state: State) -> int:
        try:
            return 1 if decide(NUMBERS[state.values[name]], constant) else 0
        except KeyError:
            return general(state)

    return compare


def of_two_variables(operation: str, left: str, right: str, general: Integer) -> Integer:
    """Compile ``r + n``."""
    combine = OF_TWO[operation]

    def calculate(state: State) -> int:
        values = state.values
        try:
            value = combine(NUMBERS[values[left]], NUMBERS[values[right]])
        except KeyError:
            return general(state)
        return value if MIN <= value <= MAX else wrap(value)

    return calculate


def step(amount: int, name: str, *, prefix: bool, general: Integer) -> Integer:
    """Compile ``i++``: ``amount`` is 1 or -1."""
    last = MAX if amount > 0 else MIN

    def count(state: State) -> int:
        values = state.values
        try:
            old = NUMBERS[values[name]]
        except KeyError:
            return general(state)
        if (
            name in state.attributes
            or name in state.namerefs
            or name in state.dynamics
            or state.options.allexport
        ):
            return general(state)
        new = old + amount if old != last else wrap(old + amount)
        values[name] = text = str(new)
        if len(NUMBERS) > NUMBERS_KEPT:
            NUMBERS.clear()
        NUMBERS[text] = new
        return new if prefix else old

    return count


def advance(
    name: str, amount: int, decide: Callable[[int, int], bool], last: int
) -> Callable[[State], bool | None]:
    """Compile ``i++`` and then ``i < last``; the closure returns None, without an effect, for what is not plain."""
    end = MAX if amount > 0 else MIN

    def run(state: State) -> bool | None:
        values = state.values
        try:
            old = NUMBERS[values[name]]
        except KeyError:
            return None
        if (
            old == end
            or name in state.attributes
            or name in state.namerefs
            or name in state.dynamics
            or state.options.allexport
        ):
            return None
        new = old + amount
        values[name] = text = str(new)
        if len(NUMBERS) > NUMBERS_KEPT:
            NUMBERS.clear()
        NUMBERS[text] = new
        return decide(new, last)

    return run


def step_of_element(amount: int, name: str, key: str, *, prefix: bool, general: Integer) -> Integer:
    """Compile ``map[key]++``: an element that is there takes no more memory."""

    def count(state: State) -> int:
        old = add_to_element(state, name, key, amount)
        if old is None:
            return general(state)
        return wrap(old + amount) if prefix else old

    return count


def add_to_element(state: State, name: str, key: str, amount: int) -> int | None:
    """Add to an element of a map, and return what it was; None, without an effect, if it is no known number."""
    array: Any = state.values.get(name)
    if array.__class__ is not AssociativeArray or state.options.allexport:
        return None
    old = NUMBERS.get(array.items.get(key, ""))
    if old is None or state.attributes.get(name, 0) & COMPUTED:
        return None
    new = old + amount
    if not MIN <= new <= MAX:
        new = wrap(new)
    if array.shared is not None:
        array.own()
    array.items[key] = text = str(new)
    if len(NUMBERS) > NUMBERS_KEPT:
        NUMBERS.clear()
    NUMBERS[text] = new
    return old

"""The order of arrays: asort, asorti and PROCINFO["sorted_in"].

Source: gawk 5.2 manual, "Controlling Scanning".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cmp_to_key, partial
from typing import TypeAlias

from sandhook.utilities.languages.awk.format import fold_case, order
from sandhook.utilities.languages.awk.program import Evaluate
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.special import PROCINFO
from sandhook.utilities.languages.awk.values import (
    Array,
    Fatal,
    Strnum,
    Value,
    numeric_value,
    text_to_number,
    to_number,
)

Pair: TypeAlias = tuple[str, Value]
#: The user's functions by name.
Bodies: TypeAlias = Mapping[str, Evaluate]
_Key: TypeAlias = tuple["bool | float | str", ...]
_NAMES = frozenset(
    f"@{what}_{direction}"
    for what in ("ind_str", "ind_num", "val_type", "val_str", "val_num")
    for direction in ("asc", "desc")
)


def traversal(rt: Runtime, bodies: Bodies, array: Array) -> list[str]:
    """Return the keys in the order of PROCINFO["sorted_in"], by default the order of insertion."""
    order_name = rt.arrays[PROCINFO].get("sorted_in")
    if order_name is None or order_name == "" or order_name == "@unsorted":
        return list(array)
    return [key for key, _ in sort_pairs(rt, bodies, list(array.items()), rt.text(order_name))]


def sort_pairs(rt: Runtime, bodies: Bodies, pairs: list[Pair], order_name: str) -> list[Pair]:
    """Sort pairs in an order that gawk names, or by a function of the program. Raises Fatal."""
    rt.budget.charge(len(pairs))
    if order_name not in _NAMES:
        return sorted(pairs, key=cmp_to_key(_by_function(rt, bodies, order_name)))
    keys: dict[str, Callable[[Pair], _Key]] = {
        "@ind_str": lambda pair: (pair[0],),
        "@ind_num": lambda pair: (text_to_number(pair[0]), pair[0]),
        "@val_num": lambda pair: (
            isinstance(pair[1], Array),
            _number(pair[1]),
            _text(rt, pair[1]),
            pair[0],
        ),
        "@val_str": lambda pair: (isinstance(pair[1], Array), _text(rt, pair[1]), pair[0]),
    }
    base, _, direction = order_name.rpartition("_")
    if base == "@val_type":
        result = sorted(pairs, key=cmp_to_key(partial(_by_type, rt)))
        return result[::-1] if direction == "desc" else result
    return sorted(pairs, key=keys[base], reverse=direction == "desc")


def _text(rt: Runtime, value: Value) -> str:
    return "" if isinstance(value, Array) else rt.text(value)


def _number(value: Value) -> float:
    return 0.0 if isinstance(value, Array) else to_number(value)


def _by_type(rt: Runtime, first: Pair, second: Pair) -> int:
    """Compare pairs: numbers, then strings, then arrays; equal values by their subscripts."""
    ranks = [_rank(value) for value in (first[1], second[1])]
    if ranks[0] != ranks[1]:
        return ranks[0] - ranks[1]
    result = 0
    if ranks[0] < 2 and rt.icase:
        result = order(fold_case(first[1]), fold_case(second[1]), rt.convfmt)
    if ranks[0] < 2 and not result:
        result = order(first[1], second[1], rt.convfmt)
    return result if result in (-1, 1) else (first[0] > second[0]) - (first[0] < second[0])


def _rank(value: Value) -> int:
    if isinstance(value, Array):
        return 2
    if type(value) is float or (type(value) is Strnum and numeric_value(value) is not None):
        return 0
    return 1


def _by_function(rt: Runtime, bodies: Bodies, name: str) -> Callable[[Pair, Pair], int]:
    function = rt.symbols.functions.get(name)
    if function is None:
        raise Fatal(f"sort comparison function `{name}' is not defined")
    body = bodies[name]
    count = len(function.params)

    def compare(first: Pair, second: Pair) -> int:
        rt.budget.charge(1)
        frame: list[Value] = [first[0], first[1], second[0], second[1], *[None] * (count - 4)]
        outer, rt.frame = rt.frame, frame[:count]
        result = to_number(body(rt))
        rt.frame = outer
        return (result > 0) - (result < 0)

    return compare


def sort_array(
    rt: Runtime, bodies: Bodies, source: Array, target: Array, order_name: str, by_index: bool
) -> float:
    """Fill an array with the sorted values or subscripts of another, from 1; return their number."""
    pairs = sort_pairs(rt, bodies, list(source.items()), order_name)
    rt.clear(target)
    for number, (key, value) in enumerate(pairs, 1):
        item = key if by_index else value
        if isinstance(item, Array):
            rt.store(target, str(number), None)
            target[str(number)] = item if target is source else _deep_copy(rt, item)
        else:
            rt.store(target, str(number), item)
    return float(len(pairs))


def _deep_copy(rt: Runtime, array: Array) -> Array:
    """Return a deep copy of an array, and charge memory for it."""
    copy = Array()
    pending = [(array, copy)]
    while pending:
        source, target = pending.pop()
        rt.budget.charge(1 + len(source))
        for key, value in source.items():
            if isinstance(value, Array):
                rt.store(target, key, None)
                target[key] = inner = Array()
                pending.append((value, inner))
            else:
                rt.store(target, key, value)
    return copy

"""The names of arrays in messages: ``x (from a)``, ``a["1"]``. They are looked up when a program has failed.

Oracle: gawk 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.languages.awk.nodes import Expression, Function, Name
from sandhook.utilities.languages.awk.runtime import Runtime
from sandhook.utilities.languages.awk.values import Array, ScalarContext, Value


def array_path(rt: Runtime, array: object) -> str:
    """Return the name of a global array, or of an array that is an element in one; "" for others."""
    pending = [(value, name) for name, value in zip(rt.symbols.slots, rt.g) if isinstance(value, Array)]
    for candidate, name in pending:
        if candidate is array:
            return name
    while pending:
        outer, name = pending.pop()
        rt.budget.charge(1 + (len(outer) >> 4))
        for key, value in outer.items():
            if value is array:
                return f'{name}["{key}"]'
            if isinstance(value, Array):
                pending.append((value, f'{name}["{key}"]'))
    return ""


def trace_array(
    rt: Runtime,
    error: ScalarContext,
    called: tuple[Function, Sequence[Value]],
    caller: Function | None,
    arguments: Sequence[Expression],
) -> None:
    """Add the names by which a call received the array; ``called`` is the function with its frame."""
    if error.is_complete:
        return
    function, frame = called
    if not error.names:
        at = next((at for at, value in enumerate(frame) if value is error.array), -1)
        if at < 0:
            complete_trace(rt, error)
            return
        error.names.append(function.params[at])
    at = function.params.index(error.names[-1])
    error.is_complete = True
    if at >= len(arguments):
        return  # a local array
    argument = arguments[at]
    if not isinstance(argument, Name):
        error.names.append(array_path(rt, error.array) or "?")
        return
    error.names.append(argument.name)
    error.is_complete = caller is None or argument.name not in caller.params


def complete_trace(rt: Runtime, error: ScalarContext) -> None:
    """Name an array that was used outside of functions."""
    path = "" if error.names else array_path(rt, error.array)
    if path:
        error.names.append(path)
    error.is_complete = True

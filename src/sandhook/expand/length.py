"""${#a[i]}: the element to measure; errors of subscripts differ from those of ${a[i]}."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandhook.expand.numbers import NotPlain
from sandhook.state.control import ShellError, subscript_error, unbound_error
from sandhook.state.state import State
from sandhook.state.values import AssociativeArray


def measured_element(
    name: str,
    read: Callable[[State], str | None],
    key_of: Callable[[State], str],
    index_of: Callable[[State], int] | None,
    shown: str,
) -> Callable[[State], str | None]:
    """Return a closure that reads the element of ``${#name[shown]}``; a bad subscript ends the line.

    Args:
        read: Reads the element as ``${name[shown]}`` does.
        index_of: Evaluates a subscript of the common shapes; None for others.
    """

    def element(state: State) -> str | None:
        array: Any = state.value(name)
        if array is None:  # bash does not look at the subscript
            if state.options.nounset:
                raise unbound_error(name).ending("unit", 1)
            return None
        if array.__class__ is AssociativeArray:
            key = key_of(state)
            if not key:
                raise _bad(shown)
            return array.items.get(key)
        if isinstance(array, str) and state.options.nounset:  # for bash, an array without this element
            raise unbound_error(name).ending("unit", 1)
        if index_of is None:
            key = key_of(state)
            if key in ("@", "*"):
                return read(state)
            index = state.shell.subscript(state, key)
        else:
            try:
                index = index_of(state)
            except NotPlain:
                index = state.shell.subscript(state, key_of(state))
        if index < 0 and not isinstance(array, str):
            index += array.top()
        if index < 0:
            raise _bad(shown)
        if isinstance(array, str):
            return array if index == 0 else None
        return array.get(index)  # type: ignore[no-any-return]

    return element


def _bad(shown: str) -> ShellError:
    return subscript_error(f"{shown}]", "unit")

"""Arrays as a whole, and what ``unset`` removes."""

from __future__ import annotations

from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.state.values import ARRAY, ASSOC, COMPUTED, READONLY, Array, AssociativeArray, IndexedArray


def plain_array(state: State, name: str) -> Array | None:
    """Return the array called ``name`` if assigning to an element of it is storing a text.

    None for a readonly or integer array and the like, a reference, and under ``set -a``; what
    is stored is the caller's to charge.
    """
    value = state.values.get(name)
    if (
        value is None
        or isinstance(value, str)
        or state.attributes.get(name, 0) & COMPUTED
        or state.options.allexport
    ):
        return None
    return value


def set_array(state: State, name: str, values: list[str]) -> None:
    """Make ``name`` an indexed array of ``values`` (read -a, mapfile, PIPESTATUS)."""
    name, _ = state.resolve(name) if name in state.namerefs else (name, None)
    bits = state.attributes.get(name, 0)
    if bits & READONLY:
        raise ShellError(f"{name}: readonly variable", 1)
    count = sum(map(len, values)) + 64 * len(values)
    state.budget.charge_memory(count)
    array = IndexedArray(values)
    array.keep(state.budget, count)
    state.attributes[name] = bits & ~ASSOC | ARRAY
    state.values[name] = array


def unset(state: State, name: str) -> None:
    """Unset a variable with its attributes. Raises ShellError for a readonly name."""
    if name in state.namerefs:
        target, subscript = state.resolve(name)
        if subscript is not None:
            unset_element(state, target, subscript)
            return
        name = target
    check_writable(state, name, "cannot unset: readonly variable")
    state.values.pop(name, None)
    state.attributes.pop(name, None)
    state.namerefs.pop(name, None)
    dynamic = state.dynamics.get(name)
    if dynamic is not None and not dynamic.lasting:
        state.unset_dynamics = state.unset_dynamics | {name}
    elif dynamic is not None and dynamic.unset is not None:
        dynamic.unset(state)


def unset_element(state: State, name: str, subscript: str) -> None:
    """Unset ``name[subscript]``."""
    check_writable(state, name, "cannot unset: readonly variable")
    if state.computed(name) is not None:
        state.set_computed(name, subscript, None)
        return
    value = state.values.get(name)
    if isinstance(value, AssociativeArray):
        if subscript in value.items:
            value.refund(max(64, len(value.items[subscript])))
        value.remove(subscript)
    elif isinstance(value, IndexedArray):
        index = state.shell.subscript(state, subscript)
        if index < 0:
            index += value.top()
            if index < 0:
                raise ShellError(f"[{subscript}]: bad array subscript", 1)
        if index in value.items:
            value.refund(max(64, len(value.items[index])))
        value.remove(index)
    elif value is not None and state.shell.arithmetic(state, subscript) in (0, -1):
        unset(state, name)


def check_writable(state: State, name: str, why: str = "readonly variable") -> None:
    """Raise ShellError when ``name`` is readonly."""
    if state.attributes.get(name, 0) & READONLY:
        raise ShellError(f"{name}: {why}", 1)

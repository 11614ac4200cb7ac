"""Assignments after expansion, and how they are carried out; whole arrays; unset.

The interpreter makes an ``Assigned`` of every ``name=value`` that it has expanded: before a
command, alone, or as an argument of a declaration command (``declare -a a=(1 2)``).
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.limits import timed_items
from sandhook.state.assigned import Assigned, Element, Elements
from sandhook.state.control import Discard, ShellError, readonly_error, subscript_error
from sandhook.state.references import TARGET, array_target, follow, set_hidden
from sandhook.state.state import State
from sandhook.state.values import (
    ARRAY,
    ASSOC,
    COMPUTED,
    INTEGER,
    READONLY,
    Array,
    AssociativeArray,
    IndexedArray,
    element_size,
    held,
)

#: Computed arrays to which a list cannot be assigned: that ends the line, without a word.
NEVER_ASSIGNED = frozenset({"BASH_ARGC", "BASH_ARGV", "BASH_LINENO", "BASH_SOURCE", "FUNCNAME", "GROUPS"})


def assign(state: State, assigned: Assigned) -> None:
    """Carry out one assignment. Raises ShellError (readonly, bad subscript)."""
    name, subscript, append, value = assigned
    if isinstance(value, list):
        if subscript is not None:
            raise ShellError(f"{name}[{subscript}]: cannot assign list to array member", 1)
        assign_elements(state, name, value, append=append)
    elif subscript is not None:
        state.set_element(name, subscript, value, append=append)
    elif append:
        state.append(name, value)
    else:
        state.set(name, value)


def point(state: State, name: str, target: str) -> None:
    """Point the reference ``name`` at ``target``, as a loop does; one in a circle assigns to the global it hides.

    Raises:
        ShellError: The target is no name, or the circle hides no global.
    """
    if follow(state.namerefs, name) is None:
        if state.hiding_global(name) is None:
            raise ShellError(f"warning: {name}: circular name reference", 1)
        state.set(name, target)
        return
    if not TARGET.match(target):
        raise ShellError(f"`{target}': not a valid identifier", 1)
    state.namerefs[name] = target


def assign_elements(state: State, name: str, elements: Elements, *, append: bool = False) -> None:
    """Carry out ``name=(...)`` or ``name+=(...)``."""
    if name in state.namerefs:
        name = array_target(state, name, for_list=True, warn=lambda text: state.shell.warning(state, text))
        frame = state.hiding_global(name)
        if frame is not None:
            set_hidden(
                state, name, frame, lambda hidden: assign_elements(state, hidden, elements, append=append)
            )
            return
    bits = state.attributes.get(name, 0)
    if bits & READONLY:
        raise readonly_error(name, "unit")
    if name in state.dynamics and state.computed(name) is not None:
        if name in NEVER_ASSIGNED:
            raise Discard(1)
        for at, element in enumerate(elements):
            subscript = element.subscript if element.subscript is not None else str(at)
            state.set_computed(name, subscript, element.value)
        return
    count = sum(64 + len(element.value) + len(element.subscript or "") for element in timed_items(elements))
    state.budget.charge_memory(count)
    if bits & ASSOC:
        array: Array = _assign_associative(state, name, elements, append=append)
    else:
        array = _assign_indexed(state, name, elements, append=append)
    array.keep(state.budget, count)


def _assign_indexed(state: State, name: str, elements: Elements, *, append: bool) -> IndexedArray:
    old = state.values.get(name)
    bits = state.attributes.get(name, 0)
    if append and isinstance(old, IndexedArray):
        array = old
    else:
        array = IndexedArray([old] if append and isinstance(old, str) else ())
    computed = bits & COMPUTED
    next_index = array.top()
    # The old value stays visible until all elements are known: a=([0]=${a[1]}) reads the old a.
    for subscript, add, value in timed_items(elements):
        if subscript is None:
            index = next_index
        elif subscript in ("@", "*"):
            state.shell.assignment_error(
                state, _bad_element(f"[{subscript}]={value}: cannot assign to non-numeric index")
            )
            continue
        else:
            index = state.shell.subscript(state, subscript) if subscript else -1
            if index < 0:
                index = index + array.top() if subscript else -1
                if index < 0:
                    state.shell.assignment_error(state, subscript_error(f"[{subscript}]={value}"))
                    continue
        if add:
            value = _added(state, array.get(index), value, bits)
        array.set(index, state.convert(name, bits, value) if computed else value)
        next_index = index + 1
    state.attributes[name] = bits | ARRAY
    state.values[name] = array
    return array


def _bad_element(message: str) -> ShellError:
    return ShellError(message, reason="bad element")


def _added(state: State, old: str | None, value: str, bits: int) -> str:
    """Return what ``[key]+=value`` assigns to an element: joined text, or the text of a sum, to be evaluated."""
    return state.shell.sum_text(state, old, value) if bits & INTEGER else (old or "") + value


def _assign_associative(state: State, name: str, elements: Elements, *, append: bool) -> AssociativeArray:
    old = state.values.get(name)
    bits = state.attributes.get(name, 0)
    array = old if append and isinstance(old, AssociativeArray) else AssociativeArray()
    before = old if isinstance(old, AssociativeArray) else AssociativeArray()  # what += adds to, as in bash
    if elements and elements[0].subscript is None:
        words = [
            element.value if element.subscript is None else f"[{element.subscript}]={element.value}"
            for element in elements
        ]
        pairs = list(zip(words[::2], [*words[1::2], ""]))
        elements = [Element(key, False, value) for key, value in pairs]
    for subscript, add, value in elements:
        if subscript is None:
            from sandhook.text.quoting import in_single_quotes

            shown = in_single_quotes(value)
            state.shell.assignment_error(
                state, _bad_element(f"{name}: {shown}: must use subscript when assigning associative array")
            )
            continue
        if not subscript:
            state.shell.assignment_error(state, subscript_error(f"[]={value}"))
            continue
        if add:
            value = _added(state, before.get(subscript), value, bits)
        array.set(subscript, state.convert(name, bits, value) if bits & COMPUTED else value)
    state.attributes[name] = bits
    state.values[name] = array
    return array


def store_rare(state: State, name: str, text: str) -> None:
    """Assign the result of arithmetic to ``_``, which the rest of the command reads, or to a very long name."""
    state.set(name, text)
    if name == "_":
        state.last_argument = text


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
        raise readonly_error(name)
    name = held(name, state.budget)
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
            value.refund(element_size(subscript, value.items[subscript]))
        value.remove(subscript)
    elif isinstance(value, IndexedArray):
        index = state.shell.subscript(state, subscript)
        if index < 0:
            index += value.top()
            if index < 0:
                raise subscript_error(f"[{subscript}]")
        if index in value.items:
            value.refund(element_size("", value.items[index]))
        value.remove(index)
    elif value is not None and state.shell.subscript(state, subscript) in (0, -1):
        unset(state, name)


def check_writable(state: State, name: str, why: str = "readonly variable") -> None:
    """Raise ShellError when ``name`` is readonly."""
    if state.attributes.get(name, 0) & READONLY:
        raise ShellError(f"{name}: {why}", reason="readonly variable")


def store_default(store: Callable[[], None]) -> None:
    """Assign what ``${name=word}`` assigns; as in bash, its error ends the input unit with status 2."""
    try:
        store()
    except ShellError as error:
        raise error if error.ends_callers else error.ending("unit", 2) from None


def set_named(state: State, reference: str, value: str) -> None:
    """Assign to a variable, or to an element: ``name`` or ``name[subscript]``."""
    name, bracket, rest = reference.partition("[")
    state.set_element(name, rest[:-1], value) if bracket else state.set(name, value)

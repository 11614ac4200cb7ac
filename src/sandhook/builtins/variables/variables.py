"""Names, printed forms and assignment of variables, for built-ins."""

from __future__ import annotations

from collections.abc import Iterable

from sandhook.builtins.base import BuiltinError, invalid_name, runtime, split_reference
from sandhook.expand import declared
from sandhook.state.control import ShellError, readonly_error, subscript_error
from sandhook.state.environment import variable_names
from sandhook.state.references import refers_to_element
from sandhook.state.state import State
from sandhook.state.values import (
    ARRAY,
    ASSOC,
    NAMEREF,
    READONLY,
    AssociativeArray,
    IndexedArray,
    Value,
    letters,
)
from sandhook.text.quoting import double_quote, set_quote


def exists(state: State, name: str) -> bool:
    """Return True when a variable was declared, with or without a value."""
    return (
        name in state.values
        or name in state.attributes
        or name in state.namerefs
        or state.computed(name) is not None
    )


def all_names(state: State) -> list[str]:
    """Return every declared name, sorted; also names without a value."""
    return sorted(set(variable_names(state)) | set(state.attributes))


def bits_of(state: State, name: str) -> int:
    """Return the attribute bits of one name, NAMEREF among them."""
    bits = state.attributes.get(name, 0)
    return bits | NAMEREF if name in state.namerefs else bits


def compound(value: Value) -> str:
    """Return a value as ``declare -p`` has it."""
    return double_quote(value) if isinstance(value, str) else declared.compound(value)


def own_value(state: State, name: str) -> Value | None:
    """Return the value of a variable; the value of a nameref is the name of its target."""
    if name in state.namerefs:
        return state.namerefs[name] or None
    return state.value(name)


def describe(state: State, name: str) -> str:
    """Return one line of ``declare -p``, newline included."""
    bits = bits_of(state, name)
    value = own_value(state, name)
    if isinstance(value, IndexedArray):
        bits |= ARRAY
    elif isinstance(value, AssociativeArray):
        bits |= ASSOC
    head = f"declare -{letters(bits) or '-'} {name}"
    if value is None:
        return head + "\n"
    return f"{head}={compound(value)}\n"


def plain_line(state: State, name: str) -> str:
    """Return one line of ``set``: ``name=value``; "" when the variable has no value."""
    value = own_value(state, name)
    if value is None:
        return ""
    if isinstance(value, str):
        return f"{name}={set_quote(value, state.options.posix)}\n"
    return f"{name}={compound(value)}\n"


def function_line(state: State, name: str) -> str:
    """Return ``declare -f name`` with the attributes of a function."""
    return f"declare -f{letters(state.functions[name].attributes)} {name}\n"


def listing(state: State, names: Iterable[str]) -> str:
    """Return the ``declare -p`` lines of several names."""
    return "".join([describe(state, name) for name in names])


def assign_reference(state: State, text: str, value: str) -> None:
    """Assign to ``name`` or ``name[subscript]``, as read, printf -v and getopts do.

    Raises:
        BuiltinError: ``text`` is neither.
        ShellError: The variable is readonly, or the subscript is bad.
    """
    reference = split_reference(text)
    if reference is None:
        raise invalid_name(text)
    name, subscript = reference
    if subscript is not None and refers_to_element(state.namerefs, name):
        raise invalid_name(state.namerefs[name])
    if subscript is None:
        try:
            state.set(name, value)
        except ShellError as error:
            if error.reason == "bad reference":
                raise BuiltinError(error.message) from None
            raise
    else:
        key = runtime(state).subscript_text(state, name, subscript)
        if not key and state.is_associative(name):
            raise subscript_error(text)
        state.set_element(name, key, value)


def array_name(state: State, name: str) -> str:
    """Check a name for read -a and mapfile, which make it an indexed array, and return its target.

    Raises:
        BuiltinError: Not a name, or an associative array.
    """
    reference = split_reference(name)
    if reference is None or reference[1] is not None:
        raise invalid_name(name)
    shown = name
    if name in state.namerefs:
        name, element = state.resolve(name)
        if element is not None:
            raise invalid_name(state.namerefs[shown])
        if name in state.namerefs and not state.namerefs[name]:
            state.shell.warning(state, f"{name}: removing nameref attribute")
            del state.namerefs[name]
    if state.attributes.get(name, 0) & READONLY:
        error = readonly_error(shown)
        raise BuiltinError(error.message, own=error)
    if state.attributes.get(name, 0) & ASSOC:
        raise BuiltinError(f"{shown}: not an indexed array")
    return name

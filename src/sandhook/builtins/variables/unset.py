"""unset: remove variables, array elements and functions.

Source: POSIX.1-2024 XCU 2.15 unset; bash 5.2 reference manual 4.1. A name that is local to a
caller reveals the variable that it hid, as in bash without ``localvar_unset``.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, builtin, parse, print_error, runtime, split_reference
from sandhook.state.assignment import check_writable, unset, unset_element
from sandhook.state.control import ShellError
from sandhook.state.locals import function_frame, temporary_scope
from sandhook.state.state import State
from sandhook.state.values import ARRAY, ASSOC, EXPORT, READONLY, AssociativeArray, IndexedArray
from sandhook.text.names import is_name

#: The arrays that describe calls.
_FIXED = frozenset({"BASH_ARGC", "BASH_ARGV", "BASH_LINENO", "BASH_SOURCE"})

USAGE = "unset [-f] [-v] [-n] [name ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when a name is readonly or cannot be unset."""
    options, operands = parse(argv, "fnv")
    letters = {option.letter for option in options}
    if {"f", "v"} <= letters:
        raise BuiltinError("cannot simultaneously unset a function and a variable")
    status = 0
    for operand in operands:
        try:
            _unset(state, operand, letters)
        except (BuiltinError, ShellError) as error:
            if isinstance(error, ShellError) and error.ends_callers:
                raise
            print_error(state, f"unset: {error.message}")
            status = 1
    return status


def _unset(state: State, operand: str, letters: set[str]) -> None:
    if "f" in letters:
        _unset_function(state, operand)
        return
    if "n" in letters:
        check_writable(state, operand, "cannot unset: readonly variable")
        if operand in state.namerefs:
            _unset_reference(state, operand)
        elif "v" in letters and not is_name(operand):
            raise BuiltinError(f"`{operand}': not a valid identifier")
        return
    reference = split_reference(operand)
    if reference is None:
        if "v" in letters and not is_name(operand.partition("[")[0]):
            raise BuiltinError(f"`{operand}': not a valid identifier")
        _unset_function(state, operand)
    elif reference[1] is not None:
        _unset_element(state, reference[0], reference[1])
    elif _is_variable(state, operand) or "v" in letters:
        unset_variable(state, operand)
    else:
        _unset_function(state, operand)


def _unset_reference(state: State, name: str) -> None:
    own = function_frame(state)
    frame = next((frame for frame in reversed(state.frames) if name in frame.saved), None)
    if frame is not None and frame is not own and "localvar_unset" not in state.options.shopts:
        state.restore(name, frame.saved.pop(name))
        return
    del state.namerefs[name]
    state.attributes.pop(name, None)
    if own is not None and name in own.saved:
        state.attributes[name] = 0  # the name stays declared as a local


def _is_variable(state: State, name: str) -> bool:
    return (
        name in state.values or not state.is_plain(name) or any(name in frame.saved for frame in state.frames)
    )


def _unset_function(state: State, name: str) -> None:
    function = state.functions.get(name)
    if function is None:
        return
    if function.attributes & READONLY:
        raise BuiltinError(f"{name}: cannot unset: readonly function")
    del state.functions[name]


def unset_variable(state: State, name: str) -> None:
    """Unset a variable, or the target of a reference: what it hides is visible then. Raises BuiltinError, ShellError."""
    if name in state.namerefs:
        target, subscript = state.resolve(name)
        if subscript is not None:
            _unset_referred(state, target, subscript)
            return
        name = target
    if name in _FIXED:
        raise BuiltinError(f"{name}: cannot unset")
    scope = temporary_scope(state, name)
    if scope is not None:
        if name in scope.declared:
            unset(state, name)
        else:
            state.restore(name, scope.saved.pop(name))
        return
    state.unshare_frames()
    for depth, frame in enumerate(reversed(state.frames)):
        if frame.sourced:
            continue
        if name in frame.saved:
            innermost = depth == 0 or frame is function_frame(state)
            if name in frame.temporary:
                frame.temporary.discard(name)
            elif innermost or "localvar_unset" in state.options.shopts:
                unset(state, name)
                frame.exported = frame.exported - {name}  # nothing is left to outlive the call
                if innermost:
                    # the name stays declared as a local, and exported if it was assigned before the call
                    state.attributes[name] = EXPORT if name in frame.assigned_before else 0
                    frame.assigned_before = frame.assigned_before - {name}
                return
            check_writable(state, name, "cannot unset: readonly variable")
            frame.exported = frame.exported - {name}
            state.restore(name, frame.saved.pop(name))
            return
    unset(state, name)


def _unset_referred(state: State, name: str, subscript: str) -> None:
    """Unset the element that a reference names; as in bash, a scalar without that element is no error."""
    if isinstance(state.values.get(name), str) and subscript not in ("@", "*"):
        if state.shell.subscript(state, subscript) == 0:
            unset_variable(state, name)
        return
    _unset_element(state, name, subscript)


def _unset_element(state: State, name: str, subscript: str) -> None:
    if name in state.namerefs:
        name, element = state.resolve(name)
        subscript = subscript if element is None else element
    value = state.value(name) if name in state.dynamics else state.values.get(name)
    check_writable(state, name, "cannot unset: readonly variable")
    if value is None:
        if name in state.attributes and not state.attributes[name] & (ARRAY | ASSOC):
            if subscript in ("@", "*") or state.shell.subscript(state, subscript) != 0:
                raise BuiltinError(f"{name}: not an array variable")
            unset_variable(state, name)
        return
    if subscript in ("@", "*") and not isinstance(value, AssociativeArray):
        if isinstance(value, IndexedArray):
            state.attributes[name] = state.attributes.get(name, 0) | ARRAY
            state.values[name] = IndexedArray()
        else:
            raise BuiltinError(f"{name}: not an array variable")
    elif isinstance(value, str):
        if state.shell.subscript(state, subscript) != 0:
            raise BuiltinError(f"{name}: not an array variable")
        unset_variable(state, name)
    else:
        key = runtime(state).subscript_text(state, name, subscript)
        if subscript and not key and isinstance(value, AssociativeArray):
            raise BuiltinError(f"[{subscript}]: bad array subscript")
        unset_element(state, name, key)

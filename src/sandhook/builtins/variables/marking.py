"""Runs export and readonly, which set one attribute of names."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import print_error, runtime, write
from sandhook.builtins.variables.declaration import Request
from sandhook.builtins.variables.declare import declare_all, effective_bits, split_options
from sandhook.builtins.variables.variables import all_names, function_line, listing
from sandhook.state.assigned import Assigned, as_argument, reference_of
from sandhook.state.assignment import assign
from sandhook.state.control import ShellError, UsageExit
from sandhook.state.locals import keep_assigned
from sandhook.state.references import last_reference, refers_to_element
from sandhook.state.state import State
from sandhook.state.values import ARRAY, ASSOC, EXPORT
from sandhook.text.names import is_name


def mark(state: State, argv: Sequence[str | Assigned], bit: int) -> int:
    """Run export (EXPORT) or readonly (READONLY)."""
    command = str(argv[0])
    options, operands = split_options(argv, "aAfnp")
    letters = {option.letter for option in options}
    kinds = (ARRAY if "a" in letters else 0) | (ASSOC if "A" in letters else 0)
    removes = "n" in letters
    if not operands:
        _list(state, bit, kinds, functions="f" in letters)
        return 0
    if "f" in letters:
        return _mark_functions(state, command, operands, bit, removes)
    add, remove = (0, bit & EXPORT) if removes else (bit, 0)  # readonly -n assigns alone
    status = failed = 0
    for operand in operands:
        reference = operand.partition("=")[0] if isinstance(operand, str) else reference_of(operand)
        if "[" in reference:
            print_error(state, f"{command}: `{reference}': not a valid identifier")
            status = 1
            failed |= not isinstance(operand, str) or "=" in operand  # a name alone is no assignment
        else:
            name = reference.rstrip("+")
            if not removes:
                keep_assigned(state, name)
            # As in bash, -a and -A apply to assignments alone.
            kind = 0 if isinstance(operand, str) and "=" not in operand else kinds
            if kind and state.namerefs.get(name) == "":
                del state.namerefs[name]  # as in bash, the value is that of an array
            listed = isinstance(operand, Assigned) and isinstance(operand.value, list)
            request = Request(add | kind, remove, quiet_readonly=listed or not kind)
            if name in state.namerefs and not listed and refers_to_element(state.namerefs, name):
                result = _mark_element(state, command, operand, removes=removes)
            elif state.namerefs.get(state.resolve(name)[0]) == "":
                result = _mark_without_target(state, command, operand, request)
            elif removes and not _exists(state, name) and isinstance(operand, str) and is_name(operand):
                result = 0  # export -n declares nothing
            else:
                result = declare_all(state, command, [operand], request)
            if removes and state.options.allexport and state.resolve(name)[0] in state.attributes:
                state.attributes[state.resolve(name)[0]] &= ~EXPORT  # the assignment has just exported it
            status |= result
            if is_name(name):
                failed |= result
    if failed and state.options.posix:  # an assignment error of a special built-in (XCU 2.8.1)
        raise UsageExit(failed)
    return status


def _exists(state: State, name: str) -> bool:
    return name in state.values or not state.is_plain(name)


def _mark_element(state: State, command: str, operand: str | Assigned, *, removes: bool) -> int:
    """Assign to the element that a reference names. As in bash, only the message says that elements have no attributes."""
    status = 0
    try:
        if isinstance(operand, Assigned):
            name = operand.name
            assign(state, operand)
        else:
            name, equals, value = operand.partition("=")
            if equals:
                assign(state, Assigned(name.removesuffix("+"), None, name.endswith("+"), value))
    except ShellError as error:
        runtime(state).assignment_error(state, error)
        status = 1
    if not removes:
        print_error(
            state,
            f"{command}: `{state.namerefs[last_reference(state.namerefs, name.rstrip('+'))]}': not a valid identifier",
        )
    return status


def _mark_without_target(state: State, command: str, operand: str | Assigned, request: Request) -> int:
    """Mark what a reference without a target refers to from now on; without a value that is nothing."""
    text = operand.partition("=")[2] if isinstance(operand, str) else operand.value
    if isinstance(operand, str) and "=" not in operand:
        if request.add:
            print_error(state, f"{command}: `': not a valid identifier")
        return 0
    if not isinstance(text, str):
        return declare_all(state, command, [operand], request)
    if not is_name(text):
        print_error(state, f"{command}: `{text}': not a valid identifier")
        if request.add:
            print_error(state, f"{command}: `': not a valid identifier")
        return 1
    name = operand.partition("=")[0] if isinstance(operand, str) else operand.name
    state.set(name, text)
    return declare_all(state, command, [text], request)


def _list(state: State, bit: int, kinds: int, *, functions: bool) -> None:
    word = "export" if bit == EXPORT else "readonly"
    if functions:
        for name in sorted(state.functions):
            function = state.functions[name]
            if function.attributes & bit and state.options.posix:
                write(state, f"{word} -f {name}\n")
            elif function.attributes & bit:
                write(state, function.definition(state.options.posix) + "\n" + function_line(state, name))
        return
    names = [name for name in all_names(state) if effective_bits(state, name) & bit]
    if kinds:
        names = [name for name in names if effective_bits(state, name) & kinds]
    text = listing(state, names)
    if state.options.posix:
        lines = [line.split(" ", 2)[1:] for line in text.splitlines()]
        text = "".join([f"{word} {_kind(flags)}{shown}\n" for flags, shown in lines])
    write(state, text)


def _kind(flags: str) -> str:
    """Return the options of ``declare`` that lists of posix mode show: those of arrays."""
    return "-a " if "a" in flags else "-A " if "A" in flags else ""


def _mark_functions(
    state: State, command: str, operands: Sequence[str | Assigned], bit: int, removes: bool
) -> int:
    status = 0
    for operand in operands:
        name = operand if isinstance(operand, str) else as_argument(operand)
        function = state.functions.get(name)
        if function is None:
            print_error(state, f"{command}: {name}: not a function")
            status = 1
            continue
        bits = function.attributes & ~bit if removes else function.attributes | bit
        state.functions[name] = function.replaced(attributes=bits)
    return status

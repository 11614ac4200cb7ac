"""export and readonly: give names one attribute."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import print_error, write
from sandhook.builtins.variables.declare import declare_all, effective_bits, split_options
from sandhook.builtins.variables.declaring import Request
from sandhook.builtins.variables.variables import all_names, function_line, listing
from sandhook.interp.trace import assigned as assigned_text
from sandhook.state.assigned import Assigned
from sandhook.state.control import UsageExit
from sandhook.state.locals import keep_assigned
from sandhook.state.state import State
from sandhook.state.values import ARRAY, ASSOC, EXPORT
from sandhook.text.names import is_name


def mark(state: State, argv: Sequence[str | Assigned], bit: int) -> int:
    """Run export (EXPORT) or readonly (READONLY)."""
    command = str(argv[0])
    given, operands = split_options(argv, "aAfnp")
    letters = {option.letter for option in given}
    kinds = (ARRAY if "a" in letters else 0) | (ASSOC if "A" in letters else 0)
    removing = "n" in letters and bit == EXPORT
    if not operands:
        _list(state, bit, kinds, functions="f" in letters)
        return 0
    if "f" in letters:
        return _mark_functions(state, command, operands, bit, removing)
    request = (
        Request(kinds, bit, quiet_readonly=True) if removing else Request(kinds | bit, quiet_readonly=True)
    )
    status = refused = 0
    for operand in operands:
        subscripted = operand.partition("=")[0] if isinstance(operand, str) else _reference(operand)
        if "[" in subscripted:
            print_error(state, f"{command}: `{subscripted}': not a valid identifier")
            status = refused = 1
        else:
            name = subscripted.rstrip("+")
            if not removing:
                keep_assigned(state, name)
            failed = declare_all(state, command, [operand], request)
            status |= failed
            if is_name(name):
                refused |= failed
    if refused and state.options.posix:  # an assignment error of a special built-in (XCU 2.8.1)
        raise UsageExit(refused)
    return status


def _reference(assigned: Assigned) -> str:
    return assigned.name if assigned.subscript is None else f"{assigned.name}[{assigned.subscript}]"


def _list(state: State, bit: int, kinds: int, *, functions: bool) -> None:
    if functions:
        for name in sorted(state.functions):
            function = state.functions[name]
            if function.attributes & bit:
                write(state, function.definition() + "\n" + function_line(state, name))
        return
    names = [name for name in all_names(state) if effective_bits(state, name) & bit]
    if kinds:
        names = [name for name in names if effective_bits(state, name) & kinds]
    text = listing(state, names)
    if state.options.posix:
        word = "export" if bit == EXPORT else "readonly"
        lines = [line.split(" ", 2)[2] for line in text.splitlines()]
        text = "".join([f"{word} {line}\n" for line in lines])
    write(state, text)


def _mark_functions(
    state: State, command: str, operands: Sequence[str | Assigned], bit: int, removing: bool
) -> int:
    status = 0
    for operand in operands:
        name = operand if isinstance(operand, str) else operand.name
        if isinstance(operand, Assigned) and isinstance(operand.value, str):
            name = assigned_text(operand)
        function = state.functions.get(name)
        if function is None:
            print_error(state, f"{command}: {name}: not a function")
            status = 1
            continue
        bits = function.attributes & ~bit if removing else function.attributes | bit
        state.functions[name] = function._replace(attributes=bits)
    return status

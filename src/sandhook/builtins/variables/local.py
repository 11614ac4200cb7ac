"""local: declare variables that exist until the current function returns.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, builtin, write
from sandhook.builtins.variables.declare import (
    declare_all,
    make_request,
    show,
    show_functions,
    split_options,
)
from sandhook.builtins.variables.variables import exists, listing
from sandhook.state.assigned import Assigned
from sandhook.state.frame import Frame, Saved
from sandhook.state.locals import function_frame
from sandhook.state.state import State

USAGE = "local [option] name[=value] ..."

_LETTERS = "aAcfFgiIlnprtux"


@builtin(USAGE)
def run(state: State, argv: Sequence[str | Assigned]) -> int:
    """Return 1 outside a function, or when a name is invalid or readonly."""
    frame = function_frame(state)
    if frame is None:
        raise BuiltinError("can only be used in a function")
    if len(argv) == 2 and _declare_plain(state, frame, argv[1]):
        return 0
    options, operands = split_options(argv, _LETTERS, plus=True)
    if not operands:
        write(
            state,
            listing(
                state,
                [name for name in sorted(frame.saved) if name not in frame.temporary and exists(state, name)],
            ),
        )
        return 0
    if any(option.letter in "fF" for option in options):
        return show_functions(state, "local", options, operands)
    if any(option.letter == "p" for option in options):
        return show(state, "local", operands, frame.saved)
    if "-" in operands:
        _save_options(state, frame)
        operands = [operand for operand in operands if operand != "-"]
    request = make_request(options, local=True, command="local")
    return declare_all(state, "local", operands, request)


def _declare_plain(state: State, frame: Frame, argument: str | Assigned) -> bool:
    """Run ``local name=text`` for a name without attributes, the usual case; return False for others."""
    if isinstance(argument, str):
        return False
    name, subscript, append, value = argument
    if subscript is not None or append or not isinstance(value, str):
        return False
    if not state.is_plain(name):
        return False
    if name not in frame.saved:
        frame.saved[name] = Saved(state.values.get(name), 0, None)
        state.values.pop(name, None)  # the memory of the hidden value stays charged
    state.set(name, value)
    return True


def _save_options(state: State, frame: Frame) -> None:
    """``local -``: restore the current options when the function returns.

    As in bash, a second call replaces the options that the first one saved.
    """
    frame.options = state.options

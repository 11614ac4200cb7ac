"""exit: end the shell.

Source: POSIX.1-2024 XCU 2.15 exit.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import USAGE_STATUS, BuiltinError, builtin, number_operands, numeric, print_error
from sandhook.state.control import AskedExit
from sandhook.state.locals import function_frame
from sandhook.state.state import State

USAGE = "exit [n]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Raise AskedExit with n modulo 256, or with the last status."""
    if len(argv) == 1:
        raise _leaving(state, _last_status(state))
    operands = number_operands(argv)
    if not operands:
        raise _leaving(state, _last_status(state))
    status = numeric(operands[0])
    if status is None:
        print_error(state, f"{argv[0]}: {operands[0]}: numeric argument required")
        raise _leaving(state, USAGE_STATUS)
    if len(operands) > 1:
        raise BuiltinError("too many arguments", ends="unit")
    raise _leaving(state, status)


def _leaving(state: State, status: int) -> AskedExit:
    """Run the EXIT trap while locals, arguments and redirections of the call are in force; return the exception to raise.

    Outside of functions, ``bash -c`` undoes redirections first, so the caller that ends the run runs the trap.
    """
    if state.invocation.interactive is not None or "login_shell" in state.options.shopts:
        from sandhook.interp.interactive import announce_exit

        announce_exit(state.shell, state)
    at_top_level = state.invocation.input == "string" and not state.subshell and function_frame(state) is None
    if "EXIT" in state.traps and not at_top_level and "EXIT" not in state.tracing.running_traps:
        status = state.shell.run_exit_trap(state, status & 0xFF)
    return AskedExit(status)


def _last_status(state: State) -> int:
    """Return ``$?``; in an EXIT trap, the status that the shell was about to end with."""
    status = state.tracing.exit_status
    return state.status if status is None else status

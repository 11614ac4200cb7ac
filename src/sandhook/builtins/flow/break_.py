"""break: leave loops.

Source: POSIX.1-2024 XCU 2.15 break.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, HelpWanted, builtin, number_operands, numeric, print_error
from sandhook.state.control import AskedExit, BreakLoop, ExitShell
from sandhook.state.state import State

USAGE = "break [n]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Raise BreakLoop; return 0 with a message outside any loop."""
    levels = loop_count(state, argv)
    if levels:
        raise BreakLoop(levels)
    return 0


def loop_count(state: State, argv: Sequence[str]) -> int:
    """Return the number of loops for break or continue, at most the enclosing ones; 0 outside loops.

    Raises:
        BreakLoop: The count is below 1: all loops end, with status 1.
        ExitShell: The same under errexit.
        AskedExit: Not a number: the shell ends.
        BuiltinError: More than one argument (drops the input unit).
    """
    name = argv[0]
    if argv[1:2] == ["--help"]:
        raise HelpWanted
    if not state.loops:
        if not state.options.posix:
            print_error(state, f"{name}: only meaningful in a `for', `while', or `until' loop")
        return 0
    if len(argv) == 1:
        return 1
    operands = number_operands(argv)
    if not operands:
        return 1
    count = numeric(operands[0])
    if count is None:
        print_error(state, f"{name}: {operands[0]}: numeric argument required")
        raise AskedExit(128 | state.status)  # bash returns to its top level, which sets that bit
    if len(operands) > 1:
        raise BuiltinError("too many arguments", ends="unit")
    if count <= 0:
        print_error(state, f"{name}: {operands[0]}: loop count out of range")
        if state.options.errexit and not state.errexit_suppressed:
            raise ExitShell(1)  # as in bash, without the ERR trap
        raise BreakLoop(state.loops, 1)
    return min(count, state.loops)

"""eval: run arguments as shell text.

Source: POSIX.1-2024 XCU 2.15 eval.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin, misused, no_options, runtime
from sandhook.interp.traps import note_return, without_err_trap
from sandhook.state.control import AskedExit
from sandhook.state.state import State

USAGE = "eval [arg ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return the status of the text; 0 when it is empty."""
    text = " ".join(no_options(argv))
    if not text:
        return 0
    state.execution.syntax_error = None
    outermost = bool(state.errexit_suppressed) and not state.eval_in_condition
    if outermost:
        state.eval_in_condition = True
    line, command = state.line, state.tracing.command
    try:
        status = without_err_trap(state, lambda: runtime(state).run_text(state, text, name="eval"))
        state.line, state.tracing.command = line, command
    finally:
        if outermost:
            state.eval_in_condition = False
    if state.execution.syntax_error is not None and state.options.errexit and not state.errexit_suppressed:
        raise AskedExit(status)  # before the ERR trap runs
    if state.traps:
        note_return(state, status)
    error = state.execution.syntax_error
    # as in bash, an open quote does not end a shell in POSIX mode
    if error is None or error.where == "quote":
        return status
    return misused(state, argv[0], status)

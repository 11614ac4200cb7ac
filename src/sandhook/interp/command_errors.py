"""How far an error of a command reaches: it ends the command, its input unit, or the shell.

Source: POSIX.1-2024 XCU 2.8.1; bash 5.2 for the errors that it treats differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from sandhook.state.assigned import Argument
from sandhook.state.control import Discard, ExitShell, FatalExit, ShellError
from sandhook.state.state import Interpreter, State

#: Assignment errors that exit the shell at once under ``set -e``, even inside a condition.
_EXITING_AT_ONCE = frozenset(("readonly variable", "bad subscript", "bad element"))

#: Errors of an assignment without a command that end the shell in posix mode.
_ENDING_POSIX_SHELL = frozenset(("readonly variable", "bad subscript", "bad reference"))

#: Errors that do not change ``$?``: under ``set -e`` the shell exits with the status before them.
_LEAVING_STATUS = frozenset(("readonly variable", "bad subscript", "indirection"))


def assignment_error(runtime: Interpreter, state: State, error: ShellError) -> None:
    """Write the message; raise ExitShell for an assignment error under ``set -e``."""
    runtime.error(state, error.message)
    if error.reason in _EXITING_AT_ONCE and state.options.errexit and not state.eval_in_condition:
        _exit_at_once(state, state.status or 1)


def _exit_at_once(state: State, status: int) -> NoReturn:
    """End the shell under ``set -e``: its EXIT trap still runs in the call of the error."""
    raise ExitShell(state.shell.run_exit_trap(state, status))


def fatal_error(runtime: Interpreter, state: State, error: ShellError, argv: Sequence[Argument] = ()) -> int:
    """Write the message of an error, and end the command, its input unit or the shell.

    Args:
        argv: The words of the command; empty for an assignment.

    Returns:
        The status of the command, when only the command ends.

    Raises:
        Discard: The input unit ends.
        ExitShell: The shell ends.
    """
    assignment_error(runtime, state, error)
    previous, state.status = state.status, error.status
    options = state.options
    if error.ends == "command":
        if options.posix and argv and argv[0] in runtime.commands.special:
            raise ExitShell(error.status)
        return error.status
    if options.posix and _ends_posix_shell(error, bare=not argv):
        _end_shell(state, 127, error)
    if error.ends == "shell":
        _end_shell(state, error.status, error)
    if (
        options.errexit
        and error.reason not in ("expression", "bad reference")
        and "subscript" not in error.origins
    ):
        _exit_at_once(state, previous if previous and error.reason in _LEAVING_STATUS else error.status)
    if state.subshell and ("subscript" not in error.origins or state.invocation.input == "string"):
        raise Discard(state.shell.run_exit_trap(state, error.status))  # the trap sees the calls' locals
    raise Discard(error.status, top=error.ends == "top")


def expression_error(runtime: Interpreter, state: State, error: ShellError, command: str) -> int:
    """Report an error inside ``((`` or ``[[``: they return status 1 where other commands would end the unit."""
    if error.ends == "shell":
        assignment_error(runtime, state, error)
        state.status = error.status
        _end_shell(state, error.status, error)
    if error.ends == "top" or "operand" in error.origins:
        return fatal_error(runtime, state, error.ending_unit())
    if error.reason == "readonly variable":
        assignment_error(runtime, state, error)
    else:
        runtime.error(state, f"{command}: {error.message}")
    state.status = 1
    return 1


def _ends_posix_shell(error: ShellError, *, bare: bool) -> bool:
    """Return True when posix mode ends the shell where bash ends the unit; ``bare``: there is no command."""
    if error.reason == "expression":
        return "subscript" not in error.origins
    return error.reason == "bad substitution" or (bare and error.reason in _ENDING_POSIX_SHELL)


def _end_shell(state: State, status: int, error: ShellError) -> NoReturn:
    """End the shell, or only the input unit if it is interactive."""
    status = fatal_status(state, status)
    if state.invocation.interactive is not None:
        raise Discard(status)
    at_once = state.options.errexit and not state.eval_in_condition and error.reason != "expression"
    if "evaluation" in error.origins and state.invocation.input != "string" and not state.subshell:
        at_once = True  # as in bash, which leaves no call before its EXIT trap runs
    leaves_calls = "subscript" in error.origins and error.reason == "expression"
    if at_once:
        _exit_at_once(state, status)
    if state.subshell and not leaves_calls:
        status = state.shell.run_exit_trap(state, status)
    raise FatalExit(status)


def fatal_status(state: State, status: int) -> int:
    """Return the exit status of a shell that an error with ``status`` ended: 127 only for ``-c``."""
    if status != 127:
        return status
    returns_1 = (
        (state.options.errexit and not state.eval_in_condition)
        or state.invocation.input in ("file", "stdin")
        or state.invocation.interactive is not None
    )
    return 1 if returns_1 or (state.subshell and not state.execution.direct) else 127

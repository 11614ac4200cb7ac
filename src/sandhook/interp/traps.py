"""Traps: EXIT, ERR, DEBUG, RETURN, and signals (POSIX.1-2024 XCU 2.15 trap)."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.kernel.signals import NAMES, SIGINT
from sandhook.state.control import Discard, ExitShell, FatalExit, ReturnFrom
from sandhook.state.frame import AbandonedCalls
from sandhook.state.locals import leave
from sandhook.state.state import Interpreter, State
from sandhook.syntax.nodes import Command, Pipeline, SimpleCommand, Subshell

#: The labels of traps in messages of syntax errors; "trap" for other signals.
_LABELS = {
    "EXIT": "exit trap",
    "ERR": "error trap",
    "DEBUG": "debug trap",
    "RETURN": "return trap",
    "INT": "interrupt trap",
}


def run_trap(runtime: Interpreter, state: State, name: str) -> int:
    """Run the commands of a trap, unless the trap is running; ``$?`` is restored.

    Returns:
        The status of its last command; 0 when there is nothing to run.
    """
    tracing = state.tracing
    text = state.traps.get(name)
    running = tracing.running_traps
    if not text or name in running or (name == "RETURN" and "DEBUG" in running and "DEBUG" in state.traps):
        return 0
    status, line, pipestatus = state.status, state.line, state.pipestatus
    errexit_suppressed = state.errexit_suppressed
    tracing.running_traps |= {name}
    if name not in ("EXIT", "ERR", "RETURN"):
        state.errexit_suppressed = 0  # the commands of the trap are not a part of a condition around it
    outer_return_status, outer_exit_status = tracing.return_status, tracing.exit_status
    tracing.exit_status = None  # that of the EXIT trap is not what exit in another trap means
    tracing.return_status = None if name == "DEBUG" else status
    outer_calls = tracing.err_calls
    if name == "ERR":
        tracing.err_calls = len(state.frames), None, line
    elif outer_calls is not None and outer_calls[1] is None:
        tracing.err_calls = outer_calls[0], len(state.frames), outer_calls[2]
    finished = True
    try:
        # Traps of signals count their lines from 1; others have the line of the command or of the call.
        first = None if name in ("ERR", "DEBUG", "RETURN") else 1
        result = runtime.run_text(state, text, name=_LABELS.get(name, "trap"), line=first)
        state.status = status
    except ExitShell:
        finished = False  # the trap counts as running during the EXIT trap
        raise
    finally:
        if finished:
            tracing.running_traps -= {name}
            tracing.err_calls = outer_calls
        tracing.return_status, tracing.exit_status = outer_return_status, outer_exit_status
        state.line = line
        state.pipestatus = pipestatus
        state.errexit_suppressed = errexit_suppressed
    return result


def run_return_of_script(runtime: Interpreter, state: State) -> None:
    """Run the RETURN trap after ``.``, which hides the DEBUG trap from it too."""
    hidden = suspend(state, {"DEBUG": state.options.functrace})
    try:
        runtime.run_trap(state, "RETURN")
    finally:
        resume(state, hidden)


def skips(state: State, status: int) -> bool:
    """Return True if the status of a DEBUG trap skips the command after it.

    Raises:
        ReturnFrom: The status is 2 within a function or a sourced file, which then returns.
    """
    if not status or "extdebug" not in state.options.shopts:
        return False
    if status == 2 and state.frames:
        raise ReturnFrom(2)
    state.status = 0
    return True


def note_failure(state: State, node: Command) -> None:
    """Record a command that failed for BASH_COMMAND: in a pipeline, the last one that the shell itself knows."""
    if (
        isinstance(node, Pipeline)
        and len(node.commands) > 1
        and state.tracing.tracks_commands
        and uses_lastpipe(state)
    ):
        return  # what the last part ran is recorded
    last = node.commands[-1] if isinstance(node, Pipeline) and node.commands else node
    if (
        isinstance(node, Pipeline)
        and not isinstance(last, (SimpleCommand, Subshell))
        and len(node.commands) > 1
    ):
        simple = [command for command in node.commands if isinstance(command, SimpleCommand)]
        if simple and not uses_lastpipe(state):
            state.shell.note_command(state, simple[-1])
        return
    state.shell.note_command(state, node)


def fails_twice(state: State, node: Command) -> bool:
    """Return True for a subshell at the end of a pipeline: as in bash, it and the pipeline run the ERR trap."""
    return (
        isinstance(node, Pipeline)
        and len(node.commands) > 1
        and isinstance(node.commands[-1], Subshell)
        and not uses_lastpipe(state)
    )


def uses_lastpipe(state: State) -> bool:
    """Return True if the last command of a pipeline runs in the shell itself."""
    return state.options.lastpipe and not state.shell.job_control(state)


def suspend(state: State, inherited: dict[str, bool]) -> dict[str, str] | None:
    """Remove and return the traps that a function or sourced file does not inherit.

    Args:
        inherited: The traps in question, and whether they are inherited.
    """
    traps = state.traps
    return {
        name: traps.pop(name)
        for name, is_inherited in inherited.items()
        if not is_inherited and name in traps
    } or None


def resume(state: State, hidden: dict[str, str] | None) -> None:
    """Restore removed traps, unless new ones were set meanwhile."""
    if hidden is not None:
        state.traps = {**hidden, **state.traps}
        state.update_instrumented()


def without_err_trap(state: State, run: Callable[[], int]) -> int:
    """Run ``eval``, ``.`` or ``command``; where a failure is tested, the ERR trap is away meanwhile, as in bash.

    It comes back at the end, whatever ``trap`` has made of it.
    """
    text = state.traps.get("ERR")
    if not text or not state.errexit_suppressed:
        return run()
    depth = state.tracing.err_depth
    state.traps = {name: other for name, other in state.traps.items() if name != "ERR"}
    try:
        return run()
    finally:
        state.traps = {**state.traps, "ERR": text}
        state.tracing.err_depth = depth
        state.update_instrumented()


def note_return(state: State, status: int) -> None:
    """Record the end of a call: an ERR trap that the call set does not run for the call itself."""
    tracing = state.tracing
    if (tracing.err_depth or 0) > state.calls and "ERR" in state.traps:
        tracing.err_depth = state.calls
        state.execution.skips_err_trap = bool(status) and not state.errexit_suppressed


def leave_calls(state: State) -> bool:
    """Leave the calls for errexit: the EXIT trap sees their names and parameters, and in a subshell their locals.

    As in bash, a call with redirections ends before that, together with the calls in it.

    Return True if the trap runs at once: with the redirections of the failed command, and of what is around it.
    """
    execution, frames = state.execution, state.frames
    if "EXIT" in state.tracing.running_traps:  # whose own failure runs no other one
        return False
    if not frames:
        return not state.subshell and state.invocation.input != "string"
    if execution.redirected_call is not None:
        depth, positional = execution.redirected_call
        execution.abandoned_calls = AbandonedCalls(frames[:depth]), positional
        return False
    if state.subshell:
        execution.abandoned_calls, execution.keeps_locals = (frames.copy(), state.positional), True
        return False
    execution.abandoned_calls = AbandonedCalls(frames), state.positional
    for frame in reversed(frames):
        frame.options = None  # those of ``local -`` stay
        leave(state, frame)
        frame.saved = {}  # the calls themselves end later
    return True


def keep_locals(state: State, arguments: list[str]) -> None:
    """Keep the parameters and locals of a call that is the only command of a process, for its EXIT trap, as in bash."""
    state.execution.abandoned_calls = state.frames, arguments


def run_exit_trap(runtime: Interpreter, state: State, status: int) -> int:
    """Run the EXIT trap once; an ``exit`` inside sets the status, and an error that ends the trap does not."""
    text = state.traps.pop("EXIT", None)
    if not text or state.execution.skips_exit_trap:
        return status
    state.status = status
    execution, tracing = state.execution, state.tracing
    execution.running_exit_trap = text
    if execution.abandoned_calls is not None:
        state.frames, state.positional = execution.abandoned_calls
        execution.abandoned_calls = None
    tracing.exit_status = tracing.return_status = status  # for exit and return without an operand in the trap
    state.errexit_suppressed = 0
    state.loops = 0
    tracing.running_traps |= {"EXIT"}
    tracing.depth = tracing.outer_depth
    try:
        runtime.run_text(state, text, name=_LABELS["EXIT"], line=1)
    except (FatalExit, Discard):
        pass
    except (ExitShell, ReturnFrom) as leaving:
        status = leaving.status
    if state.subshell or state.frames or state.invocation.input != "string":
        state.traps.pop(
            "EXIT", None
        )  # what the trap itself set runs only at the top level of a command string
    return status


def handle_signal(runtime: Interpreter, state: State, number: int) -> None:
    """Run the trap of a signal; in an interactive shell an interrupt ends the line."""
    if (
        number == SIGINT
        and state.invocation.interactive is not None
        and "INT" not in state.traps
        and not state.subshell
    ):
        runtime.write_error(state, "\n")
        raise Discard(128 + SIGINT)
    run_trap(runtime, state, NAMES[number])

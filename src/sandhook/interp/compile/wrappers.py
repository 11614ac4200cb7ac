"""Wrappers of a command's closure: ``$_``, BASH_COMMAND, process substitutions, exec in place."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.interp.compile.arguments import Arguments
from sandhook.interp.compile.protocol import Run
from sandhook.state.assigned import Argument, Assigned
from sandhook.state.state import State
from sandhook.syntax.nodes import SimpleCommand


def exec_in_place(run: Run) -> Run:
    """Let an external command at this depth of calls replace its process, which runs nothing after it."""

    def run_last(state: State) -> int:
        state.execution.last_command = state.calls
        return run(state)

    return run_last


def end_subshell(run: Run) -> Run:
    """Do so with the last command of a subshell, unless traps are set, for they run after the command."""

    def run_last(state: State) -> int:
        if not (state.traps and any(state.traps.values())):
            state.execution.last_command = state.execution.replaced_shell = state.calls
        return run(state)

    return run_last


def end_substitution(run: Run) -> Run:
    """Mark the last command of a substitution, or a job of one simple command: see ``Execution.replaced_shell``."""

    def run_last(state: State) -> int:
        if not (state.traps and any(state.traps.values())):
            state.execution.replaced_shell = state.calls
        return run(state)

    return run_last


def end_text(run: Run) -> Run:
    """Mark the last command of a text, which replaces the shell if the text is that of ``bash -c``."""

    def run_last(state: State) -> int:
        if state.execution.main_calls == state.calls and not (state.traps and any(state.traps.values())):
            state.execution.replaced_shell = state.calls
        return run(state)

    return run_last


def record_last_argument(arguments: Arguments, compile_with: Callable[[Arguments], Run]) -> Run:
    """Set ``$_`` to the last argument after the command: the command itself sees the previous one.

    Args:
        compile_with: Returns the command's closure for its arguments.
    """

    def expand_and_record(state: State) -> list[Argument]:
        argv = arguments(state)
        if argv:
            state.execution.last_argument = argv[-1]
        return argv

    run = compile_with(expand_and_record)

    def run_and_record(state: State) -> int:
        execution = state.execution
        outer, execution.last_argument = execution.last_argument, None
        try:
            status = run(state)
            last = execution.last_argument
            if last is not None:
                state.last_argument = last if isinstance(last, str) else _as_argument(last)
        finally:
            execution.last_argument = outer
        return status

    return run_and_record


def _as_argument(assigned: Assigned) -> str:
    """Return the text of ``$_`` after an assignment as the last argument; for a list it is the name alone."""
    if isinstance(assigned.value, list):
        return assigned.name
    subscript = "" if assigned.subscript is None else f"[{assigned.subscript}]"
    return f"{assigned.name}{subscript}{'+=' if assigned.append else '='}{assigned.value}"


def clear_last_argument(run: Run) -> Run:
    """Empty ``$_`` after a command of assignments alone, which has no last argument."""

    def run_and_clear(state: State) -> int:
        status = run(state)
        state.last_argument = ""
        return status

    return run_and_clear


def record_command(run: Run, node: SimpleCommand) -> Run:
    """Record the command for BASH_COMMAND before it runs."""

    def record_and_run(state: State) -> int:
        state.shell.note_command(state, node)
        return run(state)

    return record_and_run


def close_substitutions(run: Run) -> Run:
    """Close the descriptors of process substitutions after the command."""

    def run_and_close(state: State) -> int:
        execution = state.execution
        outer = execution.substitutions
        descriptors: list[int] = []
        execution.substitutions = descriptors
        try:
            return run(state)
        finally:
            execution.substitutions = outer
            for number in descriptors:
                state.process.close(number)

    return run_and_close

"""Wrappers of a command's closure: ``$_``, BASH_COMMAND, process substitutions, exec in place."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.interp.compile.arguments import Arguments
from sandhook.interp.compile.protocol import Run
from sandhook.lazy import lazily
from sandhook.state.assigned import Argument, as_argument
from sandhook.state.state import State
from sandhook.syntax.nodes import ArithmeticCommand, Literal, SimpleCommand

_ASSIGNS_LAST = lazily(r"(?<!\w)_ ?(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?<!\w)_ ?(?:\+\+|--)|(?:\+\+|--) ?_(?!\w)")


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
        state.execution.last_argument = argv[-1] if argv else ""
        return argv

    run = compile_with(expand_and_record)

    def run_and_record(state: State) -> int:
        execution = state.execution
        outer, execution.last_argument = execution.last_argument, None
        try:
            status = run(state)
            last = execution.last_argument
            if last is not None:
                state.last_argument = last if isinstance(last, str) else as_argument(last)
        finally:
            execution.last_argument = outer
        return status

    return run_and_record


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


def assign_last_argument(run: Run) -> Run:
    """Let ``$_`` have the value that a loop has assigned to the variable ``_``, before its body runs."""

    def assign_and_run(state: State) -> int:
        state.last_argument = state.get("_") or ""
        return run(state)

    return assign_and_run


def keep_assigned_argument(run: Run, node: ArithmeticCommand) -> Run:
    """Let ``$_`` have the value that arithmetic assigns to the variable ``_``."""
    text = "".join([part.text for part in node.expression.parts if isinstance(part, Literal)])
    if not _ASSIGNS_LAST.search(text):
        return run

    def run_and_assign(state: State) -> int:
        status = run(state)
        state.last_argument = state.get("_") or ""
        return status

    return run_and_assign

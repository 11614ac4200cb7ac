"""Subshell environments: their begin and their end.

A subshell is a forked process with a copied State. It runs in the parent's task when the parent waits
for it (``( )``, the last command of a pipeline, command substitution), else as a task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.interp.jobs import jobs_of
from sandhook.kernel.descriptor import Null
from sandhook.kernel.process import Process
from sandhook.kernel.signals import SIGINT, SIGKILL, SIGQUIT, Terminated
from sandhook.state.control import BreakLoop, ContinueLoop, Discard, ExitShell, ReturnFrom, ShellError
from sandhook.state.fork import fork
from sandhook.state.state import State
from sandhook.syntax.nodes import (
    AndOr,
    ArithmeticFor,
    Case,
    Command,
    For,
    If,
    Pipeline,
    Redirection,
    Select,
    SimpleCommand,
    While,
)
from sandhook.typed import TypeAlias

Run: TypeAlias = Callable[[State], int]

#: What bash runs in a process of its own without the EXIT trap that it sets.
_WITHOUT_EXIT_TRAP = (AndOr, Case, For, ArithmeticFor, If, Select, While)


def enter(
    state: State,
    child: Process,
    *,
    sees_jobs: bool = False,
    coprocesses: bool = False,
    reads_pipe: bool = False,
) -> State:
    """Return the State of a subshell of ``state`` that runs as ``child``.

    Args:
        sees_jobs: The subshell is a simple command or a substitution: it sees the jobs of the shell, and its
            ``break`` may name loops of the shell, which ends the subshell without a message.
        coprocesses: The descriptors of coprocesses stay open.
        reads_pipe: The input is that of a pipeline.
    """
    inner = fork(state, child)
    inner.execution.reads_pipe = reads_pipe
    inner.execution.redirected_input = reads_pipe or state.execution.redirected_input
    if sees_jobs:
        inner.loops = state.loops
        if state.jobs is not None:
            inner.jobs = state.jobs.copy()
    if state.coprocesses and not coprocesses:
        for number in state.coprocesses:
            child.close(number)
    inner.tracing.outer_depth = state.tracing.depth
    inner.tracing.exit_status = inner.tracing.return_status = None
    inner.tracing.running_traps -= {"EXIT"}
    if inner.traps:
        options = inner.options
        if not options.errtrace:
            inner.tracing.err_depth = None
        inherited = {"ERR": options.errtrace, "DEBUG": options.functrace, "RETURN": options.functrace}
        inner.traps = {
            name: text for name, text in inner.traps.items() if not text or inherited.get(name, False)
        }
        inner.execution.inherited_traps = state.traps
        inner.update_instrumented()
    else:
        inner.execution.inherited_traps = state.execution.inherited_traps
    running = state.execution.running_exit_trap
    if running is not None:
        inner.execution.inherited_traps = {**inner.execution.inherited_traps, "EXIT": running}
    return inner


def finish(state: State, run: Run) -> int:
    """Run a subshell's commands and its EXIT trap; return its exit status."""
    try:
        status = run(state)
    except ExitShell as leaving:
        status = leaving.status
    except Discard as error:
        status = error.status
    except ReturnFrom as leaving:
        status = leaving.status
    except (BreakLoop, ContinueLoop):
        status = 0
    except Terminated as death:
        run_last_trap(state, death)
        raise
    state.status = status
    if "EXIT" in state.traps:
        status = state.shell.run_exit_trap(state, status)
    return status


def run_last_trap(state: State, death: Terminated) -> None:
    """Run the EXIT trap of a shell that a signal ends; the trap does not change the signal."""
    if death.signal != SIGKILL and "EXIT" in state.traps:
        state.execution.skips_exit_trap = False
        state.shell.run_exit_trap(state, state.status)


def in_subshell(
    state: State,
    child: Process,
    run: Run,
    *,
    sees_jobs: bool = False,
    coprocesses: bool = False,
    reads_pipe: bool = False,
) -> int:
    """Run ``run`` as ``child`` in the current task, and return its exit status; see ``enter``."""
    inner = enter(state, child, sees_jobs=sees_jobs, coprocesses=coprocesses, reads_pipe=reads_pipe)
    # With an EXIT trap the process has work after the end of the child, so a signal waits for that.
    return state.process.run_child(
        child, lambda: finish(inner, run), signalled="EXIT" not in state.traps, substitutes=coprocesses
    )


def start_subshell(
    state: State, child: Process, run: Run, *, sees_jobs: bool = False, reads_pipe: bool = False
) -> State:
    """Run ``run`` as ``child`` in a task of its own; see ``enter``."""
    inner = enter(state, child, sees_jobs=sees_jobs, reads_pipe=reads_pipe)
    child.start(lambda: finish(inner, run))
    return inner


def redirect_apart(state: State, apply: Callable[[State, None], None]) -> int:
    """Apply redirections without a command in a separate process; return its status."""

    def run(inner: State) -> int:
        try:
            apply(inner, None)
        except ShellError as error:
            return inner.shell.fatal_error(inner, error)
        return 0

    return in_subshell(state, state.process.fork(), run, sees_jobs=True)


def direct(run: Run, node: Command) -> Run:
    """Mark the subshell of a part of a pipeline or of a job.

    The status of an expansion error depends on whether it is one simple command. As in bash, an EXIT trap that a
    loop, ``if`` or ``case`` has set does not run.
    """
    plain = node.commands[0] if isinstance(node, Pipeline) and len(node.commands) == 1 else node
    if isinstance(plain, _WITHOUT_EXIT_TRAP):
        return skip_exit_trap(run)
    if not isinstance(node, SimpleCommand):
        return run

    def run_direct(state: State) -> int:
        state.execution.base_calls = len(state.frames)
        if state.subshell <= 1:  # in a pipeline of a subshell, the status is as for other errors
            state.execution.direct = True
        return run(state)

    return run_direct


def skip_exit_trap(run: Run) -> Run:
    """End the process without the EXIT trap that it sets itself."""

    def run_untrapped(state: State) -> int:
        state.execution.skips_exit_trap = True
        return run(state)

    return run_untrapped


def redirects_input(redirections: Sequence[Redirection]) -> bool:
    """Return True if bash takes one of the redirections for one of standard input."""
    return any(
        redirection.operator in ("<", "<<", "<<-", "<<<")
        or (redirection.operator in ("<&", "<>") and not redirection.fd and redirection.variable is None)
        for redirection in redirections
    )


def in_background(run: Run, node: Command) -> Run:
    """Compile ``command &``."""
    run = direct(run, node)
    own_input = redirects_input(getattr(node, "redirections", ()))
    shown = node._replace(negated=False) if isinstance(node, Pipeline) else node  # as bash prints it

    def start(state: State) -> int:
        state.budget.charge(1)
        child = state.process.fork()
        if state.shell.job_control(state):
            child.group = child.pid
        else:
            # Without job control a job reads nothing and cannot be interrupted (XCU 2.11), but as in bash it
            # reads the input of the pipeline or the redirected compound command that it is part of.
            if not own_input and not state.execution.redirected_input:
                child.install(0, Null())
            child.ignored.update((SIGINT, SIGQUIT))
        inner = start_subshell(state, child, run, sees_jobs=isinstance(node, SimpleCommand))
        if isinstance(node, Pipeline) and not node.negated:
            inner.execution.alone = True
        inner.execution.asynchronous = isinstance(node, SimpleCommand)
        from sandhook.state.jobs import Job

        jobs_of(state).add(Job([child], shown))
        state.last_background = child.pid
        state.status = 0
        return 0

    return start

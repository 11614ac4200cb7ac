"""Lists, AND-OR lists and pipelines (POSIX.1-2024 XCU 2.9.2, 2.9.3)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import TypeAlias

from sandhook.interp.compile.protocol import Compiler
from sandhook.interp.jobs import report_ended_jobs
from sandhook.interp.messages import report_pipeline
from sandhook.interp.redirect import Undo, install, restore
from sandhook.interp.subshell import direct, in_background, in_subshell, start_subshell
from sandhook.kernel.descriptor import Description
from sandhook.kernel.process import Process
from sandhook.kernel.signals import Terminated
from sandhook.state.control import BreakLoop, ContinueLoop
from sandhook.state.state import State
from sandhook.syntax.nodes import (
    AndOr,
    ArithmeticCommand,
    BraceGroup,
    Command,
    CommandList,
    ConditionalCommand,
    Coprocess,
    FunctionDefinition,
    ListItem,
    Literal,
    ParameterExpansion,
    Pipeline,
    Redirection,
    SimpleCommand,
    Subshell,
    Word,
    walk,
)

Run: TypeAlias = Callable[[State], int]

_ERROR_TOO = Redirection(">&", Word((Literal("1"),)), 2)


def is_checked(compiler: Compiler, node: Command) -> bool:
    """Return True when errexit and the ERR trap look at this command's status.

    A group, loop or case is not looked at itself: its last command was. A ``return`` has none of its own.
    """
    if id(node) in compiler.returns:
        return False
    if isinstance(node, Pipeline):
        return not node.negated
    return isinstance(
        node, (SimpleCommand, Subshell, ArithmeticCommand, ConditionalCommand, FunctionDefinition)
    )


def compile_list(compiler: Compiler, node: CommandList, *, tested: bool = False) -> Run:
    """Compile a list: each item in turn, errexit after each unless the list is a condition."""
    items = [_compile_item(compiler, item) for item in node.items]
    if len(items) == 1:
        only, checked = items[0]
        command = node.items[0].command
        if not checked or tested:
            return only

        def run_one(state: State) -> int:
            status = only(state)
            if status:
                state.shell.failed(state, status, command)
            return status

        return run_one

    def run_list(state: State) -> int:
        status = 0
        for run, checked in items:
            status = run(state)
            if status and checked:
                state.shell.failed(state, status, checked)
        return status

    return run_list


def _compile_item(compiler: Compiler, item: ListItem) -> tuple[Run, Command | None]:
    """Return the closure, and the command when errexit looks at it."""
    node = item.command
    if item.background:
        plain = node._replace(negated=False) if isinstance(node, Pipeline) and node.negated else node
        return in_background(compiler.final(plain), node), None  # "! x &" does not invert, in bash
    if isinstance(node, AndOr):
        return compile_and_or(compiler, node), None
    return compiler.command(node), node if is_checked(compiler, node) else None


def compile_and_or(compiler: Compiler, node: AndOr) -> Run:
    """Compile ``a && b || c``: only the last command of the list is looked at by errexit."""
    commands = [compiler.command(command) for command in node.commands]
    checked = is_checked(compiler, node.commands[-1])
    last = len(commands) - 1
    first = commands[0]
    rest = [
        (operator == "&&", command, index == last)
        for index, (operator, command) in enumerate(zip(node.operators, commands[1:]), 1)
    ]

    def run_and_or(state: State) -> int:
        outer = state.errexit_suppressed
        state.errexit_suppressed = outer + 1
        status = first(state)
        for is_and, command, is_last in rest:
            if (status == 0) is not is_and:
                continue
            if is_last:
                state.errexit_suppressed = outer
                status = command(state)
                if status and checked:
                    state.shell.failed(state, status, node.commands[-1])
                return status
            status = command(state)
        state.errexit_suppressed = outer
        return status

    return run_and_or


def compile_pipeline(compiler: Compiler, node: Pipeline) -> Run:
    """Compile a pipeline, "!" and "time"."""
    if not node.commands:
        run: Run = _nothing
    elif len(node.commands) == 1:
        only = node.commands[0]
        run = compiler.negated(only) if node.negated else compiler.command(only)
    else:
        commands = [
            _with_error(command) if both else command
            for command, both in zip(node.commands, (*node.both, False))
        ]
        run = _piped(
            [_stage(compiler, command) for command in commands],
            _in_shell(compiler, node.commands[-1]),
            [command if isinstance(command, SimpleCommand) else None for command in commands],
            node,
        )
    if node.negated and len(node.commands) != 1:
        run = compile_negated(run)
    if node.timed is not None:
        run = _timed(run, posix=node.timed == "time -p")
    return run


def _in_shell(compiler: Compiler, node: Command) -> Run:
    """Compile the last part for lastpipe, when it first runs: nested ones would be compiled twice at every level."""
    made: list[Run] = []
    checked = is_checked(compiler, node)

    def run(state: State) -> int:
        if not made:
            made.append(compiler.command(node))
        status = made[0](state)
        if status and checked:
            state.shell.failed(state, status, node)  # by itself; the pipeline comes after
        return status

    return run


def _with_error(node: Command) -> Command:
    """Return the command before ``|&``: it has ``2>&1`` after its own redirections."""
    if isinstance(node, (Pipeline, AndOr, FunctionDefinition, Coprocess)):
        return BraceGroup(CommandList((ListItem(node, False),), node.span), (_ERROR_TOO,), 0, node.span)
    return node._replace(redirections=(*node.redirections, _ERROR_TOO))


def _stage(compiler: Compiler, node: Command) -> Run:
    """Compile a pipeline's part; a simple one counts as a subshell only when its words are expanded."""
    run = direct(compiler.final(node), node)
    if not isinstance(node, SimpleCommand):
        return run
    named = (
        part.name == "BASH_SUBSHELL"
        for part in walk((node.words, node.assignments))
        if isinstance(part, ParameterExpansion)
    )
    if not any(named):
        return run

    def on_level_of_shell(state: State) -> int:
        state.subshell -= 1
        return run(state)

    return on_level_of_shell


def _nothing(state: State) -> int:
    state.budget.charge(1)
    state.status = 0
    return 0


def compile_negated(run: Run, *, all_of_it: bool = False) -> Run:
    """Return a closure that inverts the status of ``run``; PIPESTATUS is not inverted, unless ``all_of_it``."""

    def negated(state: State) -> int:
        outer = state.errexit_suppressed
        if state.options.errexit:  # as in bash: without it, the ERR trap sees the commands of a group after !
            state.errexit_suppressed = outer + 1
        try:
            own = run(state)
            status = 0 if own else 1
        except (BreakLoop, ContinueLoop) as leaving:  # "! break" leaves, and fails
            leaving.status = 0 if leaving.status else 1
            raise
        state.errexit_suppressed = outer
        if state.pipestatus is None:
            state.pipestatus = [status if all_of_it else own]
        state.status = status
        return status

    return negated


def _timed(run: Run, *, posix: bool) -> Run:
    def timed(state: State) -> int:
        kernel = state.process.kernel
        before = kernel.times()
        status = run(state)
        real, user, system = (now - then for now, then in zip(kernel.times(), before))
        state.shell.print_times(state, (real, user, system), posix)
        return status

    return timed


def _piped(stages: list[Run], here: Run, simple: list[SimpleCommand | None], node: Pipeline) -> Run:
    """Run each stage in a process of its own.

    Args:
        here: The last stage, compiled for the shell itself (lastpipe).
        simple: The stages that are simple commands, None for others: the shell runs the DEBUG trap for them.
        node: All of it.
    """
    line = next((command.line for command in reversed(simple) if command is not None), 0)

    def run_pipeline(state: State) -> int:
        process = state.process
        in_shell = state.options.lastpipe and not state.shell.job_control(state)
        alone, state.execution.alone = state.execution.alone, False
        parts = stages
        if state.instrumented and not state.options.functrace:
            # the last stage runs its own DEBUG trap in the shell
            parts = _after_debug(state, stages, simple[:-1] if in_shell else simple)
        children, upstream = _start_writers(state, parts[:-1], simple)
        process.kernel.scheduler.yield_to_others()  # a short writer ends before a reader that does not read
        if in_shell:
            status = _run_last_here(state, here, upstream)
        else:
            child = process.fork()
            child.install(0, upstream)
            if alone:
                process.signal_target = child
            status = in_subshell(state, child, parts[-1], sees_jobs=simple[-1] is not None)
        statuses = [writer.wait() for writer in children]
        statuses.append(status)
        if not in_shell:
            children.append(child)
        if state.options.pipefail:
            status = next((failure for failure in reversed(statuses) if failure), 0)
        state.line = line or state.line
        state.pipestatus = statuses
        state.status = status
        signal = children[-1].signal
        if alone and signal:
            raise Terminated(signal)
        if not in_shell and (signal or (state.options.pipefail and status > 128)):
            report_pipeline(state, children, node)
        if state.jobs is not None:
            report_ended_jobs(state)
        if process.pending:
            process.deliver()
        return status

    return run_pipeline


def _after_debug(state: State, stages: list[Run], simple: list[SimpleCommand | None]) -> list[Run]:
    """Run the DEBUG trap for each simple stage; return the stages, without those that the trap skips."""
    return [
        _nothing if command is not None and state.shell.debug(state, command) else stage
        for command, stage in zip_longest(simple, stages)
    ]


def _start_writers(
    state: State, stages: list[Run], simple: list[SimpleCommand | None]
) -> tuple[list[Process], Description]:
    """Start the stages before the last; return their processes and the output of the last of them."""
    process = state.process
    children: list[Process] = []
    upstream: Description | None = None
    for stage, command in zip(stages, simple):
        downstream = process.kernel.pipe().ends()
        child = process.fork()
        if upstream is not None:
            child.install(0, upstream)
        child.install(1, downstream[1])
        upstream = downstream[0]
        start_subshell(state, child, stage, sees_jobs=command is not None)
        children.append(child)
    assert upstream is not None
    return children, upstream


def _run_last_here(state: State, stage: Run, upstream: Description) -> int:
    """lastpipe: the last command runs in the shell itself, reading the pipe."""
    undo: Undo = []
    install(state, 0, upstream, undo)
    try:
        return stage(state)
    finally:
        restore(state.process, undo)

"""Lists, AND-OR lists and pipelines (POSIX.1-2024 XCU 2.9.2, 2.9.3)."""

from __future__ import annotations

from functools import partial
from itertools import zip_longest

from sandhook.interp.compile.deferred import Deferred
from sandhook.interp.compile.protocol import Compiler, Run
from sandhook.interp.compile.wrappers import end_substitution
from sandhook.interp.jobs import report_ended_jobs
from sandhook.interp.redirect import Undo, install, restore
from sandhook.interp.subshell import direct, in_background, in_subshell, skip_exit_trap, start_subshell
from sandhook.interp.traps import uses_lastpipe
from sandhook.kernel.descriptor import Description
from sandhook.kernel.process import Process
from sandhook.kernel.signals import Terminated
from sandhook.lazy import lazy_module
from sandhook.state.control import BreakLoop, ContinueLoop, ControlFlow, Replaced, ReturnFrom
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
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.interp import messages
else:  # few commands are ended by a signal or timed
    messages = lazy_module("sandhook.interp.messages")

_DUPLICATE_ERROR = Redirection(">&", Word((Literal("1"),)), 2)


def is_checked(compiler: Compiler, node: Command) -> bool:
    """Return True if errexit and the ERR trap check this command's status.

    A group, loop or case is not checked itself: its last command was. A ``return`` has no status of its own.
    """
    if id(node) in compiler.returns:
        return False
    if isinstance(node, Pipeline):
        return not node.negated
    return isinstance(
        node, (SimpleCommand, Subshell, ArithmeticCommand, ConditionalCommand, FunctionDefinition)
    )


def compile_list(compiler: Compiler, node: CommandList, *, is_condition: bool = False) -> Run:
    """Compile a list: each item in turn, errexit after each unless the list is a condition."""
    items = [_compile_item(compiler, item) for item in node.items]
    if len(items) == 1:
        only, command = items[0]
        if command is None or is_condition:
            return only

        def run_one(state: State) -> int:
            status = only(state)
            if status:
                state.shell.failed(state, status, command)
            return status

        return run_one

    if len(items) == 2:
        (first, first_command), (second, second_command) = items

        def run_two(state: State) -> int:
            status = first(state)
            if status and first_command:
                state.shell.failed(state, status, first_command)
            status = second(state)
            if status and second_command:
                state.shell.failed(state, status, second_command)
            return status

        return run_two

    def run_list(state: State) -> int:
        status = 0
        for run, command in items:
            status = run(state)
            if status and command:
                state.shell.failed(state, status, command)
        return status

    return run_list


def compile_body(compiler: Compiler, node: CommandList) -> tuple[Run, Command | None]:
    """Compile the body of a loop, and return its only command if the loop itself must have errexit check it."""
    return (
        _compile_item(compiler, node.items[0])
        if len(node.items) == 1
        else (compile_list(compiler, node), None)
    )


def _compile_item(compiler: Compiler, item: ListItem) -> tuple[Run, Command | None]:
    """Return the closure, and the command if errexit checks it."""
    node = item.command
    if item.background:
        command = node._replace(negated=False) if isinstance(node, Pipeline) and node.negated else node
        run = compiler.final(command)
        if isinstance(command, SimpleCommand):
            return _background_debugged(end_substitution(run), command), None
        return in_background(run, node), None  # "! x &" does not invert, in bash
    if isinstance(node, AndOr):
        return compile_and_or(compiler, node), None
    return compiler.command(node), node if is_checked(compiler, node) else None


def compile_and_or(compiler: Compiler, node: AndOr) -> Run:
    """Compile ``a && b || c``: errexit checks only the last command of the list."""
    first = compiler.command(node.commands[0])
    checks_last = is_checked(compiler, node.commands[-1])
    last = len(node.commands) - 1
    rest = [
        (operator == "&&", Deferred(partial(compiler.command, command)), index == last)
        for index, (operator, command) in enumerate(zip(node.operators, node.commands[1:]), 1)
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
                status = (command.run or command.first)(state)
                if status and checks_last:
                    state.shell.failed(state, status, node.commands[-1])
                return status
            status = (command.run or command.first)(state)
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
            _with_error_output(command) if with_error else command
            for command, with_error in zip(node.commands, (*node.both, False))
        ]
        run = _compile_stages(
            [_stage(compiler, command) for command in commands],
            _in_shell(compiler, node.commands[-1]),
            [command if isinstance(command, SimpleCommand) else None for command in commands],
            node,
        )
    if node.negated and len(node.commands) != 1:
        run = compile_negated(run)
    if node.timed is not None:
        run = _compile_time(run, "-p" if node.timed == "time -p" else "" if node.commands else "alone")
    return run


def _in_shell(compiler: Compiler, node: Command) -> Run:
    """Compile the last part for lastpipe at its first run: nested parts would be compiled twice at every level."""
    cache: list[Run] = []
    checks_status = is_checked(compiler, node)

    def run(state: State) -> int:
        if not cache:
            cache.append(compiler.command(node))
        status = cache[0](state)
        if status and checks_status:
            state.shell.failed(state, status, node)  # the pipeline's own status is checked separately
        return status

    return run


def _with_error_output(node: Command) -> Command:
    """Return the command before ``|&``: it has ``2>&1`` after its own redirections."""
    if isinstance(node, (Pipeline, AndOr, FunctionDefinition, Coprocess)):
        return BraceGroup(CommandList((ListItem(node, False),), node.span), (_DUPLICATE_ERROR,), 0, node.span)
    return node._replace(redirections=(*node.redirections, _DUPLICATE_ERROR))


def _stage(compiler: Compiler, node: Command) -> Run:
    """Compile a pipeline's part; BASH_SUBSHELL in the words of a simple command does not count the part itself."""
    run = direct(compiler.final(node), node)
    if not isinstance(node, SimpleCommand):
        return run
    reads_level = any(
        part.name == "BASH_SUBSHELL"
        for part in walk((node.words, node.assignments))
        if isinstance(part, ParameterExpansion)
    )
    if not reads_level:
        return run

    def run_on_level_of_shell(state: State) -> int:
        state.subshell -= 1
        return run(state)

    return run_on_level_of_shell


def _nothing(state: State) -> int:
    state.budget.charge(1)
    state.status = 0
    return 0


def compile_negated(run: Run, *, inverts_pipestatus: bool = False) -> Run:
    """Return a closure that inverts the status of ``run``, and PIPESTATUS only if ``inverts_pipestatus``."""

    def run_negated(state: State) -> int:
        outer = state.errexit_suppressed
        if (
            state.options.errexit
        ):  # as in bash: without errexit, the commands of a group after ! run the ERR trap
            state.errexit_suppressed = outer + 1
        try:
            command_status = run(state)
            status = 0 if command_status else 1
        except (BreakLoop, ContinueLoop) as control:  # "! break" ends the loop, with an inverted status
            control.status = 0 if control.status else 1
            raise
        state.errexit_suppressed = outer
        if state.pipestatus is None:
            state.pipestatus = [status if inverts_pipestatus else command_status]
        state.status = status
        return status

    return run_negated


def _compile_time(run: Run, form: str) -> Run:
    def run_timed(state: State) -> int:
        kernel = state.process.kernel
        before = kernel.times()

        def report() -> None:
            real, user, system = (now - then for now, then in zip(kernel.times(), before))
            state.shell.print_times(state, (real, user, system), form)

        try:
            status = run(state)
        except (ReturnFrom, Replaced):
            raise
        except ControlFlow:  # exit, break and errors do not hide the times
            report()
            raise
        report()
        return status

    return run_timed


def _compile_stages(
    stages: list[Run], last_in_shell: Run, simple: list[SimpleCommand | None], node: Pipeline
) -> Run:
    """Compile a pipeline to a closure that runs each stage in a separate process.

    Args:
        last_in_shell: The last stage, compiled for the shell itself (lastpipe).
        simple: The stages that are simple commands, None for others: the shell runs the DEBUG trap for them.
        node: The pipeline.
    """
    last = next((command for command in reversed(simple) if command is not None), node.commands[-1])
    line = getattr(node.commands[-1] if isinstance(node.commands[-1], Subshell) else last, "line", 0)
    # In a pipeline in the background bash also skips the EXIT trap that a group sets.
    untrapped = [
        skip_exit_trap(stage) if isinstance(command, BraceGroup) else stage
        for command, stage in zip(node.commands, stages)
    ]

    def run_pipeline(state: State) -> int:
        process = state.process
        if process.pending:
            process.deliver()  # no stage starts after the death of the shell
        lasts_in_shell = uses_lastpipe(state)
        alone, state.execution.alone = state.execution.alone, False
        parts = untrapped if alone else stages
        if state.instrumented:
            # the last stage runs its own DEBUG trap in the shell
            parts = _after_debug(state, parts, simple[:-1] if lasts_in_shell else simple)
        children, upstream = _start_writers(state, parts[:-1], simple)
        process.kernel.scheduler.yield_to_others()  # a short writer ends before a reader that does not read
        if lasts_in_shell:
            status = _run_in_shell(state, last_in_shell, upstream)
        else:
            child = process.fork()
            child.install(0, upstream)
            if alone:
                process.signal_target = child
            status = in_subshell(state, child, parts[-1], sees_jobs=simple[-1] is not None, reads_pipe=True)
        statuses = [writer.wait() for writer in children]
        statuses.append(status)
        if not lasts_in_shell:
            children.append(child)
        if state.options.pipefail:
            status = next((failure for failure in reversed(statuses) if failure), 0)
        if not lasts_in_shell:  # otherwise it is that of the last command that ran
            state.line = line or state.line
        state.pipestatus = statuses
        state.status = status
        signal = children[-1].signal
        if alone and signal:
            raise Terminated(signal)
        if not lasts_in_shell and (signal or (state.options.pipefail and status > 128)):
            messages.report_pipeline(state, children, node)
        if state.jobs is not None:
            report_ended_jobs(state)
        if process.pending:
            process.deliver()
        return status

    return run_pipeline


def _after_debug(state: State, stages: list[Run], simple: list[SimpleCommand | None]) -> list[Run]:
    """Run the DEBUG trap for each simple stage; return the stages, the skipped ones replaced by no-ops."""
    return [
        stage if command is None else _nothing if _debug(state, command) else _debugged(stage, command)
        for command, stage in zip_longest(simple, stages)
    ]


def _debugged(stage: Run, command: SimpleCommand) -> Run:
    """Return a stage that runs no DEBUG trap for its command: with functrace the child has the trap too."""

    def run(state: State) -> int:
        state.tracing.debugged = command
        return stage(state)

    return run


def _background_debugged(run: Run, command: SimpleCommand) -> Run:
    """Compile ``command &`` of a simple command: the shell runs its DEBUG trap, before the process starts."""
    start = in_background(run, command)
    start_debugged = in_background(_debugged(run, command), command)

    def start_after_debug(state: State) -> int:
        if not state.instrumented:
            return start(state)
        if _debug(state, command):
            state.status = 0
            return 0
        return start_debugged(state)

    return start_after_debug


def _debug(state: State, command: SimpleCommand) -> bool:
    """Run the DEBUG trap for a stage; return True if it is skipped."""
    state.line = command.line
    return state.shell.debug(state, command, ahead=True)


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
        start_subshell(state, child, stage, sees_jobs=command is not None, reads_pipe=bool(children))
        children.append(child)
    assert upstream is not None
    return children, upstream


def _run_in_shell(state: State, stage: Run, upstream: Description) -> int:
    """Run the last command in the shell itself (lastpipe); its input is the pipe."""
    undo: Undo = []
    install(state, 0, upstream, undo)
    try:
        return stage(state)
    finally:
        restore(state.process, undo)

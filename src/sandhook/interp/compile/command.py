"""Subshells, function definitions and coprocesses."""

from __future__ import annotations

from functools import partial

from sandhook.interp.compile.deferred import Deferred
from sandhook.interp.compile.functions import is_shallow, last_returns
from sandhook.interp.compile.protocol import Compiler, Run
from sandhook.interp.compile.wrappers import end_substitution
from sandhook.interp.jobs import jobs_of, report_ended_jobs
from sandhook.interp.subshell import in_subshell, redirects_input, start_subshell
from sandhook.lazy import lazy_module
from sandhook.state.assignment import set_array
from sandhook.state.control import AskedExit, Discard, ExitShell, ReturnFrom, ShellError
from sandhook.state.function import Function
from sandhook.state.state import State
from sandhook.state.values import EXPORT, LARGE, READONLY, Charge
from sandhook.syntax.nodes import (
    AndOr,
    ArithmeticCommand,
    Command,
    CommandList,
    ConditionalCommand,
    Coprocess,
    FunctionDefinition,
    ListItem,
    Pipeline,
    SimpleCommand,
    Subshell,
)
from sandhook.text.names import is_name
from sandhook.typed import TYPE_CHECKING
from sandhook.vfs.errors import error_text

if TYPE_CHECKING:
    from sandhook.interp import messages
else:  # few commands are ended by a signal or timed
    messages = lazy_module("sandhook.interp.messages")


def report_bad_name(state: State, name: str) -> int:
    """Report an invalid name of a loop's variable or a function; in posix mode this ends the shell."""
    state.shell.error(state, f"`{name}': not a valid identifier")
    if state.options.posix:
        raise ExitShell(2)
    state.status = 1
    return 1


def compile_subshell(node: Subshell, body: Run) -> Run:
    """Compile the start of a subshell that runs ``body``."""
    line, is_redirected = node.line, bool(node.redirections)

    def run(state: State) -> int:
        budget = state.budget
        budget.slice_left = slice_left = budget.slice_left - 1
        if slice_left < 0:
            state.shell.poll(state)
        child = state.process.fork()
        if "monitor" in state.options.enabled:
            child.group = child.pid
        status: int = state.shell.guard_stack(state, lambda: in_subshell(state, child, body))
        state.status = status
        state.line = line
        state.pipestatus = None
        if child.signal:
            if is_redirected:
                state.execution.killed = child.pid, child.signal
            else:
                messages.report_death(state, child, node)
        if state.jobs is not None:
            report_ended_jobs(state)
        if state.process.pending:
            state.process.deliver()
        return status

    return run


def report_death_after(run: Run, node: Subshell) -> Run:
    """Report a subshell's death by a signal after its redirections are undone: the message is the shell's."""

    def run_and_report(state: State) -> int:
        status = run(state)
        if state.execution.killed is not None:
            messages.report_killed(state, node)
        return status

    return run_and_report


def compile_subshell_body(compiler: Compiler, node: Subshell) -> Run:
    """Compile the list in the parentheses; ``redirected_input`` begins anew for it."""
    body = _compile_body(compiler, node.body)
    own_input = redirects_input(node.redirections)

    def run(state: State) -> int:
        execution = state.execution
        execution.redirected_input = own_input or execution.reads_pipe
        execution.in_parentheses = True
        return body(state)

    return run


def _compile_body(compiler: Compiler, node: CommandList) -> Run:
    """Compile the list of a subshell.

    As in bash, the ``!`` of an only command inverts the subshell's own status: errexit, an error and
    ``return`` are inverted, too, and the command is not a condition.
    """
    item = node.items[0]
    command = item.command
    last = last_of_subshell(node)
    if last or not (len(node.items) == 1 and isinstance(command, SimpleCommand)):
        compiler = compiler.for_subshell(last)
    else:  # with redirections, bash replaces the shell only by an only command
        compiler = compiler.for_subshell(frozenset((id(command),)), ends=end_substitution)
    if len(node.items) > 1 or item.background or not isinstance(command, Pipeline) or not command.negated:
        return compiler.list(node)
    if not command.commands:
        return compiler.list(node)
    is_only = len(command.commands) == 1 and command.timed is None
    plain = command.commands[0] if is_only else command._replace(negated=False)
    body = compiler.list(CommandList((ListItem(plain, False),), node.span))

    def run(state: State) -> int:
        try:
            status = body(state)
        except AskedExit:
            raise
        except ReturnFrom as control:
            status = control.status
        except (Discard, ExitShell):
            status = 1
        return 0 if status else 1

    return run


def last_of_subshell(node: CommandList) -> frozenset[int]:
    """Return the id of the simple command that ends a subshell, if there is one.

    As in bash, a program replaces the subshell there and receives its signals.
    """
    item = node.items[-1]
    if len(node.items) > 1 and node.items[-2].background:
        return frozenset()
    last = item.command.commands[-1] if isinstance(item.command, AndOr) else item.command
    if item.background or not isinstance(last, SimpleCommand) or last.redirections:
        return frozenset()
    return frozenset((id(last),))


def compile_function(compiler: Compiler, node: FunctionDefinition) -> Run:
    body = Deferred(partial(_compile_function_body, compiler, node.body))
    name, line = node.name, node.line
    size = node.span[1] - node.span[0]
    has_quotes = any(char in name for char in "$`\\'\"")

    shallow: bool | None = None  # not known before the first call

    def first_call(state: State) -> int:
        nonlocal shallow
        run = body.compiled(state)
        if shallow is None:
            shallow = is_shallow(node.body)
        function = state.functions.get(name)
        if function is not None and function.run is first_call:  # the next call is without this frame
            state.functions[name] = function.replaced(run=run, shallow=shallow)
        return run(state)

    def define(state: State) -> int:
        state.budget.charge(1)
        state.line = line
        if has_quotes or (state.options.posix and not is_name(name)):
            return report_bad_name(state, name)
        if state.options.posix and name in state.shell.commands.special:
            state.shell.error(state, f"`{name}': is a special builtin")
            raise ExitShell(2)
        old = state.functions.get(name)
        if old is not None and old.attributes & READONLY:
            state.shell.error(state, f"{name}: readonly function")
            state.status = 1
            return 1
        calls = state.frames
        # as in bash, the file that was being read: within a function, that of the function
        source = calls[-1].source if calls and not calls[-1].sourced else state.source
        if source == state.name and state.invocation.input != "file":
            # bash's names for the text of -c and of standard input
            source = "main" if state.invocation.input == "stdin" else "environment"
        attributes = 0 if old is None else old.attributes  # as in bash, a new definition keeps them
        if state.options.allexport:
            attributes |= EXPORT
        state.functions[name] = Function(
            name=name,
            run=body.run or first_call,
            body=node.body,
            source=source,
            line=line,
            attributes=attributes,
            shallow=bool(shallow),
            charge=Charge(4 * size, state.budget) if size > LARGE else None,
        )
        if state.pipestatus is None:  # a definition does not change PIPESTATUS
            state.pipestatus = [state.status]
        state.status = 0
        return 0

    return define


def _compile_function_body(compiler: Compiler, body: Command) -> Run:
    inner = compiler.for_function(last_returns(body))
    if isinstance(body, (ArithmeticCommand, ConditionalCommand, Subshell)):  # errexit checks these bodies
        return inner.list(CommandList((ListItem(body, False),), body.span))
    return inner.command(body)


def compile_coprocess(compiler: Compiler, node: Coprocess) -> Run:
    body = compiler.command(node.command)
    if isinstance(node.command, SimpleCommand):
        body = end_substitution(body)
    name = node.name or "COPROC"

    def start(state: State) -> int:
        state.budget.charge(1)
        if not is_name(name):
            return report_bad_name(state, name)
        running = next((job for job in jobs_of(state) if job.coprocess and not job.done), None)
        if running is not None:
            state.shell.error(
                state, f"warning: execute_coproc: coproc [{running.pid}:{running.coprocess}] still exists"
            )
        process = state.process
        try:
            process.check_room(2)
        except OSError as error:
            state.shell.error(state, f"pipe error: {error_text(error)}")
            state.status = 1
            return 1
        their_in, our_out = process.kernel.pipe().ends()
        our_in, their_out = process.kernel.pipe().ends()
        child = process.fork()
        child.install(0, their_in)
        child.install(1, their_out)
        if state.shell.job_control(state):
            child.group = child.pid
        start_subshell(state, child, body)
        from sandhook.state.jobs import Job

        job = Job([child], node)
        job.coprocess = name
        jobs_of(state).add(job)
        state.last_background = child.pid
        try:
            numbers = []
            for description in (our_in, our_out):
                free = process.free_descriptor(60)
                process.install(free, description)
                numbers.append(str(free))
            state.coprocesses = (*state.coprocesses, *map(int, numbers))
            set_array(state, name, numbers)
            state.set(f"{name}_PID", str(child.pid))
        except ShellError as error:
            status: int = state.shell.fatal_error(state, error)
            return status
        state.status = 0
        return 0

    return start

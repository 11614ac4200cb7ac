"""External commands: utilities, nested shells, and scripts of the virtual file system.

Source: POSIX.1-2024 XCU 2.9.1.6; bash 5.2's messages for a file that execve cannot run.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence

from sandhook.command.context import Context, Ended, NotStarted
from sandhook.command.run import run_utility
from sandhook.interp import lookup
from sandhook.interp.jobs import report_ended_jobs
from sandhook.interp.lookup import SHELLS, ExecError, not_started
from sandhook.interp.subshell import in_subshell
from sandhook.kernel.descriptor import Description
from sandhook.kernel.failure import CommandFailure
from sandhook.kernel.process import Process
from sandhook.kernel.signals import SIGCHLD, Terminated, UtilityTerminated
from sandhook.state.environment import ExportedVariables, lower_level, set_environment
from sandhook.state.fork import fork
from sandhook.state.state import Interpreter, State
from sandhook.typed import TYPE_CHECKING, TypeAlias
from sandhook.vfs.errors import TEXTS
from sandhook.vfs.path import join

if TYPE_CHECKING:
    from sandhook.state.function import Function

#: Calls a function with arguments.
CallFunction: TypeAlias = "Callable[[Interpreter, State, Function, list[str]], int]"

#: Bytes in which bash looks for a NUL before it runs a file as a script.
_SAMPLE = 128


class ShellContext(Context):
    """A utility's view of the shell that runs it."""

    __slots__ = ("_state", "_variables")

    def __init__(self, name: str, state: State, program: str) -> None:
        self._variables = ExportedVariables(state)
        super().__init__(name, state.process, self._variables, self._run, program)
        self._state = state

    def _run(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        stdin: Description | None = None,
        process: Process | None = None,
        in_place: bool = False,
    ) -> Ended:
        return execute(
            self._state.shell,
            self._state,
            argv,
            environment=environment,
            stdin=stdin,
            child=process,
            in_place=in_place,
        )

    def end(self) -> None:
        """Refund what is held, and drop the state, which must not live as long as a cycle of the utility's objects."""
        super().end()
        self._variables.end()
        del self.run, self._state


def run_external(
    runtime: Interpreter, state: State, argv: list[str], path: str | None, call: CallFunction
) -> int:
    """Run the file of a command, by its path or along PATH; ``call`` calls command_not_found_handle."""
    name = argv[0]
    if "/" in name:
        state.executed = name
        return run_file(runtime, state, name, argv)
    execution = state.execution  # a part of a pipeline has no jobs
    names_job = name[:1] == "%" and (execution.asynchronous or execution.base_calls != len(state.frames))
    located = lookup.locate(state, name, path) if not names_job else None
    if located is None:
        if names_job:  # as a command name, "%x" means "fg %x", and "bg %x" in the background
            return runtime.call(state, ["bg" if state.execution.asynchronous else "fg", *argv])
        handler = state.functions.get("command_not_found_handle")
        if handler is not None:
            return in_subshell(state, state.process.fork(), lambda inner: call(runtime, inner, handler, argv))
        from sandhook.text.quoting import ansi_c, needs_ansi_c

        shown = ansi_c(name) if needs_ansi_c(name) else name
        not_started(state, lookup.NOT_FOUND, f"{runtime.where(state)}{shown}: command not found")
        _write_hint(runtime, state, name)
        return lookup.NOT_FOUND
    file, utility = located
    state.executed = file
    if utility is not None:
        return run_standard(runtime, state, utility, argv)
    return run_file(runtime, state, file, argv)


def _hint(state: State, name: str) -> str:
    """Return a hint that names the missing program of the host, or ""."""
    from sandhook.interp.advice import hint

    return hint(state, name)


def _write_hint(runtime: Interpreter, state: State, name: str) -> None:
    if text := _hint(state, name):
        runtime.write_error(state, text)


def run_standard(runtime: Interpreter, state: State, name: str, argv: Sequence[str]) -> int:
    """Run the utility or the shell that is registered under ``name``; ``argv[0]`` is its own name."""
    if name in SHELLS:
        return run_own_shell(runtime, state, argv)
    restrictions = state.process.kernel.settings.restrictions
    if restrictions is not None and name not in runtime.commands.names and not restrictions.may_run(name):
        message = f"{runtime.where(state)}{argv[0]}: {TEXTS[errno.EACCES]}"
        return not_started(state, lookup.NOT_EXECUTABLE, message)
    utility = runtime.commands.utilities[name]
    called = utility.fixed_names.get(name, argv[0]) or argv[0].rpartition("/")[2]
    process = state.process
    if is_all_of_process(state):
        process.argv = argv
    else:
        process.utility = argv
    try:
        status = run_utility(utility, argv[1:], ShellContext(called, state, name))
    except UtilityTerminated as death:
        status = _status_of_death(state, death)
    process.utility = ()
    if process.caught:  # on a real system the utility is a child process, so SIGCHLD is sent
        process.kill(SIGCHLD)
    if state.jobs is not None:
        report_ended_jobs(state)
    return status


def _status_of_death(state: State, death: UtilityTerminated) -> int:
    """Return the exit status of a utility that a signal ended; end the process that it has of its own."""
    if death.pid and is_all_of_process(state):
        raise Terminated(death.signal)
    if death.pid:
        state.execution.killed = death.pid, death.signal
    return 128 + death.signal


def run_file(
    runtime: Interpreter, state: State, path: str, argv: Sequence[str], *, shell: str = "bash"
) -> int:
    """Run an executable file, and print bash's message when it cannot be run.

    Args:
        path: The file: a script, or the path of a utility.
        argv: The command; a script receives ``path`` instead of the first word.
        shell: The shell for a script that does not name an interpreter.

    Returns:
        The exit status: 127 for a file that is missing, 126 for one that cannot be executed.
    """
    located = lookup.at(state, path)
    if located is not None and located[1] is not None:
        return run_standard(runtime, state, located[1], argv)
    programs = state.programs
    if programs is not None:
        return programs.run_file(state, path, argv, shell)
    if state.process.kernel.settings.dispatches_scripts:
        from sandhook.interp import script_files

        if script_files.applies(state, argv[0]):
            return _run_named(runtime, state, path, argv)
    from sandhook.interp.execve import find_image

    try:
        image = find_image(state, path, argv, located)
    except ExecError as error:
        if error.errno == errno.ENOEXEC:
            return _run_text(runtime, state, path, argv, shell)
        return _print_exec_error(runtime, state, path, error)
    return run_standard(runtime, state, image.name, image.argv)


def _run_named(runtime: Interpreter, state: State, path: str, argv: Sequence[str]) -> int:
    """Run a file by the rules of ``script_files``."""
    from sandhook.interp import script_files

    start = script_files.start_of(state, path, argv)
    if isinstance(start, int):
        return start
    if start.text and (status := status_of_text(runtime, state, path)):
        return status
    if start.environment is None:
        if not start.file:
            return run_own_shell(runtime, state, start.argv)
        located = lookup.at(state, start.file)
        if located is not None and located[1] is not None:
            return run_standard(runtime, state, located[1], start.argv)
    return execute(
        runtime, state, start.argv, file=start.file or None, environment=start.environment, in_place=True
    ).status


def status_of_text(runtime: Interpreter, state: State, path: str) -> int:
    """Return the exit status for a file whose text does not parse, after bash's message; 0 for one that does."""
    from sandhook.interp import script_files

    why = script_files.why_not_parsed(state, path)
    if why is None:
        return 0
    run_own_shell(runtime, state, ["bash", "-n", path])
    state.process.kernel.failure = CommandFailure(script_files.FAILED, f"{path}: does not parse: {why}")
    return script_files.FAILED


def run_own_shell(runtime: Interpreter, state: State, argv: Sequence[str]) -> int:
    """Run a nested shell of sandhook in its own process; ``argv`` is that of ``bash``."""

    def run(inner: State) -> int:
        from sandhook.interp.shell_command import run_shell

        return run_shell(runtime, inner, list(argv))

    if is_all_of_process(state):
        return _in_place(runtime, state, run)
    child = state.process.fork()
    if runtime.job_control(state):
        child.group = child.pid
    return _in_child(runtime, state, child, run)


def is_all_of_process(state: State) -> bool:
    """Return True when the current command is the last action of its process."""
    return state.execution.last_command == state.calls


def _run_text(runtime: Interpreter, state: State, path: str, argv: Sequence[str], shell: str) -> int:
    """Run a file by a shell after ENOEXEC, unless it looks like a binary program."""
    head = state.process.kernel.fs.read_bytes(join(state.process.cwd, path))[:_SAMPLE]
    lines = 2 if head[:2] == b"#!" else 1
    if head[:4] == b"\x7fELF" or b"\0" in b"\n".join(head.split(b"\n", lines)[:lines]):
        message = f"{runtime.where(state)}{path}: cannot execute binary file: Exec format error"
        return not_started(state, lookup.NOT_EXECUTABLE, message)
    return run_own_shell(runtime, state, [shell, path, *argv[1:]])


def _print_exec_error(runtime: Interpreter, state: State, path: str, error: ExecError) -> int:
    """Write bash's message for a file that cannot be run; return the exit status."""
    if error.interpreter is not None and error.errno == errno.ENOENT:
        message = f"{runtime.where(state)}{path}: cannot execute: required file not found"
        not_started(state, error.status, message)
        _write_hint(runtime, state, error.program)
        return error.status
    if error.interpreter is not None:
        message = f"{state.name}: {path}: {error.interpreter}: bad interpreter: {error.reason}"
        return not_started(state, error.status, message)
    is_directory = path and state.process.kernel.fs.is_dir(join(state.process.cwd, path))
    reason = TEXTS[errno.EISDIR] if is_directory else error.reason
    not_started(state, error.status, f"{runtime.where(state)}{path}: {reason}")
    if error.errno == errno.ENOENT and path.startswith("/"):  # a relative path names a file of the script
        _write_hint(runtime, state, path)
    return error.status


# --------------------------------------------------------------------------- processes


def _in_child(runtime: Interpreter, state: State, child: Process, run: Callable[[State], int]) -> int:
    """Run ``run(inner)`` in a forked process; record the signal that ends the process."""
    status = runtime.guard_stack(state, lambda: _run_as(runtime, state, child, run))
    if child.signal:
        state.execution.killed = child.pid, child.signal
    return status


def _in_place(runtime: Interpreter, state: State, run: Callable[[State], int], *, exec_: bool = False) -> int:
    """Run ``run(inner)`` as the process of ``state``, as its last action.

    ``exec_``: the built-in exec runs the command.
    """
    state.process.caught = set()  # as execve does; ignored signals stay ignored
    inner = _fork_for_command(runtime, state, state.process)
    if exec_ and not state.execution.in_parentheses:
        _lower_level(inner)
    return runtime.guard_stack(state, lambda: run(inner))


def _fork_for_command(runtime: Interpreter, state: State, process: Process) -> State:
    """Return the initial state of a command; count a nested call and charge a step.

    A command that replaces its caller creates no process. Without this count nothing would bound a script
    that replaces itself by itself: a file whose one line is ``#!/usr/bin/env``.
    """
    state.budget.charge(1)
    inner = fork(state, process)
    inner.traps = {}
    if state.execution.replaced_shell == state.calls:
        _lower_level(inner)
    runtime.count_call(inner)
    return inner


def _lower_level(state: State) -> None:
    level = state.values.get("SHLVL")
    if isinstance(level, str):
        state.values["SHLVL"] = lower_level(level)


def _run_as(runtime: Interpreter, state: State, child: Process, run: Callable[[State], int]) -> int:
    inner = _fork_for_command(runtime, state, child)
    return state.process.run_child(child, lambda: run(inner), signalled="EXIT" not in state.traps)


# --------------------------------------------------------------------------- commands of utilities


def execute(
    runtime: Interpreter,
    state: State,
    argv: Sequence[str],
    *,
    file: str | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: Description | None = None,
    child: Process | None = None,
    in_place: bool = False,
) -> Ended:
    """Run a command as execvp would, for a utility such as xargs: without functions and built-ins.

    Args:
        file: The file to run when it is not ``argv[0]``, which is then only a name.
        environment: All exported variables, None for those of ``state``.
        stdin: Standard input, None for that of ``state``; the command keeps a reference of its own.
        child: The process to run it in, None to fork one.
        in_place: The command replaces the utility, as its last action.
    """
    failure: NotStarted | None = None

    def run(inner: State) -> int:
        nonlocal failure
        _replace_environment(inner, environment)
        if stdin is not None:
            inner.process.install(0, stdin)
        try:
            return _start(runtime, inner, argv, argv[0] if file is None else file)
        except ExecError as error:
            missing = (error.program or argv[0]) if error.errno == errno.ENOENT else ""
            failure = NotStarted(error.reason, _hint(inner, missing))
            inner.process.kernel.failure = CommandFailure(error.status, f"{argv[0]}: {error.reason}")
            return error.status

    if stdin is not None:
        stdin.retain()
    if in_place and is_all_of_process(state):
        return Ended(_in_place(runtime, state, run), 0, failure)
    process = child or state.process.fork()
    if in_place:
        status = _in_child(runtime, state, process, run)
    else:
        status = runtime.guard_stack(state, lambda: _run_as(runtime, state, process, run))
    return Ended(status, process.signal, failure)


def replace_shell(
    runtime: Interpreter, state: State, argv: Sequence[str], file: str, environment: Mapping[str, str] | None
) -> int:
    """Run a file as the process of the shell itself, for the built-in exec; print bash's messages.

    Args:
        argv: The command; its first word is a name, which need not be that of the file.
        file: A path: absolute, or that of a utility.
        environment: All exported variables, None for those of the shell.
    """

    def run(inner: State) -> int:
        _replace_environment(inner, environment)
        inner.execution.last_command = inner.calls  # the process has nothing else to do
        return run_file(runtime, inner, file, argv)

    state.execution.replaced_shell = -1  # exec itself lowers the level
    return _in_place(runtime, state, run, exec_=True)


def _replace_environment(state: State, environment: Mapping[str, str] | None) -> None:
    if environment is not None:
        state.executed = None
        set_environment(state, environment)


def _start(runtime: Interpreter, state: State, argv: Sequence[str], file: str) -> int:
    """Run a command in its own process; return its exit status. Raises ExecError."""
    from sandhook.interp.execve import find_image

    state.execution.last_command = state.calls  # the process has nothing else to do
    if "/" not in file:
        located = lookup.search(state, file, state.get("PATH") or lookup.STANDARD_PATH)
        if located is None:
            raise ExecError(errno.ENOENT)
        file, utility = located
        if utility is not None:
            return run_standard(runtime, state, utility, argv)
    located = lookup.at(state, file)
    if located is not None and located[1] is not None:
        return run_standard(runtime, state, located[1], argv)
    programs = state.programs
    if programs is not None:
        _check_permission(state, file)
        return programs.run_file(state, file, argv, "sh")
    try:
        image = find_image(state, file, argv, located)
    except ExecError as error:
        if error.errno != errno.ENOEXEC:
            raise
        return _run_text(runtime, state, file, argv, "sh")  # as execvp does
    return run_standard(runtime, state, image.name, image.argv)


def _check_permission(state: State, file: str) -> None:
    """Raise ExecError when the host would not execute a file."""
    try:
        state.process.kernel.fs.stat(join(state.process.cwd, file))
    except OSError as error:
        raise ExecError(error.errno or errno.EACCES) from None
    if not lookup.may_run(state, file):
        raise ExecError(errno.EACCES)

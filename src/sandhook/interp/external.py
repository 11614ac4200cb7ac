"""External commands: utilities, nested shells, and scripts of the virtual file system.

Source: POSIX.1-2024 XCU 2.9.1.6; a script without "#!" is run as in bash.
Divergence: L-SHEBANG-001, a shell is known by its name in any directory.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from sandhook.command.context import Context
from sandhook.command.run import run_utility
from sandhook.interp import lookup
from sandhook.interp.jobs import report_ended_jobs
from sandhook.interp.lookup import SHELLS
from sandhook.interp.subshell import in_subshell
from sandhook.kernel.descriptor import Description
from sandhook.kernel.process import Process
from sandhook.kernel.signals import SIGCHLD
from sandhook.state.environment import exported_variables, set_environment
from sandhook.state.fork import fork
from sandhook.state.state import Function, Interpreter, State
from sandhook.text.quoting import ansi_c, needs_ansi_c
from sandhook.vfs.errors import error_text, fs_error
from sandhook.vfs.path import join

#: Calls a function with arguments.
CallFunction: TypeAlias = "Callable[[Interpreter, State, Function, list[str]], int]"

NOT_FOUND, NOT_EXECUTABLE = 127, 126

#: Interpreters of interpreters of scripts that are followed (a count), as Linux does.
MAX_INTERPRETERS = 5

#: Utilities that run a command as their own process.
_REPLACED = frozenset({"env"})

#: How utilities report a command that they cannot run, where that is not ``env: 'x': reason``.
_COMPLAINTS = {
    "xargs": "{}", "timeout": "failed to run command '{}'", "nohup": "failed to run command '{}'",
    "flock": "failed to execute {}", "setsid": "failed to execute {}", "stdbuf": "failed to run command '{}'",
    "ifne": "{}", "chronic": "{}", "ionice": "failed to execute {}", "taskset": "failed to execute {}",
    "chrt": "failed to execute {}",
}  # fmt: skip

#: Their own statuses for such a command.
_STATUSES = {"flock": 69}

#: Utilities that use one name for themselves, whatever path they were called by.
_OWN_NAME = frozenset(
    {"awk", "gawk", "mawk", "nawk", "jq", "xxd", "egrep", "fgrep", "gzip", "gunzip", "zcat"}
)


class ShellContext(Context):
    """A utility's view of the shell that runs it; the environment is computed on first use."""

    __slots__ = ("_made", "_state")

    def __init__(self, name: str, state: State, program: str) -> None:
        super().__init__(name, state.process, {}, self._run, program)
        self._state = state
        self._made: Mapping[str, str] | None = None

    @property
    def environment(self) -> Mapping[str, str]:
        """The exported variables."""
        if self._made is None:
            self._made = exported_variables(self._state)
        return self._made

    @environment.setter
    def environment(self, value: Mapping[str, str]) -> None:
        self._made = None

    def _run(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        stdin: Description | None = None,
        process: Process | None = None,
    ) -> int:
        return execute(
            self._state.shell, self._state, argv, environment, stdin, caller=self.name, child=process
        )


def run_external(
    runtime: Interpreter, state: State, argv: list[str], path: str | None, call: CallFunction
) -> int:
    """Run what PATH, or a name with a slash, leads to; ``call`` calls command_not_found_handle."""
    name = argv[0]
    if "/" in name:
        state.executed = name
        return run_file(runtime, state, name, argv)
    located = lookup.locate(state, name, path)
    if located is None:
        handler = state.functions.get("command_not_found_handle")
        if handler is not None:
            return in_subshell(state, state.process.fork(), lambda inner: call(runtime, inner, handler, argv))
        runtime.error(state, f"{ansi_c(name) if needs_ansi_c(name) else name}: command not found")
        _advise(runtime, state, name)
        return NOT_FOUND
    file, utility = located
    state.executed = file
    if utility is not None:
        return run_standard(runtime, state, utility, argv)
    programs = state.programs
    if programs is not None:
        return programs.run_file(state, file, argv, "bash")
    return run_file(runtime, state, file, [file, *argv[1:]])


def _advise(runtime: Interpreter, state: State, name: str) -> None:
    """Add advice for a command that is not found."""
    from sandhook.interp.advice import advise

    advise(runtime, state, name)


def run_standard(runtime: Interpreter, state: State, name: str, argv: Sequence[str]) -> int:
    """Run the utility or the shell of a name, with ``argv[0]`` as its own name."""
    if name in SHELLS:
        return run_own_shell(runtime, state, argv)
    called = name if name in _OWN_NAME else argv[0]
    process = state.process
    if state.execution.last_command == state.calls:
        process.argv = argv
    else:
        process.utility = argv
    status = run_utility(runtime.commands.utilities[name], argv[1:], ShellContext(called, state, name))
    process.utility = ()
    if process.caught:  # elsewhere it is a process, and its end runs a trap of SIGCHLD
        process.kill(SIGCHLD)
    if state.jobs is not None:
        report_ended_jobs(state)
    return status


def run_file(
    runtime: Interpreter, state: State, path: str, argv: Sequence[str], *, shell: str = "bash", depth: int = 0
) -> int:
    """Run an executable file: a script by its interpreter, or the utility of a standard path.

    Args:
        shell: Runs a script that names no interpreter.
        depth: Scripts that were this one's interpreter.
    """
    fs = state.process.kernel.fs
    standard = lookup.utility_at(state, path)
    if standard is not None and not lookup.is_executable(state, path):
        return run_standard(runtime, state, standard, argv)
    programs = state.programs
    if programs is not None:
        return programs.run_file(state, path, argv, shell)
    absolute = join(state.process.cwd, path)
    try:
        if not path:
            raise fs_error(errno.ENOENT)
        if fs.is_dir(absolute):
            raise fs_error(errno.EISDIR)
        data = fs.read_bytes(absolute)
        if not fs.access(absolute, 1):
            raise fs_error(errno.EACCES)
    except OSError as error:
        runtime.error(state, f"{path}: {error_text(error)}")
        return NOT_FOUND if error.errno == errno.ENOENT else NOT_EXECUTABLE
    line = _shebang(data)
    if line:
        return _interpret(runtime, state, line, path, argv, depth)
    if data[:4] == b"\x7fELF" or b"\0" in data[:128].partition(b"\n")[0]:
        runtime.error(state, f"{path}: cannot execute binary file: Exec format error")
        return NOT_EXECUTABLE
    return run_own_shell(runtime, state, [shell, path, *argv[1:]])


def run_own_shell(runtime: Interpreter, state: State, argv: Sequence[str]) -> int:
    """Run a nested shell of ours as a process of its own: ``argv`` is that of ``bash``."""
    return _in_child(runtime, state, lambda inner: _run_shell(runtime, inner, list(argv)))


def _shebang(data: bytes) -> list[str]:
    """Return the interpreter and its one argument, nothing without a usable "#!" line."""
    if data[:2] != b"#!":
        return []
    line = data[2:256].partition(b"\n")[0].rstrip(b"\r").strip(b" \t").decode("utf-8", "surrogateescape")
    program, _, argument = line.replace("\t", " ", 1).partition(" ")
    return [word for word in (program, argument.strip(" \t")) if word]


def _interpret(
    runtime: Interpreter, state: State, line: list[str], path: str, argv: Sequence[str], depth: int
) -> int:
    """Run a script by the interpreter that its first line names."""
    program = line[0]
    words = [*line, path, *argv[1:]]
    if lookup.utility_at(state, program) is not None or lookup.is_executable(state, program):
        if depth < MAX_INTERPRETERS:
            return run_file(runtime, state, program, words, depth=depth + 1)
        reason = "Too many levels of symbolic links"
    elif state.process.kernel.fs.exists(join(state.process.cwd, program)):
        reason = "Permission denied"
    else:
        shell = program.rpartition("/")[2]
        if program[0] == "/" and shell in SHELLS:
            return run_standard(runtime, state, shell, words)
        runtime.error(state, f"{path}: cannot execute: required file not found")
        _advise(runtime, state, program)
        return NOT_FOUND
    runtime.write_error(state, f"{state.name}: {path}: {program}: bad interpreter: {reason}\n")
    return NOT_EXECUTABLE


def _run_shell(runtime: Interpreter, state: State, argv: list[str]) -> int:
    """Run ``bash`` or ``sh`` as a command, in a state of its own."""
    from sandhook.interp.shell_command import run_shell

    return run_shell(runtime, state, argv)


def _in_child(runtime: Interpreter, state: State, run: Callable[[State], int]) -> int:
    """Run ``run(inner)`` in a forked process, or in this one when it is all that it still runs."""
    if state.execution.last_command == state.calls:
        return _in_place(runtime, state, run)
    child = state.process.fork()
    status = runtime.guard_stack(state, lambda: _run_as(runtime, state, child, run))
    if child.signal:
        state.execution.killed = child.pid, child.signal
    return status


def _in_place(runtime: Interpreter, state: State, run: Callable[[State], int], *, exec_: bool = False) -> int:
    """Run ``run(inner)`` as the process of ``state``, which has nothing to do afterwards.

    ``exec_``: the built-in exec runs it.
    """
    state.process.caught = set()  # as execve does; what is ignored stays so
    inner = _fork_for_command(runtime, state, state.process)
    level = inner.values.get("SHLVL")
    if exec_ and not state.subshell and isinstance(level, str) and level.isdigit():
        inner.values["SHLVL"] = str(int(level[:9]) - 1)  # the shell that comes instead has the same
    return runtime.guard_stack(state, lambda: run(inner))


def _fork_for_command(runtime: Interpreter, state: State, process: Process) -> State:
    """Return the state that a command begins with; each counts as a nested call and as a step.

    A command that runs in its caller's place makes no process, so nothing else would bound a script
    that runs itself so: a file whose one line is ``#!/usr/bin/env``.
    """
    state.budget.charge(1)
    inner = fork(state, process)
    inner.traps = {}
    runtime.count_call(inner)
    return inner


def _run_as(runtime: Interpreter, state: State, child: Process, run: Callable[[State], int]) -> int:
    inner = _fork_for_command(runtime, state, child)
    process = state.process
    try:
        return process.run_child(child, lambda: run(inner), signalled="EXIT" not in state.traps)
    finally:
        process.last_child = child


def execute(
    runtime: Interpreter,
    state: State,
    argv: Sequence[str],
    environment: Mapping[str, str] | None = None,
    stdin: Description | None = None,
    *,
    caller: str = "",
    file: str | None = None,
    replacing: bool = False,
    child: Process | None = None,
) -> int:
    """Run a utility or script as execvp would, for env, xargs, exec: no functions, no built-ins.

    Args:
        caller: The utility that runs it, for messages; "" reports as the shell does.
        file: What is run when it is not ``argv[0]``, which is then only a name.
        replacing: It replaces the shell itself.
        child: A process that was already forked for it.
    """

    def run(inner: State) -> int:
        if environment is not None:
            inner.executed = None
            set_environment(inner, environment)
        if stdin is not None:
            inner.process.install(0, stdin)
        return _execute(runtime, inner, argv, argv[0] if file is None else file, caller)

    if stdin is not None:
        stdin.retain()
    if replacing:
        return _in_place(runtime, state, run, exec_=True)
    if caller.rpartition("/")[2] in _REPLACED:
        return _in_child(runtime, state, run)
    return runtime.guard_stack(state, lambda: _run_as(runtime, state, child or state.process.fork(), run))


def _execute(runtime: Interpreter, state: State, argv: Sequence[str], file: str, caller: str) -> int:
    state.execution.last_command = state.calls  # this process is made for it
    reason = ""
    if "/" not in file:
        located = lookup.search(state, file, state.get("PATH") or lookup.STANDARD_PATH)
        if located is None:
            reason, status = "No such file or directory", NOT_FOUND
        elif located[1] is not None:
            return run_standard(runtime, state, located[1], argv)
        else:
            file = located[0]
    standard = lookup.utility_at(state, file) if not reason else None
    if standard is not None and not lookup.is_executable(state, file):
        return run_standard(runtime, state, standard, argv)
    if caller and not reason:
        reason, status = _refusal(state, file)
    if reason:
        utility = caller.rpartition("/")[2]
        shown = _COMPLAINTS.get(utility, "'{}'").replace("{}", argv[0])
        runtime.write_error(state, f"{caller}: {shown}: {reason}\n")
        state.process.exec_failed = True
        if status == NOT_FOUND:
            _advise(runtime, state, argv[0])
        return _STATUSES.get(utility, status)
    programs = state.programs
    if programs is not None:
        return programs.run_file(state, file, argv, "sh" if caller else "bash")
    return run_file(runtime, state, file, [file, *argv[1:]], shell="sh" if caller else "bash")


def _refusal(state: State, file: str) -> tuple[str, int]:
    """Return why execve would fail for a file and the status for it, or ("", 0)."""
    absolute = join(state.process.cwd, file)
    try:
        state.process.kernel.fs.stat(absolute)
    except OSError as error:
        return error_text(error), NOT_FOUND if error.errno == errno.ENOENT else NOT_EXECUTABLE
    return ("", 0) if lookup.may_run(state, file) else ("Permission denied", NOT_EXECUTABLE)

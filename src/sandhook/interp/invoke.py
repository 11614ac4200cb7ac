"""Running a command that is expanded (POSIX.1-2024 XCU 2.9.1.4): what is found first runs."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from typing import Any

from greenlet import getcurrent

from sandhook.interp import lookup, traps
from sandhook.interp.environment import set_environment
from sandhook.interp.lookup import SHELLS, Argument
from sandhook.interp.protocol import Runtime
from sandhook.interp.trace import assigned as assigned_text
from sandhook.kernel.descriptor import Description
from sandhook.kernel.process import Process
from sandhook.kernel.signals import SIGCHLD
from sandhook.kernel.stack import DEEP, deeper_than
from sandhook.state.control import Discard, ReturnFrom
from sandhook.state.state import Frame, Function, State
from sandhook.state.values import TRACE
from sandhook.utilities import run_utility
from sandhook.utilities._base import Context
from sandhook.vfs.errors import error_text
from sandhook.vfs.path import join

NOT_FOUND, NOT_EXECUTABLE = 127, 126


class ShellContext(Context):
    """A utility's view of the shell that runs it; the environment is made when it is asked for."""

    __slots__ = ("_made", "_state")

    def __init__(self, name: str, state: State) -> None:
        super().__init__(name, state.process, {}, self._run)
        self._state = state
        self._made: Mapping[str, str] | None = None

    @property
    def environment(self) -> Mapping[str, str]:
        """The exported variables."""
        if self._made is None:
            self._made = self._state.environment()
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
    ) -> int:
        return execute(self._state.shell, self._state, argv, environment, stdin)


def invoke(
    runtime: Runtime,
    state: State,
    argv: Sequence[Argument],
    *,
    functions: bool = True,
    builtins: bool = True,
    utilities: bool = True,
    default_path: bool = False,
) -> int:
    """Run a command; 127 and a message when there is none of that name."""
    name = argv[0]
    if not isinstance(name, str):
        name = assigned_text(name)
    if functions and name in state.functions:
        return call_function(runtime, state, state.functions[name], _texts(argv[1:]))
    commands = runtime.commands
    if builtins and name in commands.names and name not in state.extra.get("disabled", ()):
        builtin = commands.builtin(name)
        arguments = argv if name in commands.declarations else _texts(argv)
        if builtin is not None:
            return builtin(state, arguments)
        # a utility that bash has built in: it reports with the shell's name and line
        context = ShellContext(f"{runtime.where(state)}{name}", state)
        return run_utility(commands.utilities[name], _texts(arguments[1:]), context)
    if not utilities:
        runtime.complain(state, f"{name}: not a shell builtin")
        return 1
    words = [name, *_texts(argv[1:])]
    path = lookup.DEFAULT_PATH if default_path else state.get("PATH")
    state.last_argument = words[-1]
    return _external(runtime, state, words, path)


def _texts(argv: Sequence[Argument]) -> list[str]:
    return [word if isinstance(word, str) else assigned_text(word) for word in argv]


def call_function(runtime: Runtime, state: State, function: Function, arguments: list[str]) -> int:
    """Call a function; its locals and positional parameters end with it."""
    frames = state.frames
    if "FUNCNEST" in state.values:
        _check_nesting(runtime, state, function)
    state.calls += 1
    if state.calls > state.budget.call_depth:
        state.budget.fail("call_depth")
    frame = Frame(function.name, state.line, function.source)
    if state.handed:
        frame.saved, frame.temporary = state.handed.copy(), set(state.handed)
        state.handed.clear()
    positional, loops, source = state.positional, state.loops, state.source
    hidden: dict[str, str] | None = None
    if state.traps:
        traced = state.options.functrace or bool(function.attributes & TRACE)
        kept = {"ERR": state.options.errtrace, "DEBUG": traced, "RETURN": traced}
        hidden = traps.hide(state, kept)
    state.positional = frame.arguments = arguments
    frames.append(frame)
    state.loops = 0
    tested = state.tested
    try:
        if state.watched:
            runtime.debug(state)
        if deeper_than(DEEP):
            status = runtime.nested(state, lambda: function.run(state))
        else:
            status = function.run(state)
    except ReturnFrom as leaving:
        status = leaving.status
        state.tested = tested
    finally:
        if "RETURN" in state.traps:
            runtime.run_trap(state, "RETURN")
        if hidden is not None:
            traps.bring_back(state, hidden)
        state.calls -= 1
        frames.pop()
        state.line = frame.line
        state.positional = positional
        state.loops = loops
        state.source = source
        if frame.saved or frame.options is not None:
            state.leave(frame)
    state.last_argument = arguments[-1] if arguments else function.name
    state.status = status
    return status


def _check_nesting(runtime: Runtime, state: State, function: Function) -> None:
    """Refuse a call that FUNCNEST does not allow."""
    nest = state.get("FUNCNEST")
    if nest is not None and nest.isdigit() and int(nest) and len(state.frames) >= int(nest):
        runtime.complain(state, f"{function.name}: maximum function nesting level exceeded ({nest})")
        state.status = 1
        raise Discard(1)


# --------------------------------------------------------------------------- utilities and scripts


def _external(runtime: Runtime, state: State, argv: list[str], path: str | None) -> int:
    """Run a utility or a script; the shell goes on afterwards."""
    name = argv[0]
    utilities = runtime.commands.utilities
    if "/" not in name:
        if name in utilities and path is not None:
            return _utility(state, name, utilities[name], argv)
        if name in SHELLS and path is not None:
            return _in_child(runtime, state, lambda inner: runtime_shell(runtime, inner, argv))
        found = next(lookup.search_path(state, name, path), None)
        if found is None:
            runtime.complain(state, f"{name}: command not found")
            return NOT_FOUND
        return _run_file(runtime, state, found, argv)
    standard = lookup.utility_at(state, name)
    if standard is not None and not lookup.is_executable(state, name):
        if standard in SHELLS:
            return _in_child(runtime, state, lambda inner: runtime_shell(runtime, inner, argv))
        return _utility(state, standard, utilities[standard], argv)
    return _run_file(runtime, state, name, argv)


def _utility(state: State, name: str, utility: Any, argv: list[str]) -> int:
    """Run a utility, which elsewhere is a process: a trap of SIGCHLD hears of its end."""
    status = run_utility(utility, argv[1:], ShellContext(name, state))
    if state.process.caught:
        state.process.kill(SIGCHLD)
    return status


def _run_file(runtime: Runtime, state: State, path: str, argv: list[str]) -> int:
    """Run an executable file: a script, by its shebang."""
    fs = state.process.kernel.fs
    absolute = join(state.process.cwd, path)
    try:
        if fs.is_dir(absolute):
            runtime.complain(state, f"{path}: Is a directory")
            return NOT_EXECUTABLE
        data = fs.read_bytes(absolute)
        if not fs.access(absolute, 1):
            runtime.complain(state, f"{path}: Permission denied")
            return NOT_EXECUTABLE
    except OSError as error:
        runtime.complain(state, f"{path}: {error_text(error)}")
        return NOT_FOUND if error.errno in (errno.ENOENT, errno.ENOTDIR) else NOT_EXECUTABLE
    interpreter = _shebang(data)
    if interpreter is not None:
        return _run_interpreter(runtime, state, interpreter, path, argv)
    if b"\0" in data[:128].partition(b"\n")[0]:
        runtime.complain(state, f"{path}: cannot execute binary file: Exec format error")
        return NOT_EXECUTABLE
    return _in_child(runtime, state, lambda inner: runtime_shell(runtime, inner, ["bash", path, *argv[1:]]))


def _shebang(data: bytes) -> list[str] | None:
    """Return the interpreter and its one argument, None without a "#!" line."""
    if data[:2] != b"#!":
        return None
    line = data[2:256].partition(b"\n")[0].rstrip(b"\r").strip(b" \t").decode("utf-8", "surrogateescape")
    program, _, argument = line.partition(" ")
    return [program, argument.strip()] if argument.strip() else [program]


def _run_interpreter(runtime: Runtime, state: State, line: list[str], path: str, argv: list[str]) -> int:
    program = line[0]
    name = program.rpartition("/")[2]
    arguments = line[1:]
    if name == "env" and arguments:
        words = arguments[0].split()
        if words[0] == "-S":
            words = words[1:]
        elif len(words) > 1:
            words = [arguments[0]]
        if not words:
            words = ["bash"]
        name, arguments = words[0].rpartition("/")[2], words[1:]
        program = words[0]
    if name in SHELLS:
        words = [name, *arguments, path, *argv[1:]]
        return _in_child(runtime, state, lambda inner: runtime_shell(runtime, inner, words))
    if name in runtime.commands.utilities:
        return run_utility(
            runtime.commands.utilities[name], [*arguments, path, *argv[1:]], ShellContext(name, state)
        )
    runtime.complain(state, f"{path}: {program}: bad interpreter: No such file or directory")
    return NOT_FOUND if line[0].endswith("/env") else NOT_EXECUTABLE


def runtime_shell(runtime: Runtime, state: State, argv: list[str]) -> int:
    """Run ``bash`` or ``sh`` as a command, in a state of its own."""
    from sandhook.interp.shell_command import run_shell

    return run_shell(runtime, state, argv)


def _in_child(runtime: Runtime, state: State, run: Any) -> int:
    """Run ``run(inner)`` in a forked process, here and now."""
    child = state.process.fork()
    return runtime.nested(state, lambda: _run_as(state, child, run))


def _run_as(state: State, child: Process, run: Any) -> int:
    inner = state.fork(child)
    inner.traps = {}
    task = getcurrent()
    outer = task.process
    task.process = child
    try:
        return child.run(lambda: run(inner))
    finally:
        task.process = outer


def execute(
    runtime: Runtime,
    state: State,
    argv: Sequence[str],
    environment: Mapping[str, str] | None = None,
    stdin: Description | None = None,
) -> int:
    """Run a utility or script as execvp would, for env, xargs, exec: no functions, no built-ins."""

    def run(inner: State) -> int:
        if environment is not None:
            set_environment(inner, environment)
        if stdin is not None:
            inner.process.install(0, stdin)
        name = argv[0]
        if "/" not in name and name in runtime.commands.utilities:
            return run_utility(runtime.commands.utilities[name], list(argv[1:]), ShellContext(name, inner))
        return _external(runtime, inner, list(argv), inner.get("PATH") or lookup.DEFAULT_PATH)

    if stdin is not None:
        stdin.retain()
    return _in_child(runtime, state, run)

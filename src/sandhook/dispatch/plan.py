"""Determines the program that runs a file, from its path and arguments.

A "#!" line has the meaning that Linux gives it. Where Linux fails (the interpreter is elsewhere on this
machine, a carriage return, no executable bit) it has the meaning that its author intended.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from sandhook.dispatch.batch import UnsafeArgument, batch_arguments, is_batch
from sandhook.dispatch.envline import EnvError, EnvLine, read_env_line
from sandhook.dispatch.extensions import advice, extension
from sandhook.dispatch.model import Files, Interpreter, Plan, Program, Refused, Source
from sandhook.dispatch.shebang import BOM, READ, Shebang, ShebangError, read_shebang
from sandhook.record import Record
from sandhook.vfs.errors import error_text

#: When sandhook's own shell runs a script whose "#!" line names sh or bash.
OwnShell: TypeAlias = Literal["never", "missing", "always"]

#: The first bytes of a file, among which a NUL means that the file is not text.
_TEXT_BYTES = 128

#: ELF, Mach-O of both byte orders and widths, and its universal files; "MZ" begins a Windows program.
_MAGIC = (
    b"MZ", b"\x7fELF", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
)  # fmt: skip

_UTF16 = (b"\xff\xfe", b"\xfe\xff")

#: The maximum length of a chain of scripts that name each other as interpreter in one start, as on Linux.
_MAX_LEVELS = 5

#: Maximum number of scripts in one chain of starts: each env is a new start, whose levels count from 1.
_MAX_STARTS = 40

_WINDOWS_ENDINGS = (".com", ".exe", ".bat", ".cmd")  # in PATHEXT's order
_NATIVE_ENDINGS = (".com", ".exe")
_SHELLS = ("sh", "bash")

#: Other names that programs may have in Windows installations.
_ALTERNATIVES = {"python3": "python", "pip3": "pip"}


def is_path(name: str, windows: bool) -> bool:
    """Return True if a command's name is a file to dispatch, not a word to look up in PATH.

    A path has a separator, as for every shell: ``./x``, ``/x``, ``~/x``, ``dir/x``. On Windows a backslash
    is a separator, too: ``X:\\x``.
    """
    return "/" in name or (windows and "\\" in name)


def plan(
    path: str,
    argv: Sequence[str],
    files: Files,
    *,
    extensions: Mapping[str, Sequence[str]] = {},
    executable_bit: bool | None = False,
    crlf: bool = True,
    own_shell: OwnShell = "never",
    environment: Mapping[str, str] = {},
    native: Callable[[str], str] | None = None,
) -> Plan:
    """Return the plan that runs a file.

    Args:
        path: The file to start; a script receives this path as its name.
        argv: The command; the first word is its name as written, with which messages begin.
        files: The machine's files.
        extensions: Extension, lower case with its dot, to the program and its arguments that run files which
            have no "#!" line: ``{".py": ("python",)}``.
        executable_bit: Reject files that the user may not execute, as the system does. False runs and reports
            them, None does not report them: the agent itself reads such files.
        crlf: A "#!" line may end in CRLF. Without this the carriage return belongs to its last word, as in Linux.
        own_shell: When sandhook's own shell runs a script whose "#!" line names sh or bash: "never", when the
            interpreter is "missing" from the machine, or "always".
        environment: The environment of the command, for ``env -S``.
        native: Converts a path in a "#!" line to a native path; None where both are the same.

    Returns:
        A plan; ``Refused`` for a file that cannot be run.

    Raises:
        ValueError: ``own_shell`` is not one of these words.
    """
    if own_shell not in ("never", "missing", "always"):
        raise ValueError(f"own_shell is {own_shell!r}: never, missing or always")
    rules = _Rules(extensions, executable_bit, crlf, own_shell, native)
    return _Dispatch(argv, files, rules, environment).plan(path)


class _PlanError(Exception):
    """The file cannot be run; ``result`` is the plan."""

    def __init__(self, status: int, message: str, *, of_file: bool = False) -> None:
        super().__init__(message)
        self.result = Refused(status, message, of_file)


class _Rules(Record):
    """The rules of the caller: the arguments of ``plan`` with these names."""

    extensions: Mapping[str, Sequence[str]]
    executable_bit: bool | None
    crlf: bool
    own_shell: OwnShell
    native: Callable[[str], str] | None


class _Dispatch:
    """Makes one plan."""

    def __init__(
        self, argv: Sequence[str], files: Files, rules: _Rules, environment: Mapping[str, str]
    ) -> None:
        self._name = argv[0]
        self._operands = tuple(argv[1:])
        self._files = files
        self._rules = rules
        self._environment = environment
        self._sets_environment = False
        self._notes: list[str] = []

    def plan(self, path: str) -> Plan:
        try:
            return self._plan(path)
        except _PlanError as error:
            return error.result

    def _plan(self, path: str) -> Plan:
        path, head = self._open(path)
        if self._rules.executable_bit is not None and not self._may_execute(path):
            if self._rules.executable_bit:
                raise self._error(126, "Permission denied")
            self._note("is not executable: the system refuses to start it")
        shebang = self._shebang(self._name, head)
        if shebang is not None:
            return self._follow(shebang, [path, *self._operands])
        ending = extension(path.rstrip(". ") if self._files.windows else path, self._files.windows)
        if self._files.windows and (ending in _NATIVE_ENDINGS or is_batch(path)):
            return self._start(path, [self._name, *self._operands])
        if head.startswith(_UTF16):
            raise self._error(126, "cannot execute UTF-16 text: save it as UTF-8")
        if is_binary(head):
            return Program(path, (self._name, *self._operands))
        program = self._rules.extensions.get(ending)
        if program:
            executable, first = self._locate(program[0], [], kernel=False)
            return self._interpreter(executable, [first, *program[1:], path, *self._operands])
        if (reason := advice(ending)) is not None:
            raise self._error(126, f"cannot execute: {reason}")
        if head.startswith(BOM):
            self._note("a byte order mark begins the file, and is part of its first word")
        return Source(path, (self._name, *self._operands), tuple(self._notes))

    def _open(self, path: str) -> tuple[str, bytes]:
        """Return the path and the first bytes of the file; on Windows a missing extension is added."""
        names = [path]
        if self._files.windows and extension(path, True) not in _WINDOWS_ENDINGS:
            names += [path + ending for ending in _WINDOWS_ENDINGS]
        first: OSError | None = None
        for name in names:
            try:
                return name, self._files.head(name, READ)
            except OSError as error:
                if error.errno == errno.EACCES and self._may_execute(name):
                    return name, _MAGIC[0]  # a program: an interpreter could not read a script of this mode
                first = first or error
                if error.errno != errno.ENOENT:
                    break
        assert first is not None
        status = 127 if first.errno == errno.ENOENT else 126
        raise _PlanError(status, f"{self._name}: {error_text(first)}", of_file=True)

    def _may_execute(self, path: str) -> bool:
        try:
            return self._files.executable(path)
        except OSError:
            return False

    # ------------------------------------------------------------------ interpreters

    def _follow(self, shebang: Shebang, command: list[str]) -> Plan:
        """Return the plan for a script; ``command`` has the path for its interpreter, and the arguments."""
        level = 1
        for _ in range(_MAX_STARTS):
            if level > _MAX_LEVELS:
                break
            env_line = self._env_line(shebang)
            name = env_line.program if env_line is not None else shebang.interpreter
            options = [*env_line.arguments] if env_line is not None else _present(shebang.argument)
            if self._rules.own_shell == "always" and (shell := _shell(name)):
                return self._source(command[0], command, options, shell)
            interpreter = self._interpreter_of(name, options, env_line)
            if isinstance(interpreter, str):
                return self._source(command[0], command, options, interpreter)
            executable, first = interpreter
            command = [first, *options, *command]
            head = self._head(executable)
            next_shebang = self._shebang(executable, head)
            if next_shebang is None:
                if not is_binary(head) and not self._is_program(executable):
                    return self._source(executable, command, [], "sh" if env_line is not None else "bash")
                return self._interpreter(executable, command)
            level = 1 if env_line is not None else level + 1
            command[0] = executable
            shebang = next_shebang
        raise self._error(
            126, "Too many levels of symbolic links: its interpreters are scripts of each other"
        )

    def _interpreter_of(
        self, name: str, options: list[str], env_line: EnvLine | None
    ) -> tuple[str, str] | str:
        """Return the executable and its argv[0], or the name of sandhook's shell that replaces it."""
        if env_line is not None and env_line.whole and (program := self._find(env_line.whole)):
            options.clear()  # env starts a program whose name has blanks
            return program, env_line.whole
        shell = _shell(name) if self._rules.own_shell == "missing" else ""
        try:
            return self._locate(name, options, kernel=env_line is None)
        except _PlanError as error:
            if shell and error.result.status == 127:
                self._note(f"{name} is not on this machine; sandhook's own shell ran the script")
                return shell
            raise

    def _env_line(self, shebang: Shebang) -> EnvLine | None:
        """Return the parsed line if the interpreter is env, else None; record the environment that it sets."""
        if _base(shebang.interpreter, self._files.windows) not in ("env", "env.exe"):
            return None
        try:
            line = read_env_line(shebang.argument, self._environment)
        except EnvError as error:
            raise self._error(126, str(error)) from None
        if line.environment is not None:
            self._environment = line.environment
            self._sets_environment = True
        for note in line.notes:
            self._note(note)
        return line

    def _locate(self, name: str, options: Sequence[str], *, kernel: bool) -> tuple[str, str]:
        """Return the native path of an interpreter, and its argv[0].

        Args:
            name: As written: a path, or a word.
            options: The interpreter's options.
            kernel: Linux itself reads the name: a word is first a file of the current directory.
        """
        windows = self._files.windows
        if "/" not in name and not (windows and "\\" in name):
            if kernel and not windows and self._exists(name):
                return name, name
            program = self._find(name)
            if not program:
                raise self._not_found(name)
            return program, name
        native = self._rules.native
        path = native(name) if native is not None else name
        for candidate in [path, *(path + ending for ending in (_WINDOWS_ENDINGS if windows else ()))]:
            if self._exists(candidate):
                if not self._files.executable(candidate):
                    raise self._error(126, f"{name}: bad interpreter: Permission denied")
                return candidate, candidate if windows else name
        program = self._find(_base(name, windows))
        if not program:
            raise self._not_found(name)
        return program, program

    def _not_found(self, name: str) -> _PlanError:
        base = _base(name, self._files.windows)
        if base != name:
            message = f"{name}: bad interpreter: No such file or directory, nor is {base} in PATH"
        else:
            message = f"{name}: bad interpreter: no such program in PATH"
        if _shell(name):
            message += '; with own_shell="missing" sandhook\'s own shell runs such scripts'
        return self._error(127, message)

    def _find(self, name: str) -> str | None:
        """Look a word up in PATH: in the value that env sets, if it sets one."""
        if self._sets_environment and not self._files.windows:
            for directory in self._environment.get("PATH", "/bin:/usr/bin").split(":"):
                if directory.startswith("/") and self._may_execute(candidate := f"{directory}/{name}"):
                    return candidate
            return None
        program = self._files.find(name)
        if program is None and self._files.windows and (alternative := _ALTERNATIVES.get(name)):
            program = self._files.find(alternative)
            if program is not None:
                self._note(f"{name} is not on this machine; {alternative} ran the script")
        return program

    def _exists(self, path: str) -> bool:
        try:
            return self._files.exists(path)
        except OSError as error:
            raise self._error(126, f"{path}: bad interpreter: {error_text(error)}") from None

    def _head(self, executable: str) -> bytes:
        try:
            return self._files.head(executable, READ)
        except OSError as error:
            if error.errno == errno.EISDIR:
                raise self._error(126, f"{executable}: bad interpreter: Permission denied") from None
            return _MAGIC[0]  # an unreadable file may still be executable; its start shows that

    def _shebang(self, name: str, head: bytes) -> Shebang | None:
        try:
            shebang = read_shebang(head, crlf=self._rules.crlf)
        except ShebangError as error:
            prefix = "" if name == self._name else f"{name}: "
            raise self._error(126, f"{prefix}{error}") from None
        if shebang is not None:
            self._notes += [f"{name}: {note}" for note in shebang.notes]
        return shebang

    # ------------------------------------------------------------------ results

    def _is_program(self, path: str) -> bool:
        return self._files.windows and (extension(path, True) in _NATIVE_ENDINGS or is_batch(path))

    def _start(self, executable: str, argv: Sequence[str]) -> Program:
        if self._files.windows and is_batch(executable):
            return Program(*self._by_cmd(executable, argv))
        return Program(executable, tuple(argv))

    def _interpreter(self, executable: str, argv: Sequence[str]) -> Interpreter:
        program, words, line = executable, tuple(argv), ""
        if self._files.windows and is_batch(executable):
            program, words, line = self._by_cmd(executable, argv)
        environment = self._environment if self._sets_environment else None
        return Interpreter(program, words, tuple(self._notes), environment, line)

    def _by_cmd(self, batch: str, argv: Sequence[str]) -> tuple[str, tuple[str, ...], str]:
        cmd = self._files.find("cmd.exe")
        if cmd is None:
            raise self._error(127, "cmd.exe, which runs batch files, is not in PATH")
        try:
            arguments = batch_arguments(batch.rstrip(". "), argv[1:])
        except UnsafeArgument as error:
            raise self._error(126, f"cannot execute: {error}") from None
        return cmd, (cmd, *argv), f'"{cmd}" {arguments}'

    def _source(self, path: str, argv: Sequence[str], options: Sequence[str], shell: str) -> Source:
        environment = self._environment if self._sets_environment else None
        return Source(path, tuple(argv), tuple(self._notes), tuple(options), shell, environment)

    def _error(self, status: int, message: str) -> _PlanError:
        return _PlanError(status, f"{self._name}: {message}")

    def _note(self, note: str) -> None:
        self._notes.append(f"{self._name}: {note}")


def is_binary(head: bytes) -> bool:
    """Return True if a file's first bytes are those of a program, or are not text."""
    return b"\0" in head[:_TEXT_BYTES] or head.startswith(_MAGIC)


def _present(argument: str | None) -> list[str]:
    return [] if argument is None else [argument]


def _base(name: str, windows: bool) -> str:
    if windows:
        name = name.replace("\\", "/")
    return name.rpartition("/")[2]


def _shell(name: str) -> str:
    """Return "sh" or "bash" if the interpreter is that shell, else ""."""
    base = name.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    return base if base in _SHELLS else ""

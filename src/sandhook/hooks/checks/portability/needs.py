"""What a hook's command and its scripts need of a system: a shell, programs, options, and readable files."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Literal, TypeAlias

from sandhook.builtins import BUILTINS
from sandhook.dispatch.envline import EnvError, read_env_line
from sandhook.dispatch.extensions import extension
from sandhook.dispatch.shebang import BOM, READ, Shebang, ShebangError, is_binary, program_of, read_shebang
from sandhook.errors import LimitExceeded, ShellSyntaxError
from sandhook.hooks.checks.portability.features import MACOS_BASH, features
from sandhook.hooks.checks.portability.lines import BUILT_IN, WindowsShell, line_reasons
from sandhook.hooks.checks.portability.model import Aspect, Reason, State
from sandhook.hooks.checks.portability.programs import is_common, missing, options
from sandhook.hooks.checks.reading import Act, read
from sandhook.hooks.checks.scripts import script_of
from sandhook.hooks.checks.surroundings import Surroundings
from sandhook.hooks.contracts._launch import SYSTEM_TITLES, Launch, Launcher, System
from sandhook.hooks.scan import command_names, literal_text
from sandhook.hooks.trust import PROJECT_VARIABLES
from sandhook.record import Record
from sandhook.syntax import parse_cached
from sandhook.syntax.nodes import SimpleCommand, Word
from sandhook.utilities import is_utility

#: What runs a text: a shell of Unix, a shell of Windows, or the agent's own.
Shell: TypeAlias = Literal["sh", "bash", "embedded", "sandbox", "cmd", "powershell"]

_SHELLS = ("sh", "bash", "dash", "ash")
_OPERATORS = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "2>&1", ">&2", "2>/dev/null"})
_ASKS = frozenset({"command", "hash", "type", "which"})

#: Levels of scripts that run scripts.
_DEPTH = 3


class Target(Record):
    """An agent on a system.

    Attributes:
        launch: The facts of the agent.
        system: The system.
    """

    launch: Launch
    system: System

    @property
    def on_windows(self) -> bool:
        return self.system in ("git-bash", "windows")

    @property
    def title(self) -> str:
        return SYSTEM_TITLES[self.system]


class Needs:
    """Collects the reasons of one hook for one agent on one system."""

    def __init__(self, target: Target, around: Surroundings, directory: str) -> None:
        self.target = target
        self.around = around
        self.directory = directory
        self.variables = dict.fromkeys(PROJECT_VARIABLES, directory) | {"HOME": around.home}
        self.reasons: list[Reason] = []
        self._seen: set[str] = set()

    def add(self, state: State, aspect: Aspect, message: str, file: str = "", line: int = 0) -> None:
        self.reasons.append(Reason(state, aspect, message, file, line))

    # Command lines.

    def line(self, text: str, launcher: Launcher) -> None:
        """Look at a command line, which a launcher reads."""
        if launcher == "unknown":
            self.add("unknown", "launcher", "what the agent starts there is not known")
        elif launcher == "absent":
            self.add("fails", "launcher", "the agent needs sh in PATH, and Windows has no sh")
        elif launcher == "program":
            self._without_shell(text)
        elif launcher == "cmd" or launcher == "powershell":
            self._windows_line(text, launcher)
        else:
            self.text(text, "bash" if launcher == "login shell" else launcher, "", 0)

    def _windows_line(self, text: str, shell: WindowsShell) -> None:
        units = parse_cached(text)
        rewrites = self.target.launch.rewrites_variables
        for state, message in line_reasons(units, shell, rewrites_variables=rewrites):
            self.add(state, "command line", message)
        if any(reason.state == "fails" for reason in self.reasons):
            return
        for act in read(text, self.variables).acts:
            if act.name in BUILT_IN[shell]:
                continue
            self._programs(act, frozenset(), "")
            self._file_of(act, "", 0, shell)

    def _interpreter(self, name: str, file: str, line: int, *, inside: bool) -> None:
        """Report a shell of Unix that is started by its name on Windows; Git Bash itself (``inside``) has them."""
        if self.target.system == "windows":
            message = f"there is no {name}; the bash.exe of WSL may answer, with other files"
            self.add("fails", "program", message, file, line)
        elif not inside:
            message = (
                f"{name} is in PATH only if the installation of Git put it there; else the one of WSL answers"
            )
            self.add("differs", "program", message, file, line)

    def _without_shell(self, text: str) -> None:
        """Look at a command that is split into words, which no shell reads."""
        units = parse_cached(text)
        items = [item.command for unit in units for item in unit.items]
        command = items[0] if len(items) == 1 else None
        words = command.words if isinstance(command, SimpleCommand) else ()
        values = [literal_text(word) if isinstance(word, Word) else None for word in words]
        plain = isinstance(command, SimpleCommand) and not command.assignments and not command.redirections
        if not plain or not values or None in values:
            self.add(
                "fails", "launcher", "the agent starts a program without a shell: it does not read this line"
            )
            return
        argv = [value for value in values if value is not None]
        operator = next((word for word in argv if word in _OPERATORS), None)
        if operator is not None:
            self.add(
                "fails", "launcher", f"the agent starts a program without a shell: {operator} is an argument"
            )
            return
        self.program(argv)

    def program(self, argv: list[str]) -> None:
        """Look at a program and its arguments, which no shell reads."""
        base = argv[0].rpartition("/")[2]
        if base in _SHELLS and len(argv) > 2 and argv[1] == "-c":
            if self.target.system == "windows":
                self.add("fails", "program", f"there is no {argv[0]}")
                return
            if self.target.system == "git-bash" and argv[0].startswith("/"):
                self.add(
                    "fails", "launcher", f"Windows has no {argv[0]}: only Git Bash itself knows such paths"
                )
                return
            self.text(argv[2], "sh" if base in ("sh", "dash", "ash") else "bash", "", 0)
            return
        act = Act(tuple(argv), tuple(argv), (), 1)
        self._programs(act, frozenset(), "")
        self._file_of(act, "", 0, "program")

    # Texts of shells.

    def text(self, text: str, shell: Shell, file: str, depth: int) -> None:
        """Look at a script.

        Raises:
            ShellSyntaxError, LimitExceeded: It does not parse.
        """
        script = read(text, self.variables, file or None)
        self._features(text, shell, file)
        asked = frozenset(word for act in script.acts if act.name in _ASKS for word in act.words[1:] if word)
        known = script.functions | asked
        for act in script.acts:
            self._programs(act, known, file, shell)
            if shell != "sandbox":
                embedded = shell == "embedded"
                self._file_of(act, file, depth, "embedded" if embedded and not file else "sh")
            elif (name := script_of(act)) is not None and name.startswith(("/", "~")):
                self.add("fails", "file", f"the agent's sandbox has no {name}", file, act.line)

    def _features(self, text: str, shell: Shell, file: str) -> None:
        for feature in features(parse_cached(text)):
            if shell == "sh" and self.target.system == "linux" and not feature.posix:
                message = f"{feature.name} needs bash: sh is dash on Debian and Ubuntu"
                self.add("fails", "shell", message, file, feature.line)
            elif shell in ("sh", "bash") and self.target.system == "macos" and feature.bash > MACOS_BASH:
                release = f"{feature.bash // 10}.{feature.bash % 10}"
                message = f"{feature.name} needs bash {release}: macOS has 3.2"
                self.add("fails", "shell", message, file, feature.line)
            elif shell == "sh" and self.target.system == "macos" and feature.name == "<( ... )":
                self.add("fails", "shell", "the sh of macOS has no <( ... )", file, feature.line)

    def _programs(self, act: Act, known: frozenset[str], file: str, shell: Shell | None = None) -> None:
        for name in command_names(act.words):
            base = posixpath.basename(name)
            if "/" in name and posixpath.dirname(name) not in ("/bin", "/usr/bin"):
                continue
            own = self.target.launch.programs if shell == "embedded" else ()
            if base in BUILTINS or base in known or base in own or not base:
                continue
            if shell == "sandbox":
                if not (is_utility(base) or base in _SHELLS):
                    self.add("fails", "program", f"the agent's sandbox has no {base}", file, act.line)
                continue
            if base in _SHELLS and self.target.on_windows:
                self._interpreter(base, file, act.line, inside=shell in ("sh", "bash"))
                continue
            lack = missing(base, self.target.system)
            if lack is None:
                continue
            if (
                shell == "embedded"
                and self.target.launch.windows_coreutils
                and lack[0] == "fails"
                and is_common(base)
            ):
                message = f"the agent has some of the coreutils itself; whether {base} is one is not known"
                lack = ("unknown", message)
            self.add(lack[0], "program", lack[1], file, act.line)
        for state, message in options(act.words, self.target.system) if shell != "sandbox" else ():
            self.add(state, "option", message, file, act.line)

    # Files.

    def _file_of(
        self,
        act: Act,
        own: str,
        depth: int,
        starter: Literal["sh", "embedded", "program", "cmd", "powershell"],
    ) -> None:
        """Look at the script that a command runs or sources."""
        name = script_of(act)
        if name is None or depth >= _DEPTH:
            return
        path = self._path(name)
        if path in self._seen:
            return
        self._seen.add(path)
        data = self.around.read(path)
        if data is None:
            self.add("unknown", "file", f"{name} cannot be read: nobody knows what it needs", own, act.line)
            return
        by_path = name == act.name
        if by_path:
            data = self._started(data, name, path, starter)
        program = program_of(data[:READ])
        if is_binary(data):
            return
        if by_path and program is not None and program not in _SHELLS:
            return  # the first line is looked at; the rest is another language
        if not by_path and act.name not in (*_SHELLS, "source", "."):
            return
        data = self._clean(data, path, embedded=starter == "embedded" and program is None)
        shell = act.name if not by_path and act.name in _SHELLS else program
        if by_path and program is None and starter == "embedded":
            shell = "embedded"
        try:
            self.text(data.decode("utf-8", "replace"), _shell_of(shell), path, depth + 1)
        except (ShellSyntaxError, LimitExceeded) as error:
            self.add("unknown", "file", f"does not parse: {error}", path, 1)

    def _path(self, name: str) -> str:
        if name == "~" or name.startswith("~/"):
            name = self.around.home + name[1:]
        return posixpath.normpath(
            name if name.startswith("/") or name[1:2] == ":" else f"{self.directory}/{name}"
        )

    def _started(self, data: bytes, name: str, path: str, starter: str) -> bytes:
        """Look at a file that is started by its path: its mode and its first line."""
        unix = not self.target.on_windows
        if unix and starter != "embedded" and self.around.is_executable(path) is False:
            self.add("fails", "file", "is not executable: status 126", path, 1)
        if starter == "program" and self.target.on_windows:
            ending = extension(name, True)
            interpreted = ending in self.target.launch.script_endings
            if ending == ".sh" and interpreted and self.target.system == "windows":
                self.add("fails", "file", "there is no bash for it", path, 1)
            elif not interpreted and ending not in (".exe", ".com"):
                self.add(
                    "fails",
                    "launcher",
                    "Windows starts no scripts by their first line: it needs an .exe",
                    path,
                    1,
                )
        try:
            line = read_shebang(data[:READ])
        except ShebangError as error:
            self.add("fails", "file", str(error), path, 1)
            return data
        if line is None:
            if starter == "program" and unix and not is_binary(data):
                self.add(
                    "fails", "file", "has no '#!' line, and the agent starts it without a shell", path, 1
                )
            return data
        for reason in self._first_line(line, data, path, starter):
            self.add(reason.state, reason.aspect, reason.message, path, 1)
        return data

    def _first_line(self, line: Shebang, data: bytes, path: str, starter: str) -> Iterator[Reason]:
        """Yield what is wrong with a "#!" line."""
        program = program_of(data[:READ]) or ""
        interpreter = line.interpreter
        if interpreter.rpartition("/")[2] == "env":
            try:
                env = read_env_line(line.argument, {})
            except EnvError as error:
                yield Reason("fails", "file", str(error))
                return
            if env.whole and env.arguments and self.target.system != "macos":
                message = f"env looks for a program named {env.whole!r} (env -S splits the words)"
                yield Reason("fails", "file", message)
        elif self.target.system == "macos" and interpreter in ("/usr/bin/bash", "/usr/bin/sh"):
            yield Reason("fails", "file", f"macOS has no {interpreter}: it is /bin/{program}")
        if program in _SHELLS:
            if self.target.on_windows and starter == "embedded":
                self._interpreter(program, path, 1, inside=False)
            return
        lack = missing(program, self.target.system)
        if lack is not None:
            yield Reason(lack[0], "program", lack[1])

    def _clean(self, data: bytes, path: str, *, embedded: bool) -> bytes:
        """Look at bytes that shells do not accept; return the script without them."""
        if is_binary(data):
            return data
        if data.startswith(BOM):
            self.add(
                "fails", "file", "begins with a byte order mark, which is a part of its first word", path, 1
            )
            data = data.removeprefix(BOM)
        if b"\r\n" in data:
            line = data[: data.index(b"\r\n")].count(b"\n") + 1
            if not embedded and self.target.system != "git-bash":
                self.add("fails", "file", "lines end in CRLF: the shell cannot parse it", path, line)
            data = data.replace(b"\r\n", b"\n")
        return data


def _shell_of(name: str | None) -> Shell:
    if name == "embedded":
        return "embedded"
    return "sh" if name in ("sh", "dash", "ash") else "bash"

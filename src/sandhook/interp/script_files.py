"""Files that a path names, by the rules of an agent whose shell is part of its process.

Linux wants permission to execute a file, and its first line decides. Such a shell reads the file itself, see
``Settings.dispatches_scripts``. The plan is that of host mode, with the utilities of the sandbox as programs.
"""

from __future__ import annotations

import errno
import stat
from collections.abc import Mapping, Sequence

from sandhook.dispatch.model import Program, Refused, Source
from sandhook.dispatch.plan import plan
from sandhook.dispatch.shebang import READ, program_of
from sandhook.errors import ShellSyntaxError
from sandhook.interp import lookup
from sandhook.interp.advice import hint
from sandhook.interp.lookup import not_started
from sandhook.interp.script import note, read_script
from sandhook.record import Record
from sandhook.state.environment import exported_variables
from sandhook.state.state import State
from sandhook.syntax.options import ParseOptions
from sandhook.syntax.parser import Parser
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath, join

#: The exit status for a file that cannot be read, and for a text that does not parse.
FAILED = 1

_FORMS = ("./", "../", "/")


def applies(state: State, name: str) -> bool:
    """Return True for a command that names a file in a form of these rules; ``dir/x`` is none of them."""
    return state.process.kernel.settings.dispatches_scripts and name.startswith(_FORMS)


class Start(Record):
    """How a file runs.

    Fields:
        argv: All words of the command.
        file: The program, or "" for the shell itself.
        environment: All exported variables; None for those of the shell that starts it.
        text: The file is text without a "#!" line, which such a shell parses before it runs a line.
    """

    argv: Sequence[str]
    file: str = ""
    environment: Mapping[str, str] | None = None
    text: bool = False


def start_of(state: State, path: str, argv: Sequence[str]) -> Start | int:
    """Return how a file of the sandbox runs that is not a utility; write why it cannot, and return the status."""
    runtime = state.shell
    absolute = join(state.process.cwd, path)
    environment = exported_variables(state)
    files = SandboxFiles(state)
    result = plan(absolute, argv, files, executable_bit=None, own_shell="missing", environment=environment)
    if isinstance(result, Refused):
        status = FAILED if result.of_file else result.status
        not_started(state, status, f"{runtime.where(state)}{result.message}")
        if status == lookup.NOT_FOUND:
            _write_hint(state, absolute)
        return status
    if isinstance(result, Program):
        message = f"{runtime.where(state)}{path}: cannot execute binary file: Exec format error"
        return not_started(state, lookup.NOT_EXECUTABLE, message)
    note(state, result.notes)
    if not isinstance(result, Source):
        return Start(result.argv, result.executable, result.environment)
    own = result.path == absolute
    words = [result.shell, *result.options, path if own else result.path, *result.argv[1:]]
    return Start(words, environment=result.environment, text=own and not result.options)


def _write_hint(state: State, path: VirtualPath) -> None:
    """Write where the missing interpreter of a script would run."""
    program = program_of(state.process.kernel.fs.read_bytes(path)[:READ])
    if program is not None and (text := hint(state, program)):
        state.shell.write_error(state, text)


def why_not_parsed(state: State, path: str) -> str | None:
    """Return why the text of a file does not parse, or None."""
    limits = state.process.kernel.limits
    options = ParseOptions(nesting=int(limits.nesting), max_bytes=int(limits.script_bytes), tolerate_cr=True)
    try:
        parser = Parser(read_script(state, path), "", options)
        while parser.next_unit() is not None:
            state.budget.charge(1)
    except ShellSyntaxError as error:
        return str(error)
    except OSError:  # the shell that runs it reports that
        return None
    return None


class SandboxFiles:
    """The files and utilities of a run, for ``dispatch.plan``; see ``dispatch.model.Files``."""

    __slots__ = ("_state",)
    windows = False

    def __init__(self, state: State) -> None:
        self._state = state

    def _path(self, path: str) -> VirtualPath:
        return join(self._state.process.cwd, path)

    def head(self, path: str, count: int) -> bytes:
        """Return the first bytes of a regular file. Raises OSError."""
        fs = self._state.process.kernel.fs
        mode = fs.stat(self._path(path)).mode
        if not stat.S_ISREG(mode):
            raise fs_error(errno.EISDIR if stat.S_ISDIR(mode) else errno.EACCES)
        return fs.read_bytes(self._path(path))[:count]

    def find(self, name: str) -> str | None:
        """Return the file or the utility that PATH has for a name."""
        located = lookup.search(self._state, name, self._state.get("PATH"))
        return None if located is None else located[0]

    def exists(self, path: str) -> bool:
        """Return True for a file, and for the path of a utility."""
        return lookup.utility_at(self._state, path) is not None or self._state.process.kernel.fs.exists(
            self._path(path)
        )

    def executable(self, path: str) -> bool:
        """Return True for what may be executed."""
        return lookup.at(self._state, path) is not None

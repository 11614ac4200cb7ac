"""The machine as the dispatcher sees it, and the four kinds of plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sandhook.record import Record


class Files(Protocol):
    """The files of the machine, as a run sees them. Paths are native; relative ones begin at the directory of the run.

    Attributes:
        windows: Names are Windows names.
    """

    @property
    def windows(self) -> bool: ...

    def head(self, path: str, count: int) -> bytes:
        """Return the first ``count`` bytes of a regular file, fewer when it is shorter.

        Raises:
            OSError: ENOENT, ENOTDIR, EISDIR, EACCES, ELOOP. EACCES also for a FIFO or device, which is
                never opened, because that may wait.
        """

    def find(self, name: str) -> str | None:
        """Return the program that PATH (on Windows with PATHEXT) has for a name without a separator.

        The current directory is never searched, even when PATH has it.
        """

    def exists(self, path: str) -> bool:
        """Return True when there is a file of any kind. Raises OSError when that is unknown (EACCES on the way)."""

    def executable(self, path: str) -> bool:
        """Return True for a regular file that the user may execute; on Windows, for any file."""


class Program(Record):
    """Start the file itself.

    Attributes:
        executable: Native path.
        argv: Its arguments; the first is the command's name as written.
        command_line: The complete command line on Windows, or "" to quote ``argv`` in the usual way.
    """

    executable: str
    argv: tuple[str, ...]
    command_line: str = ""


class Interpreter(Record):
    """Start the interpreter that the file's first line names.

    Attributes:
        executable: Native path of the interpreter.
        argv: All of its arguments: its name, those of the first line, the script, those of the command.
        notes: Errors of the file that were tolerated, for the report of the run.
        environment: The whole environment to start it in, when the first line changes it; else None.
        command_line: As in ``Program``.
    """

    executable: str
    argv: tuple[str, ...]
    notes: tuple[str, ...] = ()
    environment: Mapping[str, str] | None = None
    command_line: str = ""


class Source(Record):
    """Run the file by sandhook's own shell, in the process.

    Attributes:
        path: Native path of the file to read.
        argv: $0 and the positional parameters.
        notes: As in ``Interpreter``.
        options: Arguments of the first line for the shell, before the file's name.
        shell: "bash", or "sh" if the first line names it.
        environment: As in ``Interpreter``.
    """

    path: str
    argv: tuple[str, ...]
    notes: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    shell: str = "bash"
    environment: Mapping[str, str] | None = None


class Refused(Record):
    """Run nothing.

    Attributes:
        status: Exit status of the command: 126 found but not executable, 127 not found.
        message: For standard error, without the shell's own "name: line N: " before it.
        of_file: The file itself cannot be read; else its first line, its content or its interpreter is the reason.
    """

    status: int
    message: str
    of_file: bool = False


Plan = Program | Interpreter | Source | Refused

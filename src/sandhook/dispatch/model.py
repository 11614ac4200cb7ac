"""What dispatch sees of the machine, and the four plans that it makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from sandhook.record import Record


class Files(Protocol):
    """The machine's files, as a run sees them. Paths are native; a relative one starts at the run's directory.

    Attributes:
        windows: Names are Windows names.
    """

    @property
    def windows(self) -> bool: ...

    def head(self, path: str, count: int) -> bytes:
        """Return the first ``count`` bytes of a regular file, fewer when it is shorter.

        Raises:
            OSError: ENOENT, ENOTDIR, EISDIR, EACCES, ELOOP; EACCES too for what is neither file nor directory,
                which is never opened (a FIFO would wait).
        """

    def find(self, name: str) -> str | None:
        """Return the program that PATH (on Windows with PATHEXT) gives for a name without a separator.

        The current directory is never searched, whatever PATH says.
        """

    def exists(self, path: str) -> bool:
        """Whether there is something of that name. Raises OSError when that cannot be told (EACCES on the way)."""

    def executable(self, path: str) -> bool:
        """Whether it is a regular file that the user may execute; on Windows, whether it is a file."""


class Program(Record):
    """Start the file itself.

    Attributes:
        executable: Native path.
        argv: Its arguments; the first is the name as it was called.
        command_line: The Windows command line to start it with as it is, or "" to quote ``argv`` in the usual way.
    """

    executable: str
    argv: tuple[str, ...]
    command_line: str = ""


class Interpreter(Record):
    """Start the interpreter that the file's first line names.

    Attributes:
        executable: Native path of the interpreter.
        argv: All of its arguments: its name, those of the first line, the script, those of the command.
        notes: What was tolerated, for the report of the run.
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
        options: Arguments that the first line gives to the shell, before the file's name.
        shell: "bash", or "sh" when the first line asks for the standard's shell.
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
    """

    status: int
    message: str


Plan = Program | Interpreter | Source | Refused

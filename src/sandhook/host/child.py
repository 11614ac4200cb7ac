"""A program to start and its process: the interface that POSIX and Windows share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sandhook.record import Record

#: The status of a child whose real status is unknown, because other code of this process waited for it.
LOST = 127


class Spawn(Record):
    """One program to start.

    Attributes:
        executable: The native path of the file; no PATH is searched.
        argv: The arguments; the first is the program's own name.
        env: The whole environment.
        cwd: The native path of the working directory.
        may_lack_cwd: If the directory is missing, the program starts in a removed directory (POSIX).
        files: The child's descriptors to ours, which stay open here. 0, 1 and 2 are always
            present; Windows has no others.
        umask: The file mode creation mask (POSIX).
        ignored: The shell's numbers of signals that the child ignores (POSIX).
        limits: Resource limits that differ from those of this process: number to (soft, hard) (POSIX).
        command_line: Windows: start with this text as it is, "" to quote ``argv`` in the usual way.
    """

    executable: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    files: Mapping[int, int]
    umask: int = 0o022
    ignored: frozenset[int] = frozenset()
    limits: Mapping[int, tuple[int, int]] = MappingProxyType({})
    command_line: str = ""
    may_lack_cwd: bool = False


class Child:
    """One child process, until this process has waited for its end.

    Attributes:
        pid: The process's number.
        status: The exit status, 0 to 255, or 128 + n after signal n; None while it runs.
        signal: The shell's number of the signal that ended it, or 0.
        user: Seconds of processor time in user mode, including children that it waited for; 0.0 while
            it runs, and where the system does not report it.
        system: Seconds of processor time in the kernel, counted in the same way.
    """

    __slots__ = ("__weakref__", "_report", "pid", "signal", "status", "system", "user")

    def __init__(self, pid: int, report: Callable[[Child], None]) -> None:
        self.pid = pid
        self.status: int | None = None
        self.signal = 0
        self.user = 0.0
        self.system = 0.0
        self._report: Callable[[Child], None] | None = report

    def poll(self) -> bool:
        """Return True if the process has ended; do not wait."""
        raise NotImplementedError

    def send(self, signal: int) -> None:
        """Send a signal, by the shell's number, to this process alone. After its end this does nothing.

        Raises:
            OSError: EINVAL for a signal that the system does not have, EPERM for a process that
                runs as another user now.
        """
        raise NotImplementedError

    def _end(self, status: int, signal: int) -> None:
        """Record how the process ended, and report its end to the supervisor once."""
        self.status = status
        self.signal = signal
        if (report := self._report) is not None:
            self._report = None
            report(self)

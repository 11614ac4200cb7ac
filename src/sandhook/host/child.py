"""What to start, and what was started: the words that both systems share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sandhook.record import Record

#: The status of a child that somebody else in this process waited for, so that nobody can know it.
LOST = 127


class Spawn(Record):
    """One program to start.

    Attributes:
        executable: The native path of the file; no PATH is searched.
        argv: The arguments; the first is what the program takes for its name.
        env: The environment, whole.
        cwd: The native path of the directory to start in.
        files: The child's descriptors to ours, which stay open here. 0, 1 and 2 are always
            given; on Windows they are all there is.
        umask: The file mode creation mask (POSIX).
        ignored: The shell's numbers of signals that the child ignores (POSIX).
        limits: Numbers of resource limits that the child has otherwise than this process, to (soft, hard) (POSIX).
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


class Child:
    """One started process, until it has ended and was waited for.

    Attributes:
        pid: The process's number.
        status: The exit status, 0 to 255, or 128 + n after signal n; None while it runs.
        signal: The shell's number of the signal that ended it, or 0.
        user: Seconds of processor time in user mode, with its own waited-for children; 0.0 while
            it runs and where the system does not say.
        system: The same in the kernel.
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
        """Look whether it has ended, and return that; never wait."""
        raise NotImplementedError

    def send(self, signal: int) -> None:
        """Send a signal, by the shell's number, to this process alone; nothing happens when it has ended.

        Raises:
            OSError: EINVAL for a number that the system does not know, EPERM for a process that
                has become somebody else's.
        """
        raise NotImplementedError

    def _end(self, status: int, signal: int) -> None:
        """Record how it ended, and tell the supervisor once."""
        self.status = status
        self.signal = signal
        if (report := self._report) is not None:
            self._report = None
            report(self)

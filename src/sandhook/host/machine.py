"""Reads the processes of the machine: their parents, and whether they have the mark of a run."""

from __future__ import annotations

import os
import sys
import time

from sandhook.record import Record

#: Name of the variable that marks the processes of a run.
VARIABLE = "SANDHOOK_RUN"

#: The maximum length of the variable's value, in characters: nested runs extend it.
_MAX_LENGTH = 400

#: Bytes that one read of a file in /proc requests; fewer arrive only at the end.
_PIECE = 1 << 13

#: More processes than a system can start in a second.
_MAX_STARTS_PER_SECOND = 20_000


class Process(Record):
    """One process of the system, at the moment when it was read.

    Attributes:
        started: Start time in units of the system; a later process with the same number has a later one.
        zombie: The process has ended, and its parent has not waited for it.
        policy: Its scheduling policy; -1 where it is not read.
    """

    pid: int
    parent: int
    session: int
    started: float
    zombie: bool
    policy: int = -1


class Mark:
    """The mark of one run: a variable, whose value also has the marks of the enclosing runs."""

    __slots__ = ("_bytes", "_text", "value")

    def __init__(self) -> None:
        self._text = os.urandom(12).hex()
        self._bytes = self._text.encode()
        outer = os.environ.get(VARIABLE, "")
        self.value = f"{outer}.{self._text}"[-_MAX_LENGTH:].lstrip(".")

    def on(self, machine: Machine, pid: int) -> bool | None:
        """Return True if a process has the mark; None if its environment cannot be read at the moment."""
        environment = machine.environment(pid)
        return None if environment is None else self._bytes in environment


class Machine:
    """The processes of the machine, read by psutil: for systems other than Linux."""

    def last(self) -> int:
        """Return the number of the newest process, 0 where the system does not report it."""
        return 0

    def turn(self) -> float:
        """Return a number of seconds in which process numbers cannot wrap around."""
        return 0.0

    def begin(self) -> float:
        """Return a time that is not later than the start of a process that starts now, in units of ``Process.started``."""
        return time.time() - 2

    def pids(self) -> list[int]:
        import psutil

        return list(psutil.pids())

    def look(self, pid: int) -> Process | None:
        """Return a process, None if no process has that number."""
        import psutil

        try:
            process = psutil.Process(pid)
            with process.oneshot():
                zombie = process.status() == psutil.STATUS_ZOMBIE
                return Process(pid, process.ppid(), _session(pid), process.create_time(), zombie)
        except psutil.Error:
            return None

    def environment(self, pid: int) -> bytes | None:
        """Return the whole environment of a process.

        It is empty without permission to read it, and None if it may appear in a moment: during an exec
        a process has no environment.
        """
        import psutil

        try:
            return "\0".join(psutil.Process(pid).environ().values()).encode("utf-8", "replace") or None
        except (psutil.Error, OSError):
            return b""


class Linux(Machine):
    """The processes of the machine, read from /proc: every run reads them at its end, and psutil is slow to import."""

    def last(self) -> int:
        try:
            return int(_read("/proc/loadavg").split()[-1])
        except (OSError, ValueError, IndexError):
            return 0

    def turn(self) -> float:
        try:
            return int(_read("/proc/sys/kernel/pid_max")) / _MAX_STARTS_PER_SECOND
        except (OSError, ValueError):
            return 0.0

    def begin(self) -> float:
        if sys.platform != "linux":
            return super().begin()
        return time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK") - 2

    def pids(self) -> list[int]:
        try:
            return [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit()]
        except OSError:
            return []

    def look(self, pid: int) -> Process | None:
        try:
            # the program's name is in parentheses, and may contain any character
            fields = _read(f"/proc/{pid}/stat").rpartition(b") ")[2].split()
            if fields[35] == b"-1":  # it sends no signal when it ends: a thread, not a process
                return None
            # a process has the state of a zombie also when only its first thread has ended
            zombie = fields[0] in (b"Z", b"X") and int(fields[17]) <= 1
            return Process(pid, int(fields[1]), int(fields[3]), float(fields[19]), zombie, int(fields[38]))
        except (OSError, ValueError, IndexError):
            return None

    def environment(self, pid: int) -> bytes | None:
        try:
            if data := _read(f"/proc/{pid}/environ"):
                return data
            if not _read(f"/proc/{pid}/cmdline"):  # both are empty during an exec
                return None
            return _read(f"/proc/{pid}/environ")
        except OSError:
            return b""


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    try:
        text = piece = os.read(fd, _PIECE)
        while len(piece) == _PIECE:
            piece = os.read(fd, _PIECE)
            text += piece
        return text
    finally:
        os.close(fd)


def _session(pid: int) -> int:
    if sys.platform == "win32":
        return 0
    try:
        return os.getsid(pid)
    except OSError:
        return 0


def limit_of(pid: int) -> int:
    """Return the soft limit of a process for the bytes of message queues; -1 if it is unknown (Linux)."""
    try:
        _, _, line = _read(f"/proc/{pid}/limits").partition(b"\nMax msgqueue size")
        return int(line.split(None, 1)[0])
    except (OSError, ValueError, IndexError):
        return -1


def this_machine() -> Machine:
    """Return the reader of this machine's processes."""
    return Linux() if sys.platform == "linux" else Machine()

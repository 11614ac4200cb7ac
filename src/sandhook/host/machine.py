"""Look at the processes of the machine: who is whose child, and which have the mark of a run."""

from __future__ import annotations

import os
import sys
import time

from sandhook.record import Record

#: Name of the variable that marks the processes of a run.
VARIABLE = "SANDHOOK_RUN"

#: Characters of the variable's value that are kept, when runs are nested in runs.
_LONGEST = 400

#: Bytes that one read of a file of /proc asks for; less comes at the end only.
_PIECE = 1 << 13

#: More processes than a system can start in a second.
_MOST_A_SECOND = 20_000


class Process(Record):
    """One process of the system, as it was when it was looked at.

    Attributes:
        started: When, in units of the system; a later process with the same number has another.
        zombie: Whether it has ended, and only waits to be waited for.
        policy: Its scheduling policy; -1 where that is not looked at.
    """

    pid: int
    parent: int
    session: int
    started: float
    zombie: bool
    policy: int = -1


class Mark:
    """The mark of one run: a variable, whose value also has the marks of the runs around it."""

    __slots__ = ("_bytes", "_text", "value")

    def __init__(self) -> None:
        self._text = os.urandom(12).hex()
        self._bytes = self._text.encode()
        outer = os.environ.get(VARIABLE, "")
        self.value = f"{outer}.{self._text}"[-_LONGEST:].lstrip(".")

    def on(self, machine: Machine, pid: int) -> bool | None:
        """Whether a process has the mark; None where that is not to be seen now."""
        environment = machine.environment(pid)
        return None if environment is None else self._bytes in environment


class Machine:
    """The processes of the machine. This one asks psutil, and serves where there is no Linux."""

    def last(self) -> int:
        """Return the number that the system gave to a process last, or 0 where it does not say."""
        return 0

    def turn(self) -> float:
        """Return the seconds in which the numbers surely do not begin anew."""
        return 0.0

    def begin(self) -> float:
        """Return what is surely not later than the start of a process that starts now."""
        return time.time() - 2

    def pids(self) -> list[int]:
        import psutil

        return list(psutil.pids())

    def look(self, pid: int) -> Process | None:
        """Return what is known of a process, or None if there is none."""
        import psutil

        try:
            process = psutil.Process(pid)
            with process.oneshot():
                zombie = process.status() == psutil.STATUS_ZOMBIE
                return Process(pid, process.ppid(), _session(pid), process.create_time(), zombie)
        except psutil.Error:
            return None

    def environment(self, pid: int) -> bytes | None:
        """Return the environment of a process in one piece.

        It is empty when it is not for us to see, and None when it may be there in a moment: a process has
        none in the middle of an exec.
        """
        import psutil

        try:
            return "\0".join(psutil.Process(pid).environ().values()).encode("utf-8", "replace") or None
        except (psutil.Error, OSError):
            return b""


class Linux(Machine):
    """The same from /proc, without loading psutil, for this is asked at the end of every run."""

    def last(self) -> int:
        try:
            return int(_read("/proc/loadavg").split()[-1])
        except (OSError, ValueError, IndexError):
            return 0

    def turn(self) -> float:
        try:
            return int(_read("/proc/sys/kernel/pid_max")) / _MOST_A_SECOND
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
            # the name of the program stands in parentheses, and may have any character
            fields = _read(f"/proc/{pid}/stat").rpartition(b") ")[2].split()
            if fields[35] == b"-1":  # it sends no signal when it ends: a thread, and no process
                return None
            # a process whose first thread alone has ended has the state of a zombie, too
            zombie = fields[0] in (b"Z", b"X") and int(fields[17]) <= 1
            return Process(pid, int(fields[1]), int(fields[3]), float(fields[19]), zombie, int(fields[38]))
        except (OSError, ValueError, IndexError):
            return None

    def environment(self, pid: int) -> bytes | None:
        try:
            if found := _read(f"/proc/{pid}/environ"):
                return found
            if not _read(f"/proc/{pid}/cmdline"):  # it has neither: it is in the middle of an exec
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
    """Return the soft limit of a process for the bytes of message queues; -1 if it is not known (Linux)."""
    try:
        _, _, line = _read(f"/proc/{pid}/limits").partition(b"\nMax msgqueue size")
        return int(line.split(None, 1)[0])
    except (OSError, ValueError, IndexError):
        return -1


def this_machine() -> Machine:
    """Return the way to look at this machine's processes."""
    return Linux() if sys.platform == "linux" else Machine()

"""Orphans that come to this process instead of to the first one of the system (Linux)."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress

from sandhook.host.machine import Process, limit_of

_SET, _GET = 36, 37  # PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER

#: What a soft limit is counted down from where there is none.
_HIGH = 1 << 40


class Adoption:
    """This process adopts the orphans of its descendants, while any object of this class is open.

    To adopt is a property of the whole process, and so this class counts its objects.

    An orphan must be told from the process's own children, which nobody else may wait for. Its
    environment does not do: a program can start another with none, and what has ended has none any
    more. So every child of a run is given, as soon as it is started, a soft limit for the bytes of
    POSIX message queues that is lower by a few bytes, a number that no other open run uses. All that
    it starts inherits the limit, whatever else it changes.
    """

    _lock = threading.Lock()
    _open: set[int] = set()
    _before = 0

    def __init__(self) -> None:
        import resource

        if sys.platform != "linux":
            raise OSError("only Linux lets a process adopt orphans")
        soft, hard = resource.getrlimit(resource.RLIMIT_MSGQUEUE)
        if soft == resource.RLIM_INFINITY:
            soft = _HIGH
        cls = type(self)
        with cls._lock:
            if not cls._open:
                cls._before = _control(_GET, 0)
                _control(_SET, 1)
            self._number = 1
            while self._number in cls._open:
                self._number += 1
            cls._open.add(self._number)
        self._limit = (soft - self._number, hard)

    def mark(self, pid: int) -> None:
        """Give a child the limit of this run."""
        import resource

        if sys.platform == "linux":
            with suppress(OSError):  # it has ended, or is a program that runs as another user
                resource.prlimit(pid, resource.RLIMIT_MSGQUEUE, self._limit)

    def has(self, process: Process) -> bool:
        """Whether a process has the limit of this run."""
        return limit_of(process.pid) == self._limit[0]

    def reap(self, pids: Iterable[int]) -> None:
        """Wait for orphans that have ended."""
        for pid in pids:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)

    def close(self) -> None:
        """Adopt no more, unless others still do."""
        cls = type(self)
        with cls._lock:
            cls._open.discard(self._number)
            if not cls._open:
                _control(_SET, cls._before)


def _control(option: int, value: int) -> int:
    """Call prctl, with the value for SET, and return the one of GET."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    found = ctypes.c_int(0)
    argument = ctypes.byref(found) if option == _GET else ctypes.c_ulong(value)
    if library.prctl(option, argument, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    return found.value

"""Orphans that come to this process instead of to the first one of the system (Linux).

An orphan must be told from the process's own children, for which nobody else may wait. Its environment
does not do: a program can start another with none, and what has ended has none any more. So every child
of a run is given a soft limit for the bytes of POSIX message queues that is lower by a few bytes, a number
that no other open run uses. All that it starts inherits the limit, whatever else it changes.

A limit can be given only to a process that is there, and by then it may have started others. What
no process can run before is the change of a thread's own scheduling policy: it is SCHED_BATCH here while
the child is started. So whatever has that policy among the processes that came in this moment is
the child or started by it. They are given the limit and the usual policy again.
"""

from __future__ import annotations

import sys

if sys.platform != "linux":
    raise ImportError("only Linux lets a process adopt orphans")

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

from sandhook.host.machine import Linux, Process, limit_of
from sandhook.host.posix import PosixChild

_SET, _GET = 36, 37  # PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER

#: What a soft limit is counted down from where there is none.
_HIGH = 1 << 40

#: How many of the last starts are remembered, for processes whose fork was not complete at that moment,
#: and how many numbers beyond the last one such a process may have.
_WINDOWS, _BEYOND = 256, 256


class Adoption:
    """This process adopts the orphans of its descendants, while any object of this class is open.

    To adopt is a property of the whole process, and so this class counts its objects.
    """

    _lock = threading.Lock()
    _open: set[int] = set()
    _before = 0

    def __init__(self) -> None:
        import resource

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
        self._machine = Linux()
        self._windows: deque[tuple[int, int]] = deque(maxlen=_WINDOWS)

    def start(self, start: Callable[[], PosixChild]) -> PosixChild:
        """Start a child by a call, and give it and all that it starts the limit of this run."""
        with type(self)._lock:  # two children that are started at once could not be told apart
            mine = _policy(0, os.SCHED_OTHER, os.SCHED_BATCH)
            try:
                child = start()
            finally:
                if mine:
                    _policy(0, os.SCHED_BATCH, os.SCHED_OTHER)
            self._mark(child.pid)
            if mine:
                _policy(child.pid, os.SCHED_BATCH, os.SCHED_OTHER)
                self._mark_descendants(child.pid)
            return child

    def _mark(self, pid: int) -> None:
        import resource

        with suppress(OSError):  # it is gone, or runs as another user
            resource.prlimit(pid, resource.RLIMIT_MSGQUEUE, self._limit)

    def _mark_descendants(self, pid: int) -> None:
        """Mark what a child started before it was marked, and what that has started."""
        first = pid
        while (last := self._machine.last()) != pid:
            # where the numbers begin anew, and where the last one is not told, all are looked at
            for each in range(pid + 1, last + 1) if pid < last else self._machine.pids():
                self._claim(each)
            if not last:
                break
            pid = last
        self._windows.append((first, pid + _BEYOND))

    def _claim(self, pid: int) -> bool:
        """Mark a process, if it has the policy of one that was started before its parent was marked."""
        found = self._machine.look(pid)
        if found is None or found.policy != os.SCHED_BATCH:
            return False
        self._mark(pid)
        _policy(pid, os.SCHED_BATCH, os.SCHED_OTHER)
        return True

    def has(self, process: Process) -> bool:
        """Whether a process has the limit of this run, or ought to have it."""
        if limit_of(process.pid) == self._limit[0]:
            return True
        if process.policy != os.SCHED_BATCH:
            return False
        if not any(first < process.pid <= last for first, last in self._windows):
            return False
        with type(self)._lock:  # a child that is just being started by another run has the policy, too
            return self._claim(process.pid)

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


def _policy(pid: int, old: int, new: int) -> bool:
    """Change the scheduling policy of a process (0: of this thread), if it is ``old``; say whether it was."""
    try:
        if os.sched_getscheduler(pid) != old:
            return False
        os.sched_setscheduler(pid, new, os.sched_param(0))
    except OSError:
        return False
    return True


def _control(option: int, value: int) -> int:
    """Call prctl, with the value for SET, and return the one of GET."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    found = ctypes.c_int(0)
    argument = ctypes.byref(found) if option == _GET else ctypes.c_ulong(value)
    if library.prctl(option, argument, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    return found.value

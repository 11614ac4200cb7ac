"""Adopts the orphans of a run: this process becomes their parent instead of init (Linux).

An orphan must be distinguished from other children of this process, which only their owners may wait
for. Its environment does not suffice: a program can start another one with an empty environment, and a
zombie has no environment. So every child of a run gets a soft limit for the bytes of POSIX message queues
that is a few bytes lower than usual, by a number that no other open run uses. Its descendants inherit
the limit.

A limit can only be set on a process that exists, and by then the process may have started others. So the
thread that starts the child has the scheduling policy SCHED_BATCH during the start, and the child inherits
it. Every new process with this policy is the child or its descendant. These processes get the limit,
and then the usual policy again.
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

#: The soft limit to count down from if there is no limit.
_UNLIMITED_START = 1 << 40

#: The number of recent starts to remember, for processes whose fork was not complete at that moment, and how far
#: the number of such a process may be above the newest number at that moment.
_MAX_WINDOWS, _PID_MARGIN = 256, 256


class Adoption:
    """Makes this process adopt the orphans of its descendants while an object of this class is open.

    Adoption is a property of the whole process, so this class keeps the numbers of its open objects.
    """

    _lock = threading.Lock()
    _open_numbers: set[int] = set()
    _before = 0

    def __init__(self) -> None:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_MSGQUEUE)
        if soft == resource.RLIM_INFINITY:
            soft = _UNLIMITED_START
        cls = type(self)
        with cls._lock:
            if not cls._open_numbers:
                cls._before = _control(_GET, 0)
                _control(_SET, 1)
            self._number = 1
            while self._number in cls._open_numbers:
                self._number += 1
            cls._open_numbers.add(self._number)
        self._limit = (soft - self._number, hard)
        self._machine = Linux()
        self._windows: deque[tuple[int, int]] = deque(maxlen=_MAX_WINDOWS)

    def start(self, start: Callable[[], PosixChild]) -> PosixChild:
        """Call ``start``, which starts a child, and set the limit of this run on the child and its descendants."""
        with type(self)._lock:  # two children that start at once could not be distinguished
            had_default_policy = _policy(0, os.SCHED_OTHER, os.SCHED_BATCH)
            try:
                child = start()
            finally:
                if had_default_policy:
                    _policy(0, os.SCHED_BATCH, os.SCHED_OTHER)
            self._mark(child.pid)
            if had_default_policy:
                _policy(child.pid, os.SCHED_BATCH, os.SCHED_OTHER)
                self._mark_descendants(child.pid)
            return child

    def _mark(self, pid: int) -> None:
        import resource

        with suppress(OSError):  # the process has ended, or runs as another user
            resource.prlimit(pid, resource.RLIMIT_MSGQUEUE, self._limit)

    def _mark_descendants(self, pid: int) -> None:
        """Mark the descendants that a child started before it was marked."""
        first = pid
        while (last := self._machine.last()) != pid:
            # all processes, when the numbers began anew or the last one is unknown
            for descendant in range(pid + 1, last + 1) if pid < last else self._machine.pids():
                self._claim(descendant)
            if not last:
                break
            pid = last
        self._windows.append((first, pid + _PID_MARGIN))

    def _claim(self, pid: int) -> bool:
        """Mark a process that was started before its parent was marked; return False for others."""
        process = self._machine.look(pid)
        if process is None or process.policy != os.SCHED_BATCH:
            return False
        self._mark(pid)
        _policy(pid, os.SCHED_BATCH, os.SCHED_OTHER)
        return True

    def has(self, process: Process) -> bool:
        """Return True if a process has the limit of this run, or has just received it."""
        if limit_of(process.pid) == self._limit[0]:
            return True
        if process.policy != os.SCHED_BATCH:
            return False
        if not any(first < process.pid <= last for first, last in self._windows):
            return False
        with type(self)._lock:  # a child that another run is starting has the policy, too
            return self._claim(process.pid)

    def reap(self, pids: Iterable[int]) -> None:
        """Wait for orphans that have ended."""
        for pid in pids:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)

    def close(self) -> None:
        """Stop adopting, unless other objects are open."""
        cls = type(self)
        with cls._lock:
            cls._open_numbers.discard(self._number)
            if not cls._open_numbers:
                _control(_SET, cls._before)


def _policy(pid: int, old: int, new: int) -> bool:
    """Change the scheduling policy of a process (0: of this thread) from ``old`` to ``new``; return False for another one."""
    try:
        if os.sched_getscheduler(pid) != old:
            return False
        os.sched_setscheduler(pid, new, os.sched_param(0))
    except OSError:
        return False
    return True


def _control(option: int, value: int) -> int:
    """Call prctl; ``value`` is for SET, and GET returns its result."""
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    result = ctypes.c_int(0)
    argument = ctypes.byref(result) if option == _GET else ctypes.c_ulong(value)
    if library.prctl(option, argument, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    return result.value

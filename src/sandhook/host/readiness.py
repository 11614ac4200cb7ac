"""The poller on POSIX: one poll(2) for the descriptors of a run and the ends of its children."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    raise ImportError("this is Windows")

import os
import select
import time
from collections.abc import Callable
from contextlib import suppress

from sandhook.host.child import Child
from sandhook.host.posix import open_process

Call = Callable[[], None]

#: Seconds between two polls of children without a descriptor; doubled while nothing happens.
_FIRST_INTERVAL, _LONGEST_INTERVAL = 0.000_5, 0.008

#: The longest wait of one system call in seconds; poll(2) has its milliseconds in an int.
_MAX_WAIT = 86_400.0


class Poller:
    """Calls functions when pipe ends are ready and when children have ended.

    Every watch calls once. The calls run inside ``wait``, in its thread; they may add and drop
    watches. Call ``forget`` before a descriptor is closed.

    Args:
        handles: Watch children by descriptors if the system has them.
    """

    __slots__ = ("_children", "_ends", "_handles", "_poll", "_poll_interval", "_reads", "_writes")

    def __init__(self, *, handles: bool = True) -> None:
        self._handles = handles
        self._poll = select.poll()
        self._reads: dict[int, list[Call]] = {}
        self._writes: dict[int, list[Call]] = {}
        self._ends: dict[int, tuple[Child, Call]] = {}  # by handle, which this object closes
        self._children: list[tuple[Child, Call]] = []  # children without a handle
        self._poll_interval = _FIRST_INTERVAL

    def readable(self, fd: int, call: Call) -> None:
        """Call once, when a read from ``fd`` would return data or the end of it."""
        self._reads.setdefault(fd, []).append(call)
        self._register(fd)

    def writable(self, fd: int, call: Call) -> None:
        """Call once, when a write to ``fd`` would write at least one byte, or fail."""
        self._writes.setdefault(fd, []).append(call)
        self._register(fd)

    def ended(self, child: Child, call: Call) -> None:
        """Call once, when ``child`` has ended and this process has waited for it."""
        handle = -1
        if self._handles and child.status is None:  # else another process may have the number
            with suppress(OSError):  # the system has no such handles, or no descriptor is left
                handle = open_process(child.pid)
        if handle < 0:
            self._children.append((child, call))
            self._poll_interval = _FIRST_INTERVAL
        else:
            self._ends[handle] = (child, call)
            self._poll.register(handle, select.POLLIN)

    def forget(self, fd: int) -> None:
        """Drop the watches of a descriptor."""
        self._reads.pop(fd, None)
        self._writes.pop(fd, None)
        self._register(fd)

    def close(self) -> None:
        """Drop all watches."""
        self._poll = select.poll()
        self._reads.clear()
        self._writes.clear()
        self._children.clear()
        while self._ends:
            os.close(self._ends.popitem()[0])

    def __del__(self) -> None:
        self.close()

    def _register(self, fd: int) -> None:
        """Register the events that are now watched for a descriptor."""
        events = (select.POLLIN if fd in self._reads else 0) | (select.POLLOUT if fd in self._writes else 0)
        if events:
            self._poll.register(fd, events)
        else:
            with suppress(KeyError):
                self._poll.unregister(fd)

    def wait(self, seconds: float | None) -> bool:
        """Wait until a watch has called, and return True; return False after ``seconds``.

        Args:
            seconds: The longest wait; 0 only polls; None waits without limit, but not when
                nothing is watched.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        remaining = seconds
        while True:
            if remaining is None and not (self._reads or self._writes or self._ends or self._children):
                return False
            if self._wait_once(_MAX_WAIT if remaining is None else min(remaining, _MAX_WAIT)):
                return True
            if deadline is not None:
                remaining = max(0.0, deadline - time.monotonic())
                if not remaining:
                    return False

    def _wait_once(self, seconds: float) -> bool:
        """Wait once, and call the watches of all events: data first, then the ends of children."""
        ends: list[tuple[Child, Call]] = []
        if self._children:
            ends = [watch for watch in self._children if watch[0].poll()]
            if ends:
                self._children = [watch for watch in self._children if watch not in ends]
                seconds, self._poll_interval = 0.0, _FIRST_INTERVAL
            else:
                seconds = min(seconds, self._poll_interval)
                self._poll_interval = min(2 * self._poll_interval, _LONGEST_INTERVAL)
        has_called = False
        for fd, events in self._poll.poll(1000 * seconds):
            if fd in self._ends:
                if self._ends[fd][0].poll():
                    ends.append(self._ends.pop(fd))
                    self._poll.unregister(fd)
                    os.close(fd)
                continue
            calls: list[Call] = []
            if events & ~select.POLLOUT:
                calls += self._reads.pop(fd, ())
            if events & ~select.POLLIN:
                calls += self._writes.pop(fd, ())
            self._register(fd)
            for call in calls:
                has_called = True
                call()
        for _, call in ends:
            has_called = True
            call()
        return has_called

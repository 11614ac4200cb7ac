"""Pipes between this process and its children, and the poller that watches them, on Windows.

Windows cannot wait for an anonymous pipe and a process together. So pipes are polled at growing
intervals, and children are waited for if there is no pipe to poll.
"""

from __future__ import annotations

import sys

if sys.platform != "win32":
    raise ImportError("this is not Windows")

import _winapi
import msvcrt
import os
import time
from collections.abc import Callable

from sandhook.host.child import Child
from sandhook.host.windows import WindowsChild

Call = Callable[[], None]

#: Bytes that a pipe holds, as on Linux.
ROOM = 1 << 16

#: Seconds between two polls of pipes, the first and the longest.
_FIRST_INTERVAL, _LONGEST_INTERVAL = 0.000_5, 0.005

#: Seconds after which a write is attempted although the system reports no room.
_RETRY_SECONDS = 0.01

#: Error codes for a pipe whose other end is closed.
_CLOSED = frozenset({109, 232, 233})

_MAX_HANDLES = 60  #: handles that one call can wait for
_MAX_WAIT = 1_000_000  # milliseconds


def _pipe() -> tuple[int, int]:
    read_handle, write_handle = _winapi.CreatePipe(None, ROOM)
    return (
        msvcrt.open_osfhandle(read_handle, os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT),
        msvcrt.open_osfhandle(write_handle, os.O_WRONLY | os.O_BINARY | os.O_NOINHERIT),
    )


def inbound() -> tuple[int, int]:
    """Return a pipe into this process: (its read end, which does not block; the child's write end)."""
    return _pipe()


def outbound() -> tuple[int, int]:
    """Return a pipe to a child: (the child's read end; the write end here, which does not block)."""
    read_end, write_end = _pipe()
    set_write_blocking(write_end, False)
    return read_end, write_end


def adjoining() -> tuple[int, int]:
    """Return a pipe between children: (to read from, to write to); both ends block, as programs expect."""
    return _pipe()


def set_read_blocking(fd: int, blocking: bool) -> None:
    """Do nothing: ``read_some`` first asks how many bytes there are."""


def set_write_blocking(fd: int, blocking: bool) -> None:
    """Make writes to a descriptor block, or not, for every process that has it."""
    from sandhook.host.winapi import set_blocking

    set_blocking(msvcrt.get_osfhandle(fd), blocking)


def _unread(fd: int) -> int:
    """Return the number of bytes that can be read, -1 at the end of the data."""
    try:
        return int(_winapi.PeekNamedPipe(msvcrt.get_osfhandle(fd), 0)[0])
    except OSError as error:
        if error.winerror in _CLOSED:
            return -1
        raise


def read_some(fd: int, count: int) -> bytes | None:
    """Return up to ``count`` bytes, b"" at the end of the data, or None if there is no data yet."""
    unread = _unread(fd)
    if unread <= 0:
        return None if unread == 0 else b""
    return os.read(fd, min(count, unread))


def write_some(fd: int, data: bytes | memoryview) -> int:
    """Write as much as there is room for, and return the number of bytes.

    Raises:
        BrokenPipeError: The pipe has no reader.
    """
    handle, size = msvcrt.get_osfhandle(fd), min(len(data), ROOM)
    try:
        # the system writes all or nothing, and does not always report the room
        while size > 0:
            count = _winapi.WriteFile(handle, data[:size])[0]
            if count:
                return int(count)
            size //= 2
    except OSError as error:
        if error.winerror in _CLOSED:
            raise BrokenPipeError(error.errno, "Broken pipe") from None
        raise
    return 0


def unread_bytes(fd: int, count: int) -> bytes:
    """Return up to ``count`` unread bytes of an outbound pipe; do not wait.

    Args:
        fd: The end that children read from, which is still open here.
        count: Bytes.
    """
    pieces: list[bytes] = []
    while count > 0 and (piece := read_some(fd, count)):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


class Poller:
    """Calls functions when pipe ends are ready and when children have ended.

    Every watch calls once. The calls run inside ``wait``, in its thread; they may add and drop
    watches. Call ``forget`` before a descriptor is closed.
    """

    __slots__ = ("_ends", "_interval", "_reads", "_writes")

    def __init__(self) -> None:
        self._reads: dict[int, list[Call]] = {}
        self._writes: dict[int, tuple[list[Call], float]] = {}  # with the time of the next attempt
        self._ends: list[tuple[Child, Call]] = []
        self._interval = _FIRST_INTERVAL

    def readable(self, fd: int, call: Call) -> None:
        """Call once, when a read from ``fd`` would return data or the end of it."""
        self._reads.setdefault(fd, []).append(call)

    def writable(self, fd: int, call: Call) -> None:
        """Call once, when a write to ``fd`` would write at least one byte, or fail.

        It is also called after some time, because the system does not always report room.
        """
        self._writes.setdefault(fd, ([], time.monotonic() + _RETRY_SECONDS))[0].append(call)

    def ended(self, child: Child, call: Call) -> None:
        """Call once, when ``child`` has ended."""
        self._ends.append((child, call))
        self._interval = _FIRST_INTERVAL

    def forget(self, fd: int) -> None:
        """Drop the watches of a descriptor."""
        self._reads.pop(fd, None)
        self._writes.pop(fd, None)

    def close(self) -> None:
        """Drop all watches."""
        self._reads.clear()
        self._writes.clear()
        self._ends.clear()

    def wait(self, seconds: float | None) -> bool:
        """Wait until a watch has called, and return True; return False after ``seconds``.

        Args:
            seconds: The longest wait; 0 only polls; None waits without limit, but not when
                nothing is watched.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        while not self._call_ready():
            remaining = None if deadline is None else deadline - time.monotonic()
            if remaining is not None and remaining <= 0:
                return False
            if not (self._reads or self._writes or self._ends):
                if remaining is None:
                    return False
                time.sleep(remaining)
                return False
            self._pause(remaining)
        self._interval = _FIRST_INTERVAL
        return True

    def _pause(self, remaining: float | None) -> None:
        """Wait until the next poll, or for children if there are no pipes."""
        handles = [child.handle for child, _ in self._ends if isinstance(child, WindowsChild)]
        if self._reads or self._writes or len(handles) > _MAX_HANDLES:
            # a sleep is exact to half a millisecond, a wait for handles to sixteen
            time.sleep(self._interval if remaining is None else min(self._interval, remaining))
            self._interval = min(2 * self._interval, _LONGEST_INTERVAL)
        else:
            wait = _MAX_WAIT if remaining is None else min(int(1000 * remaining) + 1, _MAX_WAIT)
            _winapi.WaitForMultipleObjects(handles, False, wait)

    def _call_ready(self) -> bool:
        """Call the watches of all events: data first, then the ends of children."""
        from sandhook.host.winapi import has_room

        ended = [watch for watch in self._ends if watch[0].poll()]
        now = time.monotonic()
        called = False
        for fd in [fd for fd in self._reads if _ready(fd)]:
            for call in self._reads.pop(fd, ()):
                called = True
                call()
        ready = [
            fd
            for fd, (_, latest) in self._writes.items()
            if now >= latest or has_room(msvcrt.get_osfhandle(fd))
        ]
        for fd in ready:
            for call in self._writes.pop(fd, ((), 0.0))[0]:
                called = True
                call()
        if ended:
            self._ends = [watch for watch in self._ends if watch not in ended]
        for _, call in ended:
            called = True
            call()
        return called


def _ready(fd: int) -> bool:
    try:
        return _unread(fd) != 0
    except OSError:  # a read will raise the error
        return True

"""Pipes between this process and its children, and the poller that watches them, on Windows.

Windows cannot wait for an anonymous pipe and a process together. So pipes are polled, at first at once
and then at growing intervals, and children are waited for when there is no pipe to poll.
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
_FIRST_LOOK, _LONGEST_LOOK = 0.000_5, 0.005

#: Seconds after which a write is tried although the system reports no room.
_TRY = 0.01

#: Error codes for a pipe whose other end is closed.
_CLOSED = frozenset({109, 232, 233})

_MOST_HANDLES = 60  # that one call can wait for
_LONGEST_WAIT = 1_000_000  # milliseconds


def _pipe() -> tuple[int, int]:
    reading, writing = _winapi.CreatePipe(None, ROOM)
    return (
        msvcrt.open_osfhandle(reading, os.O_RDONLY | os.O_BINARY | os.O_NOINHERIT),
        msvcrt.open_osfhandle(writing, os.O_WRONLY | os.O_BINARY | os.O_NOINHERIT),
    )


def inbound() -> tuple[int, int]:
    """Return a pipe into this process: (ours, which does not block; the child's end to write to)."""
    return _pipe()


def outbound() -> tuple[int, int]:
    """Return a pipe to a child: (its end to read from; ours, which does not block)."""
    theirs, ours = _pipe()
    writes_wait(ours, False)
    return theirs, ours


def adjoining() -> tuple[int, int]:
    """Return a pipe between children: (to read from, to write to); both ends block, as programs expect."""
    return _pipe()


def reads_wait(fd: int, wait: bool) -> None:
    """Do nothing: ``read_some`` first asks how many bytes there are."""


def writes_wait(fd: int, wait: bool) -> None:
    """Make writes to a descriptor block, or not, for every process that has it."""
    from sandhook.host.winapi import set_blocking

    set_blocking(msvcrt.get_osfhandle(fd), wait)


def _unread(fd: int) -> int:
    """Return the number of bytes that can be read, -1 at the end of the data."""
    try:
        return int(_winapi.PeekNamedPipe(msvcrt.get_osfhandle(fd), 0)[0])
    except OSError as error:
        if error.winerror in _CLOSED:
            return -1
        raise


def read_some(fd: int, count: int) -> bytes | None:
    """Return up to ``count`` bytes, b"" at the end of the data, or None when there is nothing yet."""
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
            written = _winapi.WriteFile(handle, data[:size])[0]
            if written:
                return int(written)
            size //= 2
    except OSError as error:
        if error.winerror in _CLOSED:
            raise BrokenPipeError(error.errno, "Broken pipe") from None
        raise
    return 0


def unread_bytes(fd: int, count: int) -> bytes:
    """Return up to ``count`` unread bytes of an outbound pipe; never wait.

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

    __slots__ = ("_ends", "_look", "_reads", "_writes")

    def __init__(self) -> None:
        self._reads: dict[int, list[Call]] = {}
        self._writes: dict[int, tuple[list[Call], float]] = {}  # with the latest time of a try
        self._ends: list[tuple[Child, Call]] = []
        self._look = _FIRST_LOOK

    def readable(self, fd: int, call: Call) -> None:
        """Call once, when a read from ``fd`` would return data or the end of it."""
        self._reads.setdefault(fd, []).append(call)

    def writable(self, fd: int, call: Call) -> None:
        """Call once, when a write to ``fd`` would write at least one byte, or fail.

        It is also called after some time, because the system does not always report room.
        """
        self._writes.setdefault(fd, ([], time.monotonic() + _TRY))[0].append(call)

    def ended(self, child: Child, call: Call) -> None:
        """Call once, when ``child`` has ended."""
        self._ends.append((child, call))
        self._look = _FIRST_LOOK

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
        until = None if seconds is None else time.monotonic() + seconds
        while not self._call_ready():
            rest = None if until is None else until - time.monotonic()
            if rest is not None and rest <= 0:
                return False
            if not (self._reads or self._writes or self._ends):
                if rest is None:
                    return False
                time.sleep(rest)
                return False
            self._pause(rest)
        self._look = _FIRST_LOOK
        return True

    def _pause(self, rest: float | None) -> None:
        """Wait for the time of the next poll, or for children when there are no pipes."""
        handles = [child.handle for child, _ in self._ends if isinstance(child, WindowsChild)]
        if self._reads or self._writes or len(handles) > _MOST_HANDLES:
            # a sleep is exact to half a millisecond, a wait for handles to sixteen
            time.sleep(self._look if rest is None else min(self._look, rest))
            self._look = min(2 * self._look, _LONGEST_LOOK)
        else:
            wait = _LONGEST_WAIT if rest is None else min(int(1000 * rest) + 1, _LONGEST_WAIT)
            _winapi.WaitForMultipleObjects(handles, False, wait)

    def _call_ready(self) -> bool:
        """Call the watches of what happened: data first, then the ends of children."""
        from sandhook.host.winapi import has_room

        over = [watch for watch in self._ends if watch[0].poll()]
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
        if over:
            self._ends = [watch for watch in self._ends if watch not in over]
        for _, call in over:
            called = True
            call()
        return called


def _ready(fd: int) -> bool:
    try:
        return _unread(fd) != 0
    except OSError:  # a read will raise the error
        return True

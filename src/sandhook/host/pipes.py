"""Pipes between this process and its children, on POSIX."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    raise ImportError("this is Windows")

import os
import select
import signal

#: The most bytes that one read returns: the capacity of a pipe on Linux.
_PIECE = 1 << 16


def inbound() -> tuple[int, int]:
    """Return a pipe into this process: (its read end, which does not block; the child's write end)."""
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    return read_end, write_end


def outbound() -> tuple[int, int]:
    """Return a pipe to a child: (the child's read end; the write end here, which does not block)."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    return read_end, write_end


def adjoining() -> tuple[int, int]:
    """Return a pipe between children: (to read from, to write to); both ends block, as programs expect."""
    return os.pipe()


def set_read_blocking(fd: int, blocking: bool) -> None:
    """Make reads from a descriptor block, or not, for every process that has it."""
    os.set_blocking(fd, blocking)


def set_write_blocking(fd: int, blocking: bool) -> None:
    """Make writes to a descriptor block, or not, for every process that has it."""
    os.set_blocking(fd, blocking)


def read_some(fd: int, count: int) -> bytes | None:
    """Return up to ``count`` bytes, b"" at the end of the data, or None if there is no data yet."""
    try:
        return os.read(fd, count)
    except BlockingIOError:
        return None


def write_some(fd: int, data: bytes | memoryview) -> int:
    """Write as much as there is room for, and return the number of bytes.

    Raises:
        BrokenPipeError: The pipe has no reader. SIGPIPE does not end this process, even if its action is
            the default.
    """
    try:
        if signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL:
            return _write_shielded(fd, data)
        return os.write(fd, data)
    except BlockingIOError:
        return 0


def _write_shielded(fd: int, data: bytes | memoryview) -> int:
    """Write with SIGPIPE blocked in this thread."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGPIPE,))
    try:
        return os.write(fd, data)
    except BrokenPipeError:
        if signal.SIGPIPE not in before:
            signal.sigwait((signal.SIGPIPE,))  # else it would arrive when the mask is restored
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unread_bytes(fd: int, count: int) -> bytes:
    """Return up to ``count`` unread bytes of an outbound pipe; do not wait.

    Args:
        fd: The end that children read from, which is still open here.
        count: Bytes.
    """
    pieces: list[bytes] = []
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    # a living child shares this flag, so it is changed only during the read
    os.set_blocking(fd, False)
    try:
        while count > 0 and poll.poll(0):
            piece = os.read(fd, min(count, _PIECE))
            if not piece:
                break
            pieces.append(piece)
            count -= len(piece)
    except BlockingIOError:
        pass
    finally:
        os.set_blocking(fd, True)
    return b"".join(pieces)

"""Pipes between this process and its children, on POSIX."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    raise ImportError("this is Windows")

import os
import select
import signal

#: Bytes that one read takes at most: what Linux keeps in a pipe.
_PIECE = 1 << 16


def inbound() -> tuple[int, int]:
    """Return a pipe into this process: (ours, which does not block; the child's end to write to)."""
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    return ours, theirs


def outbound() -> tuple[int, int]:
    """Return a pipe to a child: (its end to read from; ours, which does not block)."""
    theirs, ours = os.pipe()
    os.set_blocking(ours, False)
    return theirs, ours


def adjoining() -> tuple[int, int]:
    """Return a pipe between children: (to read from, to write to); using either waits, as they expect."""
    return os.pipe()


def reads_wait(fd: int, wait: bool) -> None:
    """Let reading from a descriptor wait for data, or not, for all who have it."""
    os.set_blocking(fd, wait)


def writes_wait(fd: int, wait: bool) -> None:
    """Let writing to a descriptor wait for room, or not, for all who have it."""
    os.set_blocking(fd, wait)


def read_some(fd: int, count: int) -> bytes | None:
    """Return up to ``count`` bytes, b"" at the end of the data, or None when there is nothing yet."""
    try:
        return os.read(fd, count)
    except BlockingIOError:
        return None


def write_some(fd: int, data: bytes | memoryview) -> int:
    """Write what there is room for, and return how many bytes that was.

    Raises:
        BrokenPipeError: Nobody reads. It is raised also where the program has given SIGPIPE its
            default action, which would end it.
    """
    try:
        if signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL:
            return _write_shielded(fd, data)
        return os.write(fd, data)
    except BlockingIOError:
        return 0


def _write_shielded(fd: int, data: bytes | memoryview) -> int:
    """Write with SIGPIPE held back from this thread."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGPIPE,))
    try:
        return os.write(fd, data)
    except BrokenPipeError:
        if signal.SIGPIPE not in before:
            signal.sigwait((signal.SIGPIPE,))  # it is pending, and would come when the mask is put back
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def left_over(fd: int, count: int) -> bytes:
    """Return up to ``count`` bytes that nobody has read from an outbound pipe; never wait.

    Args:
        fd: The end that children read from, which is still open here.
        count: Bytes.
    """
    pieces: list[bytes] = []
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    # a child that still lives shares this flag, so it is changed for no longer than the reading takes
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

"""Opens a FIFO of the host, and waits for its other end while other tasks run."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    raise ImportError("this is Windows")

import os
from contextlib import suppress

from sandhook.host.blocking import call_in_thread
from sandhook.host.poller import Poller
from sandhook.kernel.scheduler import Scheduler


def open_fifo(path: str, flags: int, poller: Poller, scheduler: Scheduler) -> int:
    """Open a FIFO for reading or for writing, in a thread: a poller cannot wait for its other end.

    If a signal or the end of the run interrupts the wait, this opens the other end for a moment, which
    ends the thread.

    Raises:
        OSError: The error of open(2).
    """
    other_end = os.O_RDONLY if flags & os.O_WRONLY else os.O_WRONLY

    def release() -> None:
        with suppress(OSError):
            os.close(os.open(path, other_end | os.O_NONBLOCK | os.O_CLOEXEC))

    return call_in_thread(lambda: os.open(path, flags), poller, scheduler, release=release, discard=os.close)

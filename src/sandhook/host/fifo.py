"""Opens a FIFO of the host, and waits for its other end while other tasks go on."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    raise ImportError("this is Windows")

import os
from contextlib import suppress
from threading import Thread

from greenlet import getcurrent

from sandhook.host.poller import Poller
from sandhook.kernel.scheduler import Scheduler


def open_fifo(path: str, flags: int, poller: Poller, scheduler: Scheduler) -> int:
    """Open a FIFO for reading or for writing, in a thread: a poller cannot wait for its other end.

    When a signal or the end of the run ends the wait, this opens the other end for a moment, so that the
    thread ends, too.

    Raises:
        OSError: The error of open(2).
    """
    found: list[int | OSError] = []
    ours, theirs = os.pipe()

    def wait() -> None:
        try:
            found.append(os.open(path, flags))
        except OSError as error:
            found.append(error)
        finally:
            os.close(theirs)

    me = getcurrent()
    thread = Thread(target=wait, name="sandhook-fifo", daemon=True)
    thread.start()
    try:
        poller.readable(ours, lambda: scheduler.wake(me))
        while not found:
            scheduler.block()
    except BaseException:
        _release(path, flags, thread)
        for each in found:
            if isinstance(each, int):
                os.close(each)
        raise
    finally:
        poller.forget(ours)
        os.close(ours)
    thread.join()
    opened = found[0]
    if isinstance(opened, OSError):
        raise opened
    return opened


def _release(path: str, flags: int, thread: Thread) -> None:
    """Open the other end of the FIFO until the thread no longer waits for it."""
    other = os.O_RDONLY if flags & os.O_WRONLY else os.O_WRONLY
    while thread.is_alive():
        with suppress(OSError):
            os.close(os.open(path, other | os.O_NONBLOCK | os.O_CLOEXEC))
        thread.join(0.01)

"""Opens a FIFO of the host, and waits for its other end while other tasks run."""

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

    If a signal or the end of the run interrupts the wait, this opens the other end for a moment, which
    ends the thread.

    Raises:
        OSError: The error of open(2).
    """
    results: list[int | OSError] = []
    read_end, write_end = os.pipe()

    def wait() -> None:
        try:
            results.append(os.open(path, flags))
        except OSError as error:
            results.append(error)
        finally:
            os.close(write_end)

    task = getcurrent()
    thread = Thread(target=wait, name="sandhook-fifo", daemon=True)
    thread.start()
    try:
        poller.readable(read_end, lambda: scheduler.wake(task))
        while not results:
            scheduler.block()
    except BaseException:
        _release(path, flags, thread)
        for result in results:
            if isinstance(result, int):
                os.close(result)
        raise
    finally:
        poller.forget(read_end)
        os.close(read_end)
    thread.join()
    fd = results[0]
    if isinstance(fd, OSError):
        raise fd
    return fd


def _release(path: str, flags: int, thread: Thread) -> None:
    """Open the other end of the FIFO until the thread no longer waits for it."""
    flag = os.O_RDONLY if flags & os.O_WRONLY else os.O_WRONLY
    while thread.is_alive():
        with suppress(OSError):
            os.close(os.open(path, flag | os.O_NONBLOCK | os.O_CLOEXEC))
        thread.join(0.01)

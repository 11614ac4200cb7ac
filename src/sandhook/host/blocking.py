"""Calls of the system that block, in a thread, while other tasks run: a poller cannot wait for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

from greenlet import getcurrent

from sandhook.host.poller import Poller
from sandhook.kernel.scheduler import Scheduler

T = TypeVar("T")


def call_in_thread(
    call: Callable[[], T],
    poller: Poller,
    scheduler: Scheduler,
    *,
    interrupted: Callable[[Thread, list[T | OSError]], None] | None = None,
) -> T:
    """Return the result of a call, or raise its OSError.

    Args:
        call: The function; it raises OSError alone.
        interrupted: Ends the thread when a signal or the end of the run ends the wait. Receives the thread, and a
            list that then has the result. Without it, the thread ends after the system's answer.
    """
    results: list[T | OSError] = []
    read_end, write_end = os.pipe()

    def run() -> None:
        try:
            results.append(call())
        except OSError as error:
            results.append(error)
        finally:
            os.close(write_end)

    task = getcurrent()
    thread = Thread(target=run, name="sandhook-blocking", daemon=True)
    thread.start()
    try:
        poller.readable(read_end, lambda: scheduler.wake(task))
        while not results:
            scheduler.block()
    except BaseException:
        if interrupted is not None:
            interrupted(thread, results)
        raise
    finally:
        poller.forget(read_end)
        os.close(read_end)
    thread.join()
    result = results[0]
    if isinstance(result, OSError):
        raise result
    return result

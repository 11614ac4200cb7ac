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
    release: Callable[[], None] | None = None,
    discard: Callable[[T], None] | None = None,
) -> T:
    """Return the result of a call, or raise its OSError.

    Args:
        call: The function; it raises OSError alone.
        release: Makes the call return. It is called, again and again, when a signal or the end of the run interrupts the
            wait. Without it, the thread ends after the system's answer.
        discard: Frees the result of an interrupted call.
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
        while release is not None and thread.is_alive():
            release()
            thread.join(0.01)
        for result in results:
            if discard is not None and not isinstance(result, OSError):
                discard(result)
        raise
    finally:
        poller.forget(read_end)
        os.close(read_end)
    thread.join()
    answer = results[0]
    if isinstance(answer, OSError):
        raise answer
    return answer

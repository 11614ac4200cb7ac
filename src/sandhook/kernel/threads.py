"""Runs of several threads: their turns, and runs in threads for callers in an event loop."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from sandhook.limits import Cancellation

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

#: Between two looks of a waiting run at its Cancellation, in seconds.
_TURN_SECONDS = 0.02

#: The longest wait for the end of what was cancelled, in seconds; a run of the sandbox needs some milliseconds.
_LONGEST_END = 1.0


class Turn:
    """Holds the lock of a Shell, in a ``with`` statement; a run that is cancelled does not wait for it.

    Such a run does not begin either, so that it needs no lock.
    """

    __slots__ = ("_cancel", "_has_lock", "_lock")

    def __init__(self, lock: Lock, cancel: Cancellation) -> None:
        self._lock = lock
        self._cancel = cancel
        self._has_lock = False

    def __enter__(self) -> None:
        while not self._has_lock and not self._cancel.cancelled:
            self._has_lock = self._lock.acquire(timeout=_TURN_SECONDS)

    def __exit__(self, *_: object) -> None:
        if self._has_lock:
            self._lock.release()


async def call_in_thread(run: Callable[[], T], cancel: Cancellation) -> T:
    """Return what ``run`` returns in a thread; a cancelled task cancels it and waits for its end.

    Raises:
        asyncio.CancelledError: The task was cancelled, and ``run`` has returned or will not begin. Code of the
            host that ``run`` calls and that ignores ``cancel`` is waited for no longer than a second.
    """
    import asyncio

    begun = False

    def body() -> T:
        nonlocal begun
        begun = True
        return run()

    future = asyncio.ensure_future(asyncio.to_thread(body))
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        cancel.cancel()
        if begun:
            await asyncio.wait([future], timeout=_LONGEST_END)
        else:
            future.cancel()
        future.add_done_callback(_retrieve)
        raise


def _retrieve(future: asyncio.Future[T]) -> None:
    """Look at a result that nobody waits for, so that asyncio does not log its exception."""
    if not future.cancelled():
        future.exception()

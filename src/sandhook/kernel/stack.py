"""The depth of Python's own stack: deep calls continue on a new one (``Scheduler.call_on_new_stack``)."""

from __future__ import annotations

import sys
from collections.abc import Callable

from sandhook.typed import TypeVar

T = TypeVar("T")

#: Python frames on one stack before a nested shell call continues on a new one.
DEEP = 350

#: With more Python frames of the caller than this, a run moves to a thread with its own stack.
_HOST_DEPTH = 250


def stack_exceeds(frames: int) -> bool:
    """Return True if more than ``frames`` Python frames are on this stack, this one included."""
    try:
        sys._getframe(frames)
    except ValueError:
        return False
    return True


def in_thread_if_stack_is_deep(run: Callable[[], T]) -> T:
    """Call ``run`` here, or in a new thread when the caller's stack is already deep."""
    if not stack_exceeds(_HOST_DEPTH):
        return run()
    results: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(run())
        except BaseException as error:
            errors.append(error)

    from threading import Thread  # it takes 1 ms, and few runs need this

    thread = Thread(target=body, name="sandhook-run")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]

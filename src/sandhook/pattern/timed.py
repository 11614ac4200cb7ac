"""Searches of the ``regex`` module until a deadline of real time.

The module counts the processor time of the whole process. On a busy machine this passes more slowly than real time, and
next to other threads faster. A search that timed out can only begin again, so the first ones are short, and show how
fast the module's clock runs. A search may use what is then left: on a quiet machine four fifths of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic
from typing import Protocol, TypeVar

from sandhook.errors import LimitExceeded
from sandhook.limits import Limits

T = TypeVar("T", covariant=True)

#: The time of the first search in seconds of the module's clock, and by how much the next one is longer.
_FIRST, _LONGER = 0.05, 4


class TimedSearch(Protocol[T]):
    """A search of the module."""

    def __call__(self, *, timeout: float) -> T:
        """Search for some seconds of the module's clock. Raises TimeoutError after them."""


def search_in_time(
    search: TimedSearch[T],
    remaining: Callable[[], float],
    longest: float,
    limits: Limits,
    clock: Callable[[], float] = monotonic,
) -> T:
    """Return the result of a search.

    Args:
        search: Searches until it times out, which raises TimeoutError.
        remaining: Returns the real seconds that are left.
        longest: The most seconds of one search, because of its memory; see ``stack.longest_search``.
        limits: The bounds of the run, for the exception.

    Raises:
        LimitExceeded: The search needs more time than is left, or more memory than the run may have.
    """
    speed = 1.0  # of the module's clock
    tried, seconds = 0.0, _FIRST
    while (available := remaining() * speed) > tried:
        if 2 * seconds > available:
            seconds = available
        most = longest * max(1.0, speed)  # the stack does not grow faster when other threads are busy
        tried = min(seconds, most)
        began = clock()
        try:
            return search(timeout=tried)
        except TimeoutError:
            if tried == most:
                raise LimitExceeded("memory_bytes", limits.memory_bytes, "regular expression") from None
        except MemoryError:
            raise LimitExceeded("memory_bytes", limits.memory_bytes, "regular expression") from None
        speed = tried / max(clock() - began, 1e-3)
        seconds = tried * _LONGER
    raise LimitExceeded("wall_seconds", limits.wall_seconds, "regular expression")

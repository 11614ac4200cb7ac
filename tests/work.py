"""Work counted instead of time: the same on every machine, however busy it is."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType


class TooMuchWork(AssertionError):
    """A call ran more lines than it may."""


def lines_run(call: Callable[[], object], most: int) -> int:
    """Return how many lines of Python ``call`` runs. Raises TooMuchWork after ``most``.

    What C does in one call counts as the line that makes it.
    """
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Callable[..., object]:
        nonlocal count
        if event == "line":
            count += 1
            if count > most:
                raise TooMuchWork(f"more than {most} lines were run")
        return trace

    before, collecting = sys.gettrace(), gc.isenabled()
    gc.disable()  # or the finalisers of other tests' garbage are counted, too
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
        if collecting:
            gc.enable()
    return count

"""The depth of Python's own stack: deep calls continue on a new one (``Scheduler.call_on_new_stack``)."""

from __future__ import annotations

import sys

#: Python frames on one stack before a nested shell call continues on a new one.
DEEP = 350


def stack_exceeds(frames: int) -> bool:
    """Return True if more than ``frames`` Python frames are on this stack, this one included."""
    try:
        sys._getframe(frames)
    except ValueError:
        return False
    return True

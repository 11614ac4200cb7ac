"""How deep Python's own stack is: deep work goes on from a fresh one (``Scheduler.call_fresh``)."""

from __future__ import annotations

import sys


def deeper_than(frames: int) -> bool:
    """Tell whether more than ``frames`` Python frames are on this stack, this one included."""
    try:
        sys._getframe(frames)
    except ValueError:
        return False
    return True

"""What ``isolation`` may be, and what a worker process cannot have."""

from __future__ import annotations

import sys

from sandhook.errors import IsolationError
from sandhook.typed import Literal, TypeAlias

#: Where runs take place: in the thread that calls, or in a worker process that the system confines.
Isolation: TypeAlias = Literal["thread", "process"]


def check(
    isolation: Isolation,
    *,
    utilities: object,
    world: object = None,
) -> None:
    """Check the arguments of a shell. Raises ValueError for another word, and IsolationError."""
    check_word(isolation)
    if isolation == "process":
        if world is not None:
            raise IsolationError("world", "a worker cannot reach the host")
        if (reason := obstacle(utilities=utilities)) is not None:
            raise reason


def check_word(isolation: str) -> None:
    """Raise ValueError for anything but the words of ``Isolation``."""
    if isolation not in ("thread", "process"):
        raise ValueError(f"isolation must be 'thread' or 'process', not {isolation!r}")


def obstacle(*, utilities: object) -> IsolationError | None:
    """Return why scripts cannot run in a worker; None if they can."""
    if utilities:
        return IsolationError("utilities", "Python functions of this process cannot run in a worker")
    if sys.platform in ("emscripten", "wasi"):
        return IsolationError("sys.platform", f"{sys.platform} has no processes")
    if getattr(sys, "frozen", False) or not sys.executable:
        return IsolationError(
            "sys.executable", "a worker needs the Python interpreter, and this program has none"
        )
    return None

"""What ``isolation`` may be, and what a worker process cannot have."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sandhook.errors import IsolationError
from sandhook.vfs.memory import MemoryFileSystem

#: Where runs take place: in the thread that calls, or in a worker process that the system confines.
Isolation: TypeAlias = Literal["thread", "process"]


def check(
    isolation: Isolation,
    *,
    utilities: object,
    network: object,
    fs: object,
    world: object = None,
    view: object = None,
) -> None:
    """Check the arguments of a shell. Raises ValueError for another word, and IsolationError."""
    if isolation not in ("thread", "process"):
        raise ValueError(f"isolation must be 'thread' or 'process', not {isolation!r}")
    if isolation == "process":
        if world is not None:
            raise IsolationError("world", "a worker cannot reach the host")
        if view is not None:
            raise IsolationError("view", "a worker copies files in memory, not what a function returns")
        if utilities:
            raise IsolationError("utilities", "Python functions of this process cannot run in a worker")
        if network is not None:
            raise IsolationError("network", "a worker opens no connection")
        if fs is not None and type(fs) is not MemoryFileSystem:
            raise IsolationError("fs", f"a worker copies MemoryFileSystem only, not {type(fs).__name__}")

"""Starts the processes of one run, watches them, and ends them with all their descendants."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from sandhook.host.child import Child, Spawn

if sys.platform == "win32":
    from sandhook.host.windows import Tree
else:
    from sandhook.host.tree import Tree

__all__ = ["Child", "Spawn", "Supervisor"]


class Supervisor:
    """Starts the programs of one run, and ends all of them.

    Only one thread at a time may use it. On POSIX every child has a new session, on Windows all children
    are in one Job Object. Use it in a ``with`` statement, or call ``close``.

    Args:
        subreaper: Make orphans of the run children of this process while the supervisor is open. This
            finds descendants that have left their session and emptied their environment, and waits for
            zombies where the system's init does not. It is a property of the whole process, and makes
            each start slower (a fork). Linux only.

    Raises:
        OSError: ``subreaper`` is not supported by the system.
    """

    def __init__(self, *, subreaper: bool = False) -> None:
        self._tree: Tree | None = Tree(subreaper=subreaper)

    def start(self, spawn: Spawn) -> Child:
        """Start a program.

        Raises:
            OSError: The error of execve (ENOENT, EACCES, ENOEXEC, E2BIG, ENOTDIR, ...), with
                ``filename`` the executable; or that of chdir, with ``filename`` the directory.
                EAGAIN when the system has too many processes, EINVAL for text with a NUL
                character.
            ValueError: The supervisor is closed.
        """
        if self._tree is None:
            raise ValueError("the supervisor is closed")
        return self._tree.start(spawn)

    def alive(self) -> list[int]:
        """Return the numbers of all living processes of the run: children, descendants and orphans."""
        return [] if self._tree is None else self._tree.alive()

    def end(self, *, grace: float = 0.0) -> None:
        """End every process of the run, and wait for the children.

        Args:
            grace: Seconds between an interrupt (SIGINT) and the kill; 0.0 kills at once. A process
                that does not end within another second is abandoned.
        """
        if self._tree is not None:
            self._tree.end(grace)

    def close(self) -> None:
        """End every process and free the supervisor's resources."""
        if (tree := self._tree) is not None:
            self._tree = None
            tree.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

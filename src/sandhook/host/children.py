"""The processes of one run: started, watched, and ended with all that they started."""

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
    """Starts the programs of one run and leaves none behind.

    One thread at a time may use it. On POSIX every child has a session of its own, on Windows all
    are in one Job Object. Use it in a ``with`` statement, or call ``close``.

    Args:
        subreaper: Let orphans of the run become children of this process while the supervisor is
            open, so that a descendant is found which has left its session and cleaned its
            environment, and none is left as a zombie where nobody else waits for orphans. It is a
            property of the whole process, and makes each start slower (a fork). Linux only.

    Raises:
        OSError: ``subreaper`` was asked for where the system has no such thing.
    """

    def __init__(self, *, subreaper: bool = False) -> None:
        self._tree: Tree | None = Tree(subreaper=subreaper)

    def start(self, spawn: Spawn) -> Child:
        """Start a program.

        Raises:
            OSError: As execve fails (ENOENT, EACCES, ENOEXEC, E2BIG, ENOTDIR, ...), with
                ``filename`` the executable; or as chdir does, with ``filename`` the directory.
                EAGAIN when the system has no room for a further process, EINVAL for text with a
                NUL character.
            ValueError: The supervisor is closed.
        """
        if self._tree is None:
            raise ValueError("the supervisor is closed")
        return self._tree.start(spawn)

    def alive(self) -> list[int]:
        """Return the numbers of all processes of the run that live.

        These are its children, their descendants, and orphans of theirs.
        """
        return [] if self._tree is None else self._tree.alive()

    def end(self, *, grace: float = 0.0) -> None:
        """End every process of the run, and wait for those that are children.

        Args:
            grace: Seconds that the processes have after an interrupt (SIGINT); with 0.0 none is
                sent, and they are killed. What nothing can end is given up a second later.
        """
        if self._tree is not None:
            self._tree.end(grace)

    def close(self) -> None:
        """End every process and free what the system holds for the supervisor."""
        if (tree := self._tree) is not None:
            self._tree = None
            tree.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()

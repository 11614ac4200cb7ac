"""What a shell asks of the world outside, where its run may reach it.

In a sandbox there is none: ``Kernel.outside`` is None, and the commands are the shell's own. On a
host it is made by the part ``host``, one for each run, and handed in by ``shell``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from sandhook.kernel.descriptor import Description
from sandhook.state.state import State


class Outside(Protocol):
    """The host, as one run sees it."""

    def describe(self, opened: object, *, read: bool, write: bool, append: bool) -> Description:
        """Return the description of what the host's file system opened; may wait for a FIFO's other end."""
        ...

    def search(self, state: State, name: str, path: str | None) -> tuple[str, str | None] | None:
        """Look a name without slash up in PATH: the file, and the utility when it is one of ours."""
        ...

    def files(self, state: State, name: str, path: str | None) -> Iterator[str]:
        """Yield all that ``search`` could find, in order."""
        ...

    def may_run(self, state: State, path: str) -> bool:
        """Tell whether ``run_file`` would run a path, going by permissions alone."""
        ...

    def run_file(self, state: State, path: str, argv: Sequence[str], shell: str) -> int:
        """Run a file of the host: a program, or a script by its interpreter; report what fails."""
        ...

    def kill(self, pid: int, signal: int) -> None:
        """Send a signal to a process of the host. Raises OSError(ESRCH, EPERM, EINVAL)."""


def outside(state: State) -> Outside | None:
    """Return the world outside of a run, None in a sandbox."""
    found: Outside | None = state.process.kernel.outside
    return found

"""The host as a kernel sees it, where a run may reach it. A sandbox has no host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sandhook.kernel.descriptor import Description
    from sandhook.kernel.pipe import Pipe
    from sandhook.vfs.path import VirtualPath


class Outside(Protocol):
    """What the kernel and the built-ins of one run ask of the host; the part ``host`` implements it."""

    @property
    def user(self) -> tuple[int, int]:
        """Numbers of the user and the group whose run it is."""
        ...

    @property
    def process_numbers(self) -> tuple[int, int]:
        """The number of the first process, and the one from which all others count."""
        ...

    def wait(self, seconds: float) -> object:
        """Wait for events of the host, at most so long (0 only polls), and wake the tasks that they concern."""
        ...

    def describe(self, opened: object, *, read: bool, write: bool, append: bool) -> Description:
        """Return the description of what the host's file system opened; may wait for a FIFO's other end."""
        ...

    def pipe(self) -> Pipe:
        """Return a new pipe, whose ends may be programs of the host."""
        ...

    def resource_limits(self, letter: str) -> tuple[int | None, int | None] | None:
        """Return the soft and the hard limit that ``ulimit -letter`` shows, None where the machine has no such limit.

        Each is in the unit of ``ulimit``; None is unlimited.
        """
        ...

    def capacity(self, directory: VirtualPath) -> tuple[int, int, int, int]:
        """Return the size of a directory's file system and how much is used: two bytes, two files."""
        ...

    def kill(self, pid: int, signal: int) -> None:
        """Send a signal to a process of the host. Raises OSError(ESRCH, EPERM, EINVAL)."""
        ...

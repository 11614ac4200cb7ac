"""The host, as the kernel of a run in host mode sees it. A sandbox has no host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sandhook.kernel.descriptor import Description
    from sandhook.kernel.pipe import Pipe
    from sandhook.vfs.path import VirtualPath


class NetworkAccess(Protocol):
    """The network that a caller allows a run to reach, with its bounds; ``net.network.Network`` implements it.

    The kernel only passes it to utilities, so it does not know URLs and connections.
    """

    @property
    def max_bytes(self) -> int: ...

    @property
    def max_seconds(self) -> float: ...

    @property
    def max_redirects(self) -> int: ...


class Outside(Protocol):
    """What the kernel and the built-ins of one run need from the host; the part ``host`` implements it."""

    @property
    def user(self) -> tuple[int, int]:
        """The user id and the group id of the run."""
        ...

    @property
    def process_numbers(self) -> tuple[int, int]:
        """The id of the first process, and the lowest id of all later ones."""
        ...

    def wait(self, seconds: float) -> object:
        """Wait at most ``seconds`` (0 only polls) for events of the host, and wake the tasks that wait for them."""
        ...

    def describe(self, handle: object, *, read: bool, write: bool, append: bool) -> Description:
        """Return the description of a file that the host opened; may wait for the other end of a FIFO."""
        ...

    def pipe(self) -> Pipe:
        """Return a new pipe that programs of the host can use too."""
        ...

    def resource_limits(self, letter: str) -> tuple[int | None, int | None] | None:
        """Return the soft and the hard limit of ``ulimit -letter``, or None where the machine has no such limit.

        Each is in the unit of ``ulimit``; None is unlimited.
        """
        ...

    def capacity(self, directory: VirtualPath) -> tuple[int, int, int, int]:
        """Return the size of a directory's file system and how much is used: two bytes, two files."""
        ...

    def kill(self, pid: int, signal: int) -> None:
        """Send a signal to a process of the host. Raises OSError(ESRCH, EPERM, EINVAL)."""
        ...

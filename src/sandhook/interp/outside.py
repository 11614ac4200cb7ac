"""What a shell asks of the world outside, where its run may reach it.

In a sandbox there is none: ``Kernel.outside`` is None, and the commands are the shell's own. On a
host it is made by the part ``host``, one for each run, and handed in by ``shell``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from sandhook.kernel.descriptor import Description
from sandhook.kernel.pipe import Pipe
from sandhook.kernel.process import Kernel
from sandhook.state.state import State
from sandhook.vfs.base import FileSystem
from sandhook.vfs.path import VirtualPath


class Outside(Protocol):
    """The host, as one run sees it."""

    def facts(self) -> Mapping[str, str]:
        """Return what a shell's variables say of the machine: HOSTNAME, OSTYPE, HOSTTYPE, MACHTYPE."""
        ...

    def describe(self, opened: object, *, read: bool, write: bool, append: bool) -> Description:
        """Return the description of what the host's file system opened; may wait for a FIFO's other end."""
        ...

    def pipe(self) -> Pipe:
        """Return a new pipe, whose ends may be programs of the host."""
        ...

    def connect(self, state: State, name: str) -> Description:
        """Open /dev/tcp/HOST/PORT or /dev/udp/HOST/PORT. Raises ShellError in bash's words."""
        ...

    def resource_limits(self, letter: str) -> tuple[int | None, int | None] | None:
        """Return the soft and the hard limit that ``ulimit -letter`` shows, None where the machine has no such limit.

        Each is in the unit of ``ulimit``; None is unlimited.
        """
        ...

    def capacity(self, directory: VirtualPath) -> tuple[int, int, int, int]:
        """Return how much there is and how much is taken of a directory's file system: two bytes, two files."""
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


class Stage(Outside, Protocol):
    """The world outside as the composition root handles it: one run from its begin to its end."""

    @property
    def inherits(self) -> bool:
        """Standard input, output and error are the host process's own."""
        ...

    def stream(self, number: int) -> Description:
        """Return one of those three."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was tolerated in the scripts that ran, for those who wrote them."""
        ...

    def lingers(self) -> bool:
        """Tell whether to wait on for those who hold the run's output; asked when the script has ended."""
        ...

    def close(self, *, ended: bool) -> None:
        """End what is left of the run's processes; ``ended`` is false when a limit ended the run."""


class World(Protocol):
    """What a shell is given that is to run on the host."""

    @property
    def fs(self) -> FileSystem:
        """The host's files."""
        ...

    def begin(self, kernel: Kernel) -> Stage:
        """Make a kernel one of the host, for one run."""
        ...


def outside(state: State) -> Outside | None:
    """Return the world outside of a run, None in a sandbox."""
    found: Outside | None = state.process.kernel.outside
    return found

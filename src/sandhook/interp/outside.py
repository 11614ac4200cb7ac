"""The interface of a shell to its host, in host mode.

In a sandbox ``Kernel.outside`` is None, and all commands are the shell's own. In host mode the part
``host`` makes one object for each run, and ``shell`` connects it to the kernel.
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
        """Return the shell's variables that describe the machine: HOSTNAME, OSTYPE, HOSTTYPE, MACHTYPE."""
        ...

    def describe(self, opened: object, *, read: bool, write: bool, append: bool) -> Description:
        """Return the description of a file that the host's file system opened; may wait for a FIFO's other end."""
        ...

    def pipe(self) -> Pipe:
        """Return a new pipe, whose ends may be programs of the host."""
        ...

    def connect(self, state: State, name: str) -> Description:
        """Open /dev/tcp/HOST/PORT or /dev/udp/HOST/PORT. Raises ShellError in bash's words."""
        ...

    def resource_limits(self, letter: str) -> tuple[int | None, int | None] | None:
        """Return the soft and the hard limit that ``ulimit -letter`` prints, None when the machine has no such limit.

        Each is in the unit of ``ulimit``; None means unlimited.
        """
        ...

    def capacity(self, directory: VirtualPath) -> tuple[int, int, int, int]:
        """Return the size and use of a directory's file system: bytes, used bytes, files, used files."""
        ...

    def search(self, state: State, name: str, path: str | None) -> tuple[str, str | None] | None:
        """Look a name without slash up in PATH: the file, and the utility when it is one of ours."""
        ...

    def files(self, state: State, name: str, path: str | None) -> Iterator[str]:
        """Yield every file that ``search`` could return, in order."""
        ...

    def may_run(self, state: State, path: str) -> bool:
        """Return True when permissions let ``run_file`` run a path."""
        ...

    def run_file(self, state: State, path: str, argv: Sequence[str], shell: str) -> int:
        """Run a file of the host: a program, or a script by its interpreter; report what fails."""
        ...

    def kill(self, pid: int, signal: int) -> None:
        """Send a signal to a process of the host. Raises OSError(ESRCH, EPERM, EINVAL)."""


class Stage(Outside, Protocol):
    """The host as ``shell`` uses it: one run from its begin to its end."""

    @property
    def inherits(self) -> bool:
        """True when standard input, output and error are those of the host process."""
        ...

    def stream(self, number: int) -> Description:
        """Return one of these three streams."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """Faults that were tolerated in the scripts that ran, for their authors."""
        ...

    def lingers(self) -> bool:
        """Return True while the run waits for processes that hold its output; first called at the script's end."""
        ...

    def close(self, *, ended: bool) -> None:
        """End the run's remaining processes; ``ended`` is False when a limit ended the run."""


class World(Protocol):
    """The host of a shell, for all its runs."""

    @property
    def fs(self) -> FileSystem:
        """The host's files."""
        ...

    def begin(self, kernel: Kernel) -> Stage:
        """Connect a kernel to the host for one run."""
        ...


def outside(state: State) -> Outside | None:
    """Return the host of a run, None in a sandbox."""
    found: Outside | None = state.process.kernel.outside
    return found

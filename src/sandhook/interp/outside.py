"""What the composition root asks of a host that its runs may reach; the part ``host`` implements it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sandhook.kernel.outside import Outside
from sandhook.state.interpreter import ProgramsOf
from sandhook.state.state import State

if TYPE_CHECKING:
    from sandhook.kernel.descriptor import Description
    from sandhook.kernel.process import Kernel
    from sandhook.limits import Budget, Limits
    from sandhook.vfs.base import FileSystem


class Stage(Outside, ProgramsOf[State], Protocol):
    """One run on a host, from its begin to its end."""

    @property
    def kernel(self) -> Kernel:
        """The kernel of the run."""
        ...

    @property
    def inherits(self) -> bool:
        """True when standard input, output and error are those of the host process."""
        ...

    def stream(self, number: int) -> Description:
        """Return one of these three streams."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was tolerated in the scripts that ran, for their authors."""
        ...

    def lingers(self) -> bool:
        """Return True while the run waits for processes that hold its output; called when the script has ended."""
        ...

    def close(self, *, ended: bool) -> None:
        """End what is left of the run's processes; ``ended`` is false when a limit ended the run."""
        ...


class World(Protocol):
    """A host on which a shell may run."""

    @property
    def fs(self) -> FileSystem:
        """The host's files."""
        ...

    def begin(self, limits: Limits, budget: Budget, network: object | None) -> Stage:
        """Begin a run on the host; its kernel is ``Stage.kernel``."""
        ...

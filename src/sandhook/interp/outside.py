"""The interface of a host, as the composition root needs it; the part ``host`` implements it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sandhook.kernel.outside import NetworkAccess, Outside
from sandhook.state.interpreter import ProgramsOf
from sandhook.state.state import State

if TYPE_CHECKING:
    from sandhook.kernel.descriptor import Description
    from sandhook.kernel.process import Kernel
    from sandhook.kernel.settings import Settings
    from sandhook.limits import Budget, Limits
    from sandhook.vfs.base import FileSystem


class Stage(Outside, ProgramsOf[State], Protocol):
    """One run in host mode, from begin to end."""

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
        """Problems of the executed scripts that were tolerated, for their authors."""
        ...

    def lingers(self) -> bool:
        """Return True while processes still hold the output of a script that has ended, and the run waits for them."""
        ...

    def close(self, *, ended: bool) -> None:
        """End the remaining processes of the run; ``ended`` is false when a limit ended the run."""
        ...


class World(Protocol):
    """A host on which a shell can run."""

    @property
    def fs(self) -> FileSystem:
        """The host's files."""
        ...

    def begin(
        self, limits: Limits, budget: Budget, network: NetworkAccess | None, settings: Settings
    ) -> Stage:
        """Begin a run on the host; its kernel is ``Stage.kernel``."""
        ...

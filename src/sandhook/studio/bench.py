"""What the studio works with: the configurations of agents, and engines that are made for one trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from sandhook.errors import SandhookError
from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.hooks.checks import Surroundings
    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.evidence import Evidence
    from sandhook.hooks.model import HookSpec, LayerName
    from sandhook.hooks.sources import AgentConfiguration
    from sandhook.studio.changes import FileChange


class StudioError(SandhookError):
    """A request of the page that cannot be answered: it names what does not exist, or does not fit."""


class Trial(Record):
    """How one engine differs from the one that decides about the agent.

    Attributes:
        texts: Contents that files have in the trial alone, by absolute path.
        steps: Note what each command of a hook does.
        unapproved: Also run hooks that nobody approved, in the sandbox.
    """

    texts: Mapping[str, bytes] = {}
    steps: bool = False
    unapproved: bool = False


class Rig(Record):
    """An engine for one trial, over a fresh copy of the project.

    Attributes:
        engine: The engine.
        notes: What its user should know: hooks that do not run where they usually would.
        changes: Returns what each hook changed in the file system, by its id, once it was fired.
        read: Returns a file as the hooks see it; None without one.
    """

    engine: HookEngine
    notes: tuple[str, ...]
    changes: Callable[[], Mapping[str, Sequence[FileChange]]]
    read: Callable[[str], bytes | None]


class Place(Record):
    """A place where an agent looks for configuration, and the files there.

    Attributes:
        layer: One of ``contracts.LAYERS``.
        path: As the agent's documentation has it; a pattern for several files.
        files: Those that exist.
    """

    layer: LayerName
    path: str
    files: tuple[str, ...]


class Bench(Protocol):
    """Loads configurations and makes engines. Every call looks at the files anew; any thread may call.

    Attributes:
        directory: The project, an absolute path with slashes.
        named: Files of the command line, which replace those of the agents.
    """

    @property
    def directory(self) -> str: ...

    @property
    def named(self) -> Sequence[str]: ...

    def setups(self) -> Sequence[AgentConfiguration]:
        """Return the agents that have hooks here. Raises SandhookError."""
        ...

    def setup(self, agent: str) -> AgentConfiguration:
        """Return the configurations of an agent, which may have none. Raises SandhookError."""
        ...

    def edited(self, setup: AgentConfiguration, texts: Mapping[str, bytes]) -> AgentConfiguration:
        """Return configurations with texts instead of those of their files. Raises StudioError."""
        ...

    def engine(self, setup: AgentConfiguration) -> HookEngine:
        """Return the hooks of an agent, loaded and not to be fired. Raises SandhookError."""
        ...

    def rig(self, setup: AgentConfiguration, trial: Trial) -> Rig:
        """Return an engine for a trial. Raises SandhookError."""
        ...

    def places(self, contract: Contract) -> Sequence[Place]:
        """Return where an agent looks, weakest first."""
        ...

    def evidence(self, spec: HookSpec, contract: Contract) -> Evidence | None:
        """Return what a hook executes; None if that is too much to follow."""
        ...

    def surroundings(self) -> Surroundings:
        """Return what checks of hooks look at."""
        ...

    def approved(self) -> Mapping[str, str]:
        """Return the times of approvals by hash. Raises TrustError."""
        ...

    def read(self, path: str) -> bytes | None:
        """Return a file of the machine; None if it cannot be read."""
        ...

    def save(self, path: str, data: bytes) -> None:
        """Replace the contents of a file of the machine in one step. Raises StudioError."""
        ...

    def bundle(self, path: str) -> tuple[Mapping[str, bytes], str | None]:
        """Return the files around a configuration by relative path, and its own. Raises StudioError."""
        ...

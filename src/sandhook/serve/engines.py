"""The engines of a service: one for each workspace and agent, made anew when a file changes that it was made from."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from sandhook.errors import ConfigError, SandhookError
from sandhook.hooks.contracts import Contract
from sandhook.hooks.decode import DecodeError
from sandhook.record import Record
from sandhook.serve.watch import Watch

if TYPE_CHECKING:
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.inventory import Item

#: Engines that are kept; the least recently used one is dropped first.
MOST_ENGINES = 64


class Place(Record):
    """What an engine is for.

    Attributes:
        directory: The workspace, an absolute path.
        agent: The agent whose own files have the hooks; "" for files that the service names.
    """

    directory: str
    agent: str = ""


class Built(Record):
    """An engine, and what it was made from.

    Attributes:
        contract: Of its hooks.
        problems: Faults of its configuration; hooks that have one are left out.
        notes: Hooks that are withheld.
        items: All its hooks, for lists.
        watch: The files that it was made from.
        approvals: The file of approvals among them; "" for none.
        workspace: The directory that the hooks see; "" for an engine of the caller.
        seconds: The most that the hooks of one event may take.
    """

    engine: HookEngine
    contract: Contract
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    items: Callable[[], Sequence[Item]]
    watch: Watch
    approvals: str = ""
    workspace: str = ""
    seconds: float = 0.0


class Loaded(Record):
    """An engine in use.

    Attributes:
        built: The engine.
        stale: Why a newer configuration is not in use; "" when it is the newest.
    """

    built: Built
    stale: str = ""


class PlaceError(SandhookError):
    """A directory or an agent that the service does not serve."""


class EngineSource(Protocol):
    """Finds the engine of an event."""

    def find(self, agent: Contract, directory: str, *, strict: bool) -> Loaded:
        """Return the engine for an agent's event in a directory. Raises SandhookError.

        Args:
            strict: A directory that does not exist here is an error; else it is that of the service.
        """
        ...

    def refreshed(self) -> list[tuple[Place, Loaded]]:
        """Return all engines, made anew where a file changed. Raises nothing."""
        ...


class FixedEngine:
    """One engine of the caller for every event."""

    def __init__(self, engine: HookEngine) -> None:
        self._loaded: dict[str, Loaded] = {}
        self._engine = engine

    def find(self, agent: Contract, directory: str, *, strict: bool = False) -> Loaded:
        known = self._loaded.get(agent.name)
        if known is None:
            own = self._engine.contracts
            contract = own[0] if len(own) == 1 else agent
            problems = tuple(str(problem) for problem in self._engine.problems)
            notes = tuple(f"skipped {each.spec.id}: {each.why}" for each in self._engine.withheld)
            built = Built(self._engine, contract, problems, notes, self._items, Watch())
            known = self._loaded[agent.name] = Loaded(built)
        return known

    def refreshed(self) -> list[tuple[Place, Loaded]]:
        return [(Place("", contract.name), self.find(contract, "")) for contract in self._engine.contracts]

    def _items(self) -> Sequence[Item]:
        from sandhook.hooks.inventory import inventory

        return [item for each in self._engine.contracts for item in inventory(self._engine, each, ())]


class ReloadingEngines:
    """Engines that are made when an event needs them, and anew when one of their files changed.

    Args:
        build: Makes the engine of a place. Raises SandhookError, DecodeError.
        place_of: Returns the place for an agent's event in a directory; the last argument is ``strict`` of ``find``.
            Raises PlaceError.
        report: Receives a line about every engine that was made anew, or could not be.
    """

    def __init__(
        self,
        build: Callable[[Place], Built],
        place_of: Callable[[Contract, str, bool], Place],
        report: Callable[[str], object],
    ) -> None:
        self._build = build
        self._place_of = place_of
        self._report = report
        self._lock = Lock()
        self._engines: OrderedDict[Place, Loaded] = OrderedDict()
        self._locks: dict[Place, Lock] = {}
        self._broken: dict[Place, Watch] = {}

    def find(self, agent: Contract, directory: str, *, strict: bool) -> Loaded:
        return self._at(self._place_of(agent, directory, strict))

    def _at(self, place: Place) -> Loaded:
        with self._lock:
            lock = self._locks.setdefault(place, Lock())
            known = self._engines.get(place)
        if known is not None and not self._is_outdated(place, known):
            return known
        with lock:  # one thread makes the engine; others of the same place wait for it
            with self._lock:
                known = self._engines.get(place)
            if known is not None and not self._is_outdated(place, known):
                return known
            loaded = self._renewed(place, known)
            with self._lock:
                self._engines[place] = loaded
                self._engines.move_to_end(place)
                while len(self._engines) > MOST_ENGINES:
                    dropped, _ = self._engines.popitem(last=False)
                    self._locks.pop(dropped, None)
                    self._broken.pop(dropped, None)
            return loaded

    def prepare(self, place: Place) -> None:
        """Make an engine before an event needs it; an error is reported."""
        try:
            loaded = self._at(place)
        except (SandhookError, DecodeError) as error:
            self._report(f"{place.directory}: {_one_line(error)}")
            return
        for line in (*loaded.built.problems, *loaded.built.notes):
            self._report(f"{place.directory}: {line}")

    def refreshed(self) -> list[tuple[Place, Loaded]]:
        with self._lock:
            places = list(self._engines)
        return [(place, self._at(place)) for place in places]

    def _is_outdated(self, place: Place, known: Loaded) -> bool:
        if known.stale:
            watch = self._broken.get(place)
            return watch is None or watch.changed() is not None
        watch = known.built.watch
        return watch.changed() is not None

    def _renewed(self, place: Place, known: Loaded | None) -> Loaded:
        """Make the engine of a place. A change that cannot be read keeps the known one in use.

        A change of the approvals does not: what somebody revoked must not go on.
        """
        if known is not None and known.built.watch.differs(known.built.approvals):
            known = None
        where = f"{place.directory}{f' ({place.agent})' if place.agent else ''}"
        try:
            built = self._settled(place)
        except (SandhookError, DecodeError) as error:
            if known is None:
                raise
            why = _one_line(error)
            self._broken[place] = known.built.watch.renewed()
        else:
            worse = [
                each for each in built.problems if known is not None and each not in known.built.problems
            ]
            if known is None or not worse:
                self._broken.pop(place, None)
                if place in self._engines:
                    self._report(f"{where}: reloaded")
                return Loaded(built)
            why = worse[0]
            self._broken[place] = built.watch
        self._report(f"{where}: a change is not in use: {why}")
        return Loaded(known.built, why)

    def _settled(self, place: Place) -> Built:
        """Make an engine. One that was made while a file changed is made again."""
        for _ in range(3):
            built = self._build(place)
            if built.watch.changed() is None:
                break
        return built


def _one_line(error: Exception) -> str:
    if isinstance(error, ConfigError) and error.problems:
        return str(error.problems[0])
    return " ".join(str(error).split())

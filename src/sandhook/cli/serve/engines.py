"""The engines of ``sandhook serve``: made from the options of the command as ``sandhook fire`` makes its own."""

# ruff: noqa: PTH112, PTH120 (as in `configuration`)

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from sandhook.cli import UsageError
from sandhook.cli.configuration import directory, gather, store_of
from sandhook.cli.engines import engine_of, longest, notes_of, workspace_of
from sandhook.cli.fire import parser as fire_parser
from sandhook.errors import TrustError
from sandhook.hooks.contracts import Contract
from sandhook.hooks.evidence import examine
from sandhook.hooks.sources import AgentConfiguration, layer_files
from sandhook.hooks.trust import TrustStore, shell_name
from sandhook.serve.engines import Built, Place, PlaceError, ReloadingEngines
from sandhook.serve.firing import Firing
from sandhook.serve.watch import Watch, WatchedMachine

if TYPE_CHECKING:
    from sandhook.hooks.audit import Sink
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.inventory import Item
    from sandhook.serve.release import Release

#: Withheld hooks whose files are watched, because following a hook takes long, and others may name any number.
_MOST_WITHHELD = 50


class EngineBuilder:
    """Makes the engines of a service.

    Args:
        options: Of ``sandhook serve``.
        audit: Receives lines of the audit log.
    """

    def __init__(self, options: Namespace, audit: Sink | None) -> None:
        self._options = options
        self._audit = audit
        self._workspaces = [directory(name) for name in options.workspace]
        self._hooks = [_absolute(name) for name in options.hooks]
        self._start = directory(None)

    def place_of(self, agent: Contract, wanted: str, strict: bool) -> Place:
        """Return the place of an agent's event in a directory. Raises PlaceError for one that is not served."""
        if not self._hooks and self._options.contract and agent.name not in self._options.contract:
            raise PlaceError(f"this service is for {', '.join(self._options.contract)}, not for {agent.name}")
        return Place(self._workspace(wanted, strict), "" if self._hooks else agent.name)

    def _workspace(self, wanted: str, strict: bool) -> str:
        path = _absolute(wanted) if wanted else ""
        if not self._workspaces:
            place = path or self._start
            if not os.path.isdir(place):
                if strict:
                    raise PlaceError(f"{place}: there is no such directory")
                return self._start  # an agent in a container names directories of its own
            return place
        inside = [each for each in self._workspaces if f"{path}/".startswith(f"{each.rstrip('/')}/")]
        if inside:
            return max(inside, key=len)
        if len(self._workspaces) == 1:
            return self._workspaces[0]
        raise PlaceError(f"{path or 'an event without a directory'}: it is in no workspace of this service")

    def places(self) -> list[Place]:
        """Return the places that the options name, to be made before an event needs them."""
        workspaces = self._workspaces or [self._start]
        if self._hooks:
            return [Place(each) for each in workspaces]
        return [Place(each, name) for each in workspaces for name in self._options.contract]

    def build(self, place: Place) -> Built:
        """Make the engine of a place. Raises SandhookError, DecodeError."""
        try:
            return self._built(place)
        except UsageError as error:
            raise PlaceError(str(error)) from None

    def _built(self, place: Place) -> Built:
        options = self._fire_options(place)
        watch = Watch()
        store = store_of(options.store)
        watch.add(store.path)
        for name in self._hooks:
            watch.add(name)
        configuration = gather(options)[0]
        if not self._hooks:
            self._watch_layers(configuration, place, watch)
        engine = engine_of(options, configuration, workspace_of(options), audit=self._audit)
        self._watch_scripts(configuration, engine, place, store, watch)
        problems = tuple(str(each) for each in (*configuration.problems, *engine.problems))
        return Built(
            engine,
            configuration.contract,
            problems,
            notes=tuple(notes_of(engine)),
            items=_items(engine, configuration),
            watch=watch,
            approvals=str(store.path),
            workspace=place.directory,
            seconds=longest(engine),
        )

    def _fire_options(self, place: Place) -> Namespace:
        """Return the options with which ``sandhook fire`` would make this engine."""
        own = self._options
        options = fire_parser().parse_args([])
        options.isolation, options.store, options.fail_closed = own.isolation, own.store, own.fail_closed
        options.env, options.inherit_env, options.sandbox = own.env, own.inherit_env, own.sandbox
        options.hooks = list(self._hooks)
        options.contract = place.agent or next(iter(self._options.contract), None)
        options.cwd = options.workspace = place.directory
        return options

    def _watch_layers(self, configuration: AgentConfiguration, place: Place, watch: Watch) -> None:
        """Watch the files that the agent would read, and the directories that may get some."""
        for layer in configuration.contract.layers(place.directory, os.environ, sys.platform):
            path = layer.path.replace("\\", "/")
            above = path.partition("/*")[0] if "*" in path else os.path.dirname(path)
            watch.add(above)
            for file in layer_files(path)[0]:
                watch.add(file)
                watch.add(os.path.dirname(file))

    def _watch_scripts(
        self,
        configuration: AgentConfiguration,
        engine: HookEngine,
        place: Place,
        store: TrustStore,
        watch: Watch,
    ) -> None:
        """Watch what the hooks execute, which their approvals cover."""
        machine = WatchedMachine(place.directory, watch)
        withheld = [each.spec for each in engine.withheld][:_MOST_WITHHELD]
        for spec in (*engine.hooks, *withheld):
            with suppress(TrustError):  # too many or too large files
                examine(
                    spec,
                    configuration.contract.name,
                    shell_name(place.directory),
                    shell_name(store.home),
                    machine,
                )


def firing_of(
    options: Namespace,
    audit: Callable[[str], object] | None,
    report: Callable[[str], object],
    begins: Callable[[float], object] | None = None,
    release: Release | None = None,
) -> Firing:
    """Return what fires posted events, from the options of the command; see ``Firing`` for the last two."""
    from sandhook.cli.serve.recording import line_of

    builder = EngineBuilder(options, audit)
    engines = ReloadingEngines(builder.build, builder.place_of, report)
    for place in builder.places():
        engines.prepare(place)
    line = line_of(options)
    record = None if line is None or audit is None else lambda fired: audit(line(fired))
    return Firing(engines, fail_closed=options.fail_closed, record=record, begins=begins, release=release)


def _items(engine: HookEngine, configuration: AgentConfiguration) -> Callable[[], Sequence[Item]]:
    def items() -> Sequence[Item]:
        from sandhook.hooks.inventory import inventory

        return inventory(engine, configuration.contract, configuration.documents, configuration.problems)

    return items


def _absolute(name: str) -> str:
    return os.path.abspath(name).replace("\\", "/")  # noqa: PTH100 - pathlib costs 10 ms

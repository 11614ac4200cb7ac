"""The bench of the studio: loads hooks and makes engines as ``sandhook fire`` does, from the options of the command."""

# ruff: noqa: PTH100, PTH113 (as in `configuration`)

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING

from sandhook.cli import UsageError
from sandhook.cli.configuration import (
    directory,
    find_project,
    gather,
    load,
    own_layers,
    shown_paths,
    store_of,
)
from sandhook.cli.engines import engine_of
from sandhook.cli.files import Workspace
from sandhook.cli.fire import parser as fire_parser
from sandhook.cli.programs import is_executable
from sandhook.errors import ConfigError, TrustError
from sandhook.hooks import contracts
from sandhook.hooks.checks import Surroundings
from sandhook.hooks.contracts import Contract, Document
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.sources import AgentConfiguration, layer_files
from sandhook.hooks.trust import TrustStore, read_host
from sandhook.studio.bench import Place, Rig, StudioError, Trial
from sandhook.studio.changes import FileChange, Layer, Recorder
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath, normalize

if TYPE_CHECKING:
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.evidence import Evidence
    from sandhook.hooks.model import HookSpec
    from sandhook.hooks.runner import Runner, SandboxRunner
    from sandhook.vfs.base import FileSystem


class TrialWorkspace(Workspace):
    """A copy of the project for one trial, which knows what the hooks of each source changed."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._shared = OverlayFileSystem(self._root)
        self.fs = self._namespace(self._shared, self._overlay)
        self._layers: dict[str, list[Layer]] = {"": self._as_layers(self._overlay, self._shared)}

    def view(self, source: str) -> FileSystem:
        project = OverlayFileSystem(self._overlay)
        root = OverlayFileSystem(self._shared)
        self._layers[source] = self._as_layers(project, root)
        return self._namespace(root, project)

    def layers(self, source: str) -> Sequence[Layer]:
        """Return the changes that hooks of a source make."""
        return self._layers[source]

    def write(self, texts: Mapping[str, bytes], store: TrustStore) -> None:
        """Replace files for the trial alone, by their absolute paths on the machine."""
        inside = self.directory.replace("\\", "/").rstrip("/") + "/"
        outside: dict[str, bytes] = {}
        for path, data in texts.items():
            if path.startswith(inside):
                place = VirtualPath(f"/{path.removeprefix(inside)}")
                mode = self._overlay.stat(place).mode & 0o7777 if self._overlay.exists(place) else 0o755
                self._overlay.write_bytes(place, data, parents=True)
                self._overlay.chmod(place, mode)
            else:
                outside |= dict.fromkeys(shown_paths(path, store), data)
        self.show(outside)

    @staticmethod
    def _as_layers(project: OverlayFileSystem, root: OverlayFileSystem) -> list[Layer]:
        return [Layer("", project), Layer("/", root)]


class CommandBench:
    """Loads and fires the hooks of a project, or of files that the command line names.

    Args:
        options: Of ``sandhook studio`` or ``sandhook serve``: hooks, contract, store, isolation, env, inherit_env.
        project: The project's directory; that of the agents' files around the current directory when None.
    """

    def __init__(self, options: Namespace, project: str | None = None) -> None:
        self._options = fire_parser().parse_args([])
        for name in ("store", "isolation", "env", "inherit_env"):
            setattr(self._options, name, getattr(options, name))
        self._options.hooks = [os.path.abspath(name).replace("\\", "/") for name in options.hooks]
        chosen = options.contract
        self._options.contract = (chosen[0] if chosen else None) if isinstance(chosen, list) else chosen
        self._options.cwd = project
        if project is None:
            find_project(self._options)
        self._directory = directory(self._options.cwd)
        self._options.cwd = self._options.workspace = self._directory
        self._store = store_of(self._options.store)

    @property
    def directory(self) -> str:
        return self._directory

    @property
    def named(self) -> Sequence[str]:
        return list(self._options.hooks)

    def setups(self) -> Sequence[AgentConfiguration]:
        found = [_setup(each) for each in self._gathered()]
        return [each for each in found if each.documents or each.problems]

    def _gathered(self) -> list[AgentConfiguration]:
        try:
            return gather(self._options)
        except UsageError as error:
            raise StudioError(str(error)) from None

    def setup(self, agent: str) -> AgentConfiguration:
        contract = contracts.get(agent)
        if self._options.hooks or self._options.contract:
            for each in self._gathered():
                if each.contract.name == contract.name:
                    return _setup(each)
            raise StudioError(f"{agent}: the studio was started with the hooks of another agent")
        return _setup(own_layers(contract, self._directory, os.environ))

    def edited(self, setup: AgentConfiguration, texts: Mapping[str, bytes]) -> AgentConfiguration:
        documents = (self._replaced(setup.contract, each, texts) for each in setup.documents)
        return setup._replace(documents=tuple(documents))

    def engine(self, setup: AgentConfiguration) -> HookEngine:
        return load(AgentConfiguration(*setup), self._options)

    def rig(self, setup: AgentConfiguration, trial: Trial) -> Rig:
        setup = self.edited(setup, trial.texts)
        options = copy(self._options)
        options.sandbox = trial.unapproved
        options.steps = trial.steps
        recorders: list[Recorder] = []

        def recorded(runner: SandboxRunner) -> Runner:
            recorders.append(Recorder(runner, workspace.layers))
            return recorders[0]

        try:
            workspace = TrialWorkspace(self._directory)
            engine = engine_of(options, AgentConfiguration(*setup), workspace, wrap=recorded, audit=_ignore)
            workspace.write(trial.texts, self._store)
        except UsageError as error:
            raise StudioError(str(error)) from None
        except OSError as error:
            raise StudioError(f"{error.filename or self._directory}: {error.strerror}") from None

        def changes() -> Mapping[str, Sequence[FileChange]]:
            return recorders[0].changes

        return Rig(engine, tuple(engine.diagnostics), changes, _reader(workspace))

    def _replaced(self, contract: Contract, document: Document, texts: Mapping[str, bytes]) -> Document:
        """Return a configuration with the text that the trial has for its file."""
        data = texts.get(_absolute(document.name))
        if data is None:
            return document
        owner = contracts.get(document.contract) if document.contract else contract
        try:
            parsed = owner.parse(data.decode("utf-8-sig"), document.name, os.environ)
        except UnicodeDecodeError as error:
            raise StudioError(f"{document.name}: not UTF-8 at byte {error.start + 1}") from None
        except DecodeError as error:
            raise StudioError(f"{document.name}: {error}") from None
        except ConfigError as error:
            raise StudioError("; ".join(map(str, error.problems))) from None
        return parsed._replace(layer=document.layer, contract=document.contract)

    def places(self, contract: Contract) -> Sequence[Place]:
        layers = contract.layers(self._directory, os.environ, sys.platform)
        return [Place(each.name, each.path, tuple(_existing(each.path))) for each in layers]

    def evidence(self, spec: HookSpec, contract: Contract) -> Evidence | None:
        try:
            return self._store.examine(spec, contract.name, self._directory)
        except TrustError:
            return None

    def surroundings(self) -> Surroundings:
        home = os.path.expanduser("~").replace("\\", "/")  # noqa: PTH111
        return Surroundings(self._directory, home, read_host, is_executable)

    def approved(self) -> Mapping[str, str]:
        entries = self._store.approved()
        return {digest: str(entry.get("approved", "")) for digest, entry in entries.items()}

    def read(self, path: str) -> bytes | None:
        return read_host(path)

    def save(self, path: str, data: bytes) -> None:
        from sandhook.cli.serve.saving import replace

        replace(path, data)

    def bundle(self, path: str) -> tuple[Mapping[str, bytes], str | None]:
        from sandhook.cli.vet import read_bundle

        try:
            return read_bundle(path)
        except UsageError as error:
            raise StudioError(str(error)) from None


def _setup(configuration: AgentConfiguration) -> AgentConfiguration:
    return AgentConfiguration(configuration.contract, configuration.documents, configuration.problems)


def _absolute(name: str) -> str:
    return os.path.abspath(name).replace("\\", "/") if name else ""


def _existing(path: str) -> list[str]:
    return [file for file in layer_files(path.replace("\\", "/"))[0] if os.path.isfile(file)]


def _reader(workspace: TrialWorkspace) -> Callable[[str], bytes | None]:
    def read(path: str) -> bytes | None:
        try:
            place = normalize(path if path.startswith("/") else f"/workspace/{path}")
            return workspace.fs.read_bytes(place)
        except (OSError, ValueError):
            return None

    return read


def _ignore(line: str) -> None:
    """Drop an audit line: a trial is no decision."""

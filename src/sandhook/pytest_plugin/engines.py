"""The hooks of a test: loads them for a copy of the project in the sandbox, and fires events at them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from os import PathLike, environ, fspath
from typing import TYPE_CHECKING, Protocol, TypedDict, Unpack

from sandhook.conformance.expectations.events import event_of
from sandhook.conformance.expectations.keys import CASE_KEYS
from sandhook.conformance.expectations.project import WORKSPACE, Project, in_sandbox
from sandhook.conformance.expectations.run import moved
from sandhook.conformance.expectations.section import Faults, Section
from sandhook.errors import ConfigError, Problem, SandhookError
from sandhook.hooks import contracts, sources
from sandhook.hooks.contracts import Contract, Document
from sandhook.hooks.engine import HookEngine
from sandhook.hooks.event import Event, Json, JsonLike
from sandhook.hooks.model import Decision
from sandhook.hooks.runner import Runner, SandboxRunner
from sandhook.pytest_plugin.explain import FIRED
from sandhook.pytest_plugin.fakefs import paused
from sandhook.record import Record

if TYPE_CHECKING:
    import pytest
    from pyfakefs.fake_filesystem import FakeFilesystem

    from sandhook.hooks.contracts import Caller
    from sandhook.limits import Cancellation

    Source = str | PathLike[str] | Mapping[str, object] | Document


class Where(TypedDict, total=False):
    """Which hooks, and over which files.

    Attributes:
        contract: The agent; recognised from the hooks without it.
        project: The directory that hooks see as the project: that of pytest, or of pyfakefs's ``fs``. Relative
            names of hook files begin there.
        files: Files that are added to the copy of the project: contents by path; None removes one.
        env: Variables of the agent.
    """

    contract: str | None
    project: str | PathLike[str] | None
    files: Mapping[str, str | None]
    env: Mapping[str, str]


class Fields(TypedDict, total=False):
    """What an event has, as in files of expectations."""

    tool: str
    input: JsonLike
    result: JsonLike
    error: str
    prompt: str
    stop_active: bool
    payload: Mapping[str, object]


class EventArguments(Where, Fields, total=False):
    """The keyword arguments of the fixture ``fire``."""

    hooks: Source | Sequence[Source] | None


class LoadHooks(Protocol):
    """The fixture ``hook_engine``."""

    def __call__(self, *hooks: Source, **where: Unpack[Where]) -> HookEngine: ...


class Fire(Protocol):
    """The fixture ``fire``."""

    def __call__(self, event: str | Event, **arguments: Unpack[EventArguments]) -> Decision: ...


class _Place(Record):
    """The project of a test, and the same as its hooks see it."""

    source: str
    target: str
    runner: Runner


class TestEngine(HookEngine):
    """An engine whose events happen in the project of the test, without the patches of pyfakefs."""

    __test__ = False  # not a class of tests
    fake: FakeFilesystem | None = None
    project = WORKSPACE

    def fire(
        self, event: Event, *, cancel: Cancellation | None = None, caller: Caller | None = None
    ) -> Decision:
        """Fire an event as ``HookEngine.fire`` does; its directories are those of the project if it has none."""
        event = event.with_(cwd=event.cwd or self.project, project_dir=event.project_dir or self.project)
        with paused(self.fake):
            return super().fire(event, cancel=cancel, caller=caller)


class Hooks:
    """The hooks of one test: those that it names, else of its marker ``sandhook_hooks``, else of the project."""

    def __init__(self, node: pytest.Item, fake: FakeFilesystem | None) -> None:
        self._node = node
        self._fake = fake
        marker = node.get_closest_marker("sandhook_hooks")
        self._sources: tuple[Source, ...] = () if marker is None else marker.args
        self._where: Where = {} if marker is None else Where(**marker.kwargs)  # type: ignore[typeddict-item]

    def load(self, *hooks: Source, **where: Unpack[Where]) -> HookEngine:
        """Return an engine; all hooks are trusted and run in the sandbox, over a copy of the project.

        Raises:
            ConfigError: A file cannot be read, a hook has a fault, or there are no hooks.
        """
        __tracebackhide__ = True  # the error has the fault, and the report the line of the test
        try:
            with paused(self._fake):
                return self._engine(hooks or self._sources, {**self._where, **where})
        except SandhookError as error:
            raise error.with_traceback(None) from None

    def fire(self, event: str | Event, **arguments: Unpack[EventArguments]) -> Decision:
        """Fire an event at hooks and return their decision.

        Args:
            event: An event, or its name: neutral (``tool.pre``) or the agent's own.
            hooks: A hook file, a decoded configuration, or a list of them; those of ``hook_engine`` without it.

        Raises:
            ConfigError: As ``load``, and for fields that the event does not have.
        """
        __tracebackhide__ = True
        hooks = arguments.pop("hooks", None)
        named: list[Source] = []
        if isinstance(hooks, str | Mapping | Document | PathLike):
            named.append(hooks)
        elif hooks is not None:
            named += hooks
        keys = list(Where.__annotations__)
        where = Where(**{key: value for key, value in arguments.items() if key in keys})  # type: ignore[typeddict-item]
        fields = {key: value for key, value in arguments.items() if key not in keys}
        try:
            with paused(self._fake):
                engine = self._engine(named or self._sources, {**self._where, **where})
                decision = engine.fire(event if isinstance(event, Event) else _event(event, fields, engine))
        except SandhookError as error:
            raise error.with_traceback(None) from None
        self._node.stash.setdefault(FIRED, []).append(decision)
        return decision

    def _engine(self, hooks: Sequence[Source], where: Where) -> TestEngine:
        env = dict(where.get("env") or {})
        project = where.get("project")
        source = _slashed(project) if project is not None else self._root()
        name = where.get("contract")
        contract = contracts.get(name) if name else None
        documents = self._documents(hooks, source, contract, env)
        if contract is None:
            contract = contracts.recognise(documents)
            documents = [contracts.understand(each, env)[1] for each in documents]
        place = self._place(source, where.get("files") or {})
        engine = TestEngine.load(
            [moved(document, place.source, place.target) for document in documents],
            contract,
            trust=lambda spec: True,  # a test of a hook wants the hook to run
            runner=place.runner,
            env=env,
            prestart=False,
            shared_files=True,
        )
        if engine.problems:
            raise ConfigError(list(engine.problems))
        if not isinstance(engine, TestEngine):
            raise ConfigError([Problem("hooks", "are empty", file=_names(documents))])
        engine.fake, engine.project = self._fake, place.target
        return engine

    def _root(self) -> str:
        return self._fake.cwd if self._fake is not None else _slashed(self._node.config.rootpath)

    def _place(self, source: str, files: Mapping[str, str | None]) -> _Place:
        if self._fake is None:
            project: Project = in_sandbox(source, files)
            return _Place(source, project.directory, project.runner)
        from sandhook.vfs.path import VirtualPath
        from sandhook.vfs.pyfakefs_adapter import PyfakefsFileSystem

        fs = PyfakefsFileSystem(self._fake)
        for name, text in files.items():
            path = VirtualPath(f"{source}/{name}")
            if text is not None:
                fs.write_bytes(path, text.encode(), mode=0o755 if text[:2] == "#!" else 0o644, parents=True)
            elif fs.exists(path):
                fs.unlink(path)
        return _Place(source, source, SandboxRunner(fs))

    def _documents(
        self, hooks: Sequence[Source], project: str, contract: Contract | None, env: Mapping[str, str]
    ) -> list[Document]:
        if not hooks:
            return self._of_project(project, contract)
        named: list[sources.Source] = []
        for source in hooks:
            if isinstance(source, Mapping | Document):
                named.append(source)
                continue
            name = _slashed(source)
            path = name if name[:1] == "/" or name[1:2] == ":" else f"{project}/{name}"
            named.append(path if self._fake is None else _read(self._fake, path, contract, env))
        return sources.documents(named, contract, env)

    def _of_project(self, project: str, contract: Contract | None) -> list[Document]:
        """Return the hook files of the project that an agent would read, without those of the user."""
        if self._fake is not None:
            raise ConfigError([Problem("hooks", "with pyfakefs, name the hook files of the test")])
        found: dict[str, list[Document]] = {}
        for name in contracts.names() if contract is None else [contract.name]:
            documents, problems = sources.discover(contracts.get(name), project, environ, sys.platform)
            mine = [each for each in documents if contracts.needs_trust(each.layer) and each.value]
            inside = [each for each in problems if each.file.startswith(f"{project}/")]
            if inside:
                raise ConfigError(inside)
            if mine and not any(
                {each.name for each in mine} <= {each.name for each in more} for more in found.values()
            ):
                found[name] = mine
        if len(found) == 1:
            return next(iter(found.values()))
        what = (
            f"{project} has hooks of {', '.join(found)}: name one with contract="
            if found
            else f"no agent has hooks in {project}: name the files"
        )
        raise ConfigError([Problem("hooks", what)])


def _event(name: str, fields: Mapping[str, object], engine: HookEngine) -> Event:
    """Return an event of the engine's agent. Raises ConfigError for what does not fit."""
    values: dict[str, Json] = {"event": name}
    for key, value in fields.items():
        values[key] = dict(value) if isinstance(value, Mapping) else value  # type: ignore[assignment]
    faults = Faults(Document(values, "fire()"))
    section = Section(
        faults, values, "", [key for key in CASE_KEYS if key in ("event", *Fields.__annotations__)]
    )
    event = event_of(section, section, engine.contracts[0])
    if faults.problems:
        raise ConfigError(faults.problems)
    return event


def _read(fake: FakeFilesystem, path: str, contract: Contract | None, env: Mapping[str, str]) -> Document:
    """Return a hook file of a fake file system."""
    from sandhook.vfs.path import VirtualPath
    from sandhook.vfs.pyfakefs_adapter import PyfakefsFileSystem

    try:
        text = PyfakefsFileSystem(fake).read_bytes(VirtualPath(path)).decode()
        return sources.parse(text, path) if contract is None else contract.parse(text, path, env)
    except Exception as error:
        raise ConfigError([sources.problem_of(error, path)]) from None


def _slashed(path: str | PathLike[str]) -> str:
    return fspath(path).replace("\\", "/")


def _names(documents: Sequence[Document]) -> str:
    return ", ".join(document.name for document in documents if document.name)

"""HookEngine: loads hooks, selects the hooks of an event, runs them, and folds their verdicts.

engine = HookEngine.load("hooks.json")
decision = engine.fire(ToolPre("bash", {"command": "rm -rf /"}))
if decision.refused:
    ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from sandhook.errors import ConfigError, Problem
from sandhook.hooks import contracts
from sandhook.hooks.audit import Audit, Sink
from sandhook.hooks.contracts import COMPAT, Contract, Document, Loaded, LoadOptions
from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.event import Event, Json
from sandhook.hooks.event_run import BackgroundHooks, BackgroundResult, EventRun, OnceHooks, Services
from sandhook.hooks.merge import merge
from sandhook.hooks.model import Compat, Decision, FailClosed, HookSpec, source_of
from sandhook.hooks.placement import SANDBOX_TYPES, notes, start_workers
from sandhook.hooks.runner import Runner, RunnerAdapter, SandboxRunner, unknown_executor
from sandhook.hooks.sources import documents, line_of, problem_of, with_lines
from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.command.own import Utilities
    from sandhook.hooks.host import HostRunner
    from sandhook.hooks.sources import Source
    from sandhook.isolation.arguments import Isolation
    from sandhook.limits import Cancellation
    from sandhook.net.network import Network
    from sandhook.vfs.base import FileSystem

#: Decides whether a hook of a layer that needs trust may run; may return the hook itself, with its approved bytes.
Trust = Callable[[HookSpec], "bool | HookSpec | None"]

#: What a timeout above ``max_timeout`` does: it is shortened, or it is a fault.
LongTimeout = Literal["clamp", "reject"]


class Group(Record):
    """The hooks of one contract, in config order."""

    contract: Contract
    specs: tuple[HookSpec, ...]


class Withheld(Record):
    """A hook of the configuration that does not run.

    Attributes:
        spec: The hook.
        why: The reason, for people.
        state: "untrusted" when nobody approved it, "muted" when the configuration switches it off.
    """

    spec: HookSpec
    why: str
    state: Literal["untrusted", "muted"]
    contract: str  #: its name


class Findings(Record):
    """What is in a configuration in addition to the hooks that run; see the attributes of HookEngine."""

    problems: tuple[Problem, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    diagnostics: tuple[str, ...] = ()


class _Waiting(Record):
    """The hooks of one contract that wait for events of one kind; those that are withheld with the reason."""

    contract: Contract
    specs: tuple[HookSpec, ...]
    withheld: tuple[tuple[HookSpec, str], ...]


class HookEngine:
    """The hooks of a configuration, ready to run.

    The files that hooks change persist between events; everything else is new for each hook. Hooks of one
    source (a file, or a capability of the host) see each other's changes. Those of another source do not see
    them, so that they cannot disturb each other; ``shared_files`` lets all see all. ``fire`` may be called from
    any thread, and from several at once; hooks of different calls do not wait for each other.

    Args:
        groups: The hooks, by contract. Hooks of a later group see what earlier groups changed.
        runner: Runs shell text and argv; a new sandbox when None.
        executors: The runners of additional executor types.
        compat: "better" or "strict", see ``contracts.COMPAT``.
        fail_closed: The meaning of a hook that could not run or is not trusted, on an event that it could have
            refused. False: as its contract defines. True: a refusal. "strict": a refusal also after a failure
            without a decision, or an unreadable output.
        env: The agent's own environment, for hooks that inherit from it.
        audit: Where audit lines go.
        shared_files: Hooks of all sources see each other's changes of files.

    Attributes:
        groups: The argument, as a tuple.
        problems: Faults of the configuration; hooks that have one are left out.
        withheld: Hooks that are in the configuration and do not run, each with the reason: muted,
            or not trusted.
        diagnostics: What is unusual in the configuration.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        *,
        runner: Runner | None = None,
        executors: Mapping[str, Runner] | None = None,
        compat: Compat = "better",
        fail_closed: FailClosed = False,
        env: Mapping[str, str] | None = None,
        audit: Sink | None = None,
        shared_files: bool = False,
        findings: Findings = Findings(),  # noqa: B008 - immutable
    ) -> None:
        if compat not in COMPAT:
            raise ValueError(f"compat must be one of {', '.join(COMPAT)}, not {compat!r}")
        if fail_closed not in (False, True, "strict"):
            raise ValueError(f"fail_closed must be False, True or 'strict', not {fail_closed!r}")
        self.groups = tuple(groups)
        self.compat = compat
        self.fail_closed = fail_closed
        self.problems = findings.problems
        self.withheld = findings.withheld
        self.diagnostics = findings.diagnostics
        self._by_kind: dict[str, list[_Waiting]] = {}
        for group in self.groups:
            untrusted = tuple(
                each
                for each in self.withheld
                if each.state == "untrusted" and each.contract == group.contract.name
            )
            for kind in dict.fromkeys(
                spec.event for spec in (*group.specs, *(each.spec for each in untrusted))
            ):
                self._by_kind.setdefault(kind, []).append(
                    _Waiting(
                        group.contract,
                        tuple(spec for spec in group.specs if spec.event == kind),
                        tuple((each.spec, each.why) for each in untrusted if each.spec.event == kind),
                    )
                )
        self._runner = RunnerAdapter(runner if runner is not None else SandboxRunner())
        types = dict.fromkeys(SANDBOX_TYPES, self._runner)
        types.update({name: RunnerAdapter(each) for name, each in (executors or {}).items()})
        self._isolated = not shared_files and len({source_of(spec) for spec in self.hooks}) > 1
        self._audit = Audit(audit)
        self._once = OnceHooks()
        self._background = BackgroundHooks()
        self._services = Services(
            compat,
            fail_closed,
            types,
            env or {},
            self._runner.resolve,
            self._audit,
            self._once,
            self._background,
            self._isolated,
        )
        self._report_problems()

    @classmethod
    def load(
        cls,
        sources: Source | Sequence[Source],
        contract: str | Contract | None = None,
        *,
        compat: Compat = "better",
        fail_closed: FailClosed = False,
        runner: Runner | None = None,
        utilities: Utilities | None = None,
        network: Network | None = None,
        executors: Mapping[str, Runner] | None = None,
        host: bool | HostRunner = False,
        contributions: Mapping[str, Sequence[Json]] | None = None,
        env: Mapping[str, str] | None = None,
        trust: Trust | None = None,
        max_timeout: float | None = None,
        on_long_timeout: LongTimeout = "clamp",
        audit: Sink | None = None,
        shared_files: bool = False,
        prestart: bool = True,
        isolation: Isolation | None = None,
    ) -> HookEngine:
        """Load configurations: paths, Documents or decoded objects, weakest layer first.

        A hook with a fault is left out and reported; with ``fail_closed`` it is an error, because a missing
        guard refuses nothing. Arguments that are not listed here are those of the class.

        Args:
            contract: The format of all sources; None recognises each source's contract by its content.
            utilities, network, isolation: Of the engine's own sandbox, see ``SandboxRunner``; not with a ``runner``.
            host: Run trusted hooks on this machine: those of a trusted layer and those that ``trust`` approved,
                or that a HostRunner selects. All others and contributions run in the sandbox.
            contributions: Hooks that the host's capabilities bring: raw hooks by id of the capability.
            trust: Decides about hooks of layers that need trust; without it they do not run.
            max_timeout: Seconds that no hook may exceed, whatever its contract allows.
            on_long_timeout: "clamp" shortens a longer timeout, "reject" makes it a fault.
            prestart: Start the workers now that hooks need.

        Raises:
            ConfigError: A file cannot be read; with ``fail_closed``, the configuration has problems.
            ContractError: No contract fits, or there is no contract of that name.
        """
        own_runner = _own_runner(runner, utilities, network, isolation)
        loading = _Loading(trust, max_timeout, on_long_timeout)
        options = LoadOptions(compat, ("bash", *(executors or ())), contributions, env or {})
        if not loading.read(sources, contract, options, strict=bool(fail_closed)):
            return NopEngine()
        loading.diagnostics += notes(loading.specs(), own_runner, executors or {}, on_host=bool(host))
        start_workers(loading.specs() if prestart and runner is None else (), own_runner)
        return cls(
            loading.groups,
            runner=_mixed(host, own_runner, contributions, env) if host else own_runner,
            executors=executors,
            compat=compat,
            fail_closed=fail_closed,
            env=env,
            audit=audit,
            shared_files=shared_files,
            findings=loading.findings(),
        )

    def _report_problems(self) -> None:
        for problem in self.problems:
            self._audit.warning("", str(problem))
        for withheld in self.withheld:
            self._audit.warning(withheld.spec.id, f"does not run: {withheld.why}")

    @property
    def hooks(self) -> tuple[HookSpec, ...]:
        """The hooks that can run, in config order."""
        return tuple(spec for group in self.groups for spec in group.specs)

    @property
    def contracts(self) -> tuple[Contract, ...]:
        """The contracts of the configuration, in its order."""
        return tuple(group.contract for group in self.groups)

    @property
    def fs(self) -> FileSystem:
        """The files that all hooks see; AttributeError for a runner without files.

        They have the changes of the hooks when all hooks are of one source, or with ``shared_files``.
        """
        if self._runner.fs is None:
            raise AttributeError("the engine's runner has no files (fs)")
        return self._runner.fs

    def files_of(self, spec: HookSpec) -> FileSystem:
        """Return the files as a hook sees them, with the changes of its source; AttributeError without files."""
        if not self._isolated or self._runner.files_of is None:
            return self.fs
        return self._runner.files_of(source_of(spec))

    def isolation_of(self, spec: HookSpec) -> Isolation | None:
        """Return where a hook's script runs: "process" is a confined worker. None if the caller's runner decides."""
        known = self._services.executors.get(spec.executor.type)
        return None if known is None or known.isolation_of is None else known.isolation_of(spec)

    def fire(self, event: Event, *, cancel: Cancellation | None = None) -> Decision:
        """Run the hooks that an event concerns and return what they decided together.

        Args:
            cancel: Ends the hooks from another thread; a hook that it ended could not run.
        """
        background = self._background.collect()
        decisions = []
        fired = event
        for contract, specs, withheld in self._by_kind.get(event.kind, ()):
            run = EventRun(contract, self._services, event, specs, withheld=withheld, cancel=cancel)
            decisions.append(run.run())
            if not decisions[-1].refused:
                event = run.event
        decision = merge(decisions) if decisions else self._nothing(fired)
        if fired.kind == "session.end":
            self._once.forget(fired.session_id)
        return _with_background(decision, background) if background else decision

    async def afire(self, event: Event) -> Decision:
        """Run ``fire`` in a thread, so that the event loop is not blocked.

        When the task is cancelled the hooks end at their next step and decide nothing; CancelledError is
        raised after that.
        """
        from sandhook.kernel.threads import call_in_thread
        from sandhook.limits import Cancellation

        cancel = Cancellation()
        return await call_in_thread(lambda: self.fire(event, cancel=cancel), cancel)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for background hooks; return True when all of them have ended."""
        return self._background.wait(seconds)

    def _nothing(self, event: Event) -> Decision:
        """Return the decision on an event that no hook waits for."""
        names = [
            next((name for name, kind in group.contract.events.items() if kind == event.kind), "")
            for group in self.groups
        ]
        return Decision(
            event.kind,
            event=next(filter(None, names), ""),
            contract=",".join(group.contract.name for group in self.groups),
        )


def _own_runner(
    runner: Runner | None, utilities: Utilities | None, network: Network | None, isolation: Isolation | None
) -> Runner:
    """Return the caller's runner, or a sandbox with these arguments."""
    if runner is None:
        return SandboxRunner(utilities=utilities, network=network, isolation=isolation)
    if utilities is not None or network is not None or isolation is not None:
        raise ValueError(
            "utilities, network and isolation are for the engine's own sandbox; pass them to the runner"
        )
    return runner


def _mixed(
    host: bool | HostRunner,
    sandbox: Runner,
    contributions: Mapping[str, Sequence[Json]] | None,
    env: Mapping[str, str] | None,
) -> Runner:
    """Return a runner that runs trusted hooks on the host, and all others in the sandbox."""
    from sandhook.hooks.host import HostRunner, MixedRunner

    runner = HostRunner(env=env) if isinstance(host, bool) else host
    return MixedRunner(runner, sandbox, bundled=frozenset(contributions or ()))


class _Loading:
    """Collects the hooks and faults that the contracts' loaders return."""

    def __init__(self, trust: Trust | None, max_timeout: float | None, on_long_timeout: LongTimeout) -> None:
        self.groups: list[Group] = []
        self.problems: list[Problem] = []
        self.withheld: list[Withheld] = []
        self.diagnostics: list[str] = []
        self._trust = trust
        self._max_timeout = max_timeout
        if on_long_timeout not in ("clamp", "reject"):
            raise ValueError(f"on_long_timeout must be 'clamp' or 'reject', not {on_long_timeout!r}")
        self._on_long_timeout = on_long_timeout

    def read(
        self,
        sources: Source | Sequence[Source],
        contract: str | Contract | None,
        options: LoadOptions,
        *,
        strict: bool,
    ) -> bool:
        """Load the hooks of all sources; return False when nothing is configured.

        Raises ConfigError for a file that cannot be read, and with ``strict`` for every problem.
        """
        if isinstance(contract, str):
            contract = contracts.get(contract)
        configurations = documents(sources, contract, options.env)
        if contract is None and not options.contributions and all(not each.value for each in configurations):
            return False
        for known, own_documents in _by_contract(configurations, contract, options.env):
            self._add(known, self._loaded(known, own_documents, options))
        self._locate(configurations)
        if self.problems and strict:
            raise ConfigError(self.problems)
        return True

    def _loaded(self, contract: Contract, own_documents: list[Document], options: LoadOptions) -> Loaded:
        """Load the documents of a contract. One that makes its loader fail is a problem; the others stay in force."""
        try:
            return contract.load(own_documents, options)
        except Exception as error:
            if len(own_documents) < 2:
                names = [document.name for document in own_documents]
                self.problems.append(problem_of(error, "".join(names)))
                return Loaded(())
        good = []
        for document in own_documents:
            try:
                contract.load([document], options)
            except Exception as error:
                self.problems.append(problem_of(error, document.name))
            else:
                good.append(document)
        return contract.load(good, options)

    def findings(self) -> Findings:
        return Findings(tuple(self.problems), tuple(self.withheld), tuple(self.diagnostics))

    def _add(self, contract: Contract, loaded: Loaded) -> None:
        """Add one contract's hooks: those that are trusted, with their timeouts bounded."""
        self.problems.extend(loaded.problems)
        self.withheld.extend(Withheld(spec, why, "muted", contract.name) for spec, why in loaded.withheld)
        self.diagnostics.extend(loaded.diagnostics)
        trusted = [spec for each in loaded.specs if (spec := self._trusted(each, contract)) is not None]
        self.groups.append(Group(contract, tuple(filter(None, map(self._bounded, trusted)))))

    def specs(self) -> list[HookSpec]:
        return [spec for group in self.groups for spec in group.specs]

    def _locate(self, configurations: Sequence[Document]) -> None:
        """Set the line of every problem whose file's text is known."""
        if not self.problems:
            return
        by_name = {document.name: with_lines(document) for document in configurations}
        for problem in self.problems:
            if not problem.line and problem.file in by_name:
                problem.line = line_of(by_name[problem.file], problem.path)

    def _trusted(self, spec: HookSpec, contract: Contract) -> HookSpec | None:
        if not contracts.needs_trust(spec.layer):
            return spec
        why = f"not trusted: {spec.file or 'a configuration'} is of the {spec.layer} layer"
        try:
            answer = self._trust(spec) if self._trust is not None else None
        except Exception as error:  # an approval that cannot be read must not end the other layers' guards
            answer, why = None, f"not trusted: {error.__class__.__name__}: {error}"
        if answer:
            return answer if isinstance(answer, HookSpec) else spec
        self.withheld.append(Withheld(spec, why, "untrusted", contract.name))
        return None

    def _bounded(self, spec: HookSpec) -> HookSpec | None:
        most = self._max_timeout
        if most is None or spec.timeout <= most:
            return spec
        if self._on_long_timeout == "reject":
            message = f"timeout: {spec.timeout:g} seconds; at most {most:g} are allowed"
            self.problems.append(Problem(spec.path, message, file=spec.file))
            return None
        shortened = f"timeout of {spec.timeout:g} seconds shortened to {most:g}"
        self.diagnostics.append(Diagnostic(shortened, spec.path))
        return spec._replace(timeout=most)


def _with_background(decision: Decision, results: Sequence[BackgroundResult]) -> Decision:
    """Add the hooks that ended in the background, and what their contracts deliver of them."""
    delivered = [result.outcome.verdict for result in results if result.contract.fold.background == "deliver"]
    notes = [decision.system_message, *(verdict.system_message for verdict in delivered)]
    return decision._replace(
        background=tuple(result.outcome for result in results),
        context=(*decision.context, *(entry for verdict in delivered for entry in verdict.context)),
        system_message="\n".join(note for note in notes if note) or None,
    )


def _by_contract(
    configurations: Sequence[Document], contract: Contract | None, env: Mapping[str, str]
) -> list[tuple[Contract, list[Document]]]:
    """Return the documents of each contract, in the order in which the contracts come first."""
    if contract is not None:
        return [(contract, list(configurations))]
    groups: dict[str, tuple[Contract, list[Document]]] = {}
    nothing: list[Document] = []
    for document in configurations:
        if document.value is None:
            nothing.append(document)
        elif document.contract:
            known = contracts.get(document.contract)
            groups.setdefault(known.name, (known, []))[1].append(document)
        else:
            known, document = contracts.understand(document, env)
            groups.setdefault(known.name, (known, []))[1].append(document)
    return list(groups.values()) or [(contracts.recognise(nothing), nothing)]


class NopEngine(HookEngine):
    """The engine of an empty configuration: every event proceeds, and nothing is imported."""

    def __init__(self) -> None:
        super().__init__((), runner=unknown_executor)

    def fire(self, event: Event, *, cancel: Cancellation | None = None) -> Decision:
        return Decision(event.kind)

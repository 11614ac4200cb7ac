"""HookEngine: loads hooks, selects the hooks of an event, runs them, and folds their verdicts.

engine = HookEngine.load("hooks.json")
decision = engine.fire(ToolPre("bash", {"command": "rm -rf /"}))
if decision.refused:
    ...
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic

from sandhook.hooks.arguments import (
    check_audit,
    check_callable,
    check_cancel,
    check_event,
    check_executors,
    check_loading,
    check_surroundings,
    check_switches,
)
from sandhook.hooks.audit import Audit, FiredEvent, Sink
from sandhook.hooks.contracts import COMPAT, Caller, Contract, LoadOptions, kind_of
from sandhook.hooks.event import Event, Json
from sandhook.hooks.event_run import BackgroundHooks, BackgroundResult, EventRun, OnceHooks, Services
from sandhook.hooks.loading import Findings, Group, Loading, LongTimeout, Trust, Withheld
from sandhook.hooks.merge import merge
from sandhook.hooks.model import Compat, Decision, FailClosed, HookSpec, source_of
from sandhook.hooks.placement import SANDBOX_TYPES, notes, start_workers
from sandhook.hooks.runner import Runner, RunnerAdapter, SandboxRunner, unknown_executor
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from sandhook.command.own import Utilities
    from sandhook.hooks.host import HostRunner
    from sandhook.hooks.manifest import Manifest
    from sandhook.hooks.manifest.hold import Begins
    from sandhook.hooks.messages import Message
    from sandhook.hooks.sources import Source
    from sandhook.isolation.arguments import Isolation
    from sandhook.limits import Cancellation
    from sandhook.net.network import Network
    from sandhook.vfs.base import FileSystem


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
        audit: Where audit lines go, or a ``journal.Journal`` that records events.
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
        if runner is not None:
            check_callable("runner", runner, "a runner such as SandboxRunner(), or a function of a Request")
        check_executors(executors or {})
        check_audit(audit)
        self.groups = tuple(groups)
        self.compat = compat
        self.fail_closed = fail_closed
        self.problems = findings.problems
        self.withheld = findings.withheld
        self.diagnostics = findings.diagnostics
        self._by_kind = _waiting_by_kind(self.groups, self.withheld)
        self._runner = RunnerAdapter(runner if runner is not None else SandboxRunner())
        types = dict.fromkeys(SANDBOX_TYPES, self._runner)
        types.update({name: RunnerAdapter(each) for name, each in (executors or {}).items()})
        self._isolated = not shared_files and len({source_of(spec) for spec in self.hooks}) > 1
        self._audit = Audit(audit)
        self._once = OnceHooks()
        self._background = BackgroundHooks()
        self._services = Services(
            compat=compat,
            fail_closed=fail_closed,
            executors=types,
            env=env or {},
            resolve=self._runner.resolve,
            audit=self._audit,
            once=self._once,
            background=self._background,
            isolated=self._isolated,
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
        git_writes: bool = False,
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
        manifest: Manifest | None = None,
    ) -> HookEngine:
        """Load configurations: paths, Documents or decoded objects, weakest layer first. Other arguments: see the class.

        A hook with a fault is left out and reported, or an error with ``fail_closed``.

        Args:
            contract: The format of all sources; None recognises each source's contract by its content.
            utilities, network, git_writes, isolation: Of the engine's own sandbox, see ``SandboxRunner``; not with a ``runner``. ``prestart`` starts its workers now.
            host: Run hooks of trusted layers, and those that ``trust`` approved, on this machine, or those that a HostRunner selects. All others and contributions run in the sandbox.
            contributions: Hooks that the host's capabilities bring: raw hooks by id of the capability.
            trust: Decides about hooks of layers that need trust; without it they do not run.
            max_timeout, on_long_timeout: Seconds that no hook may exceed; "clamp" shortens a longer timeout, "reject" makes it a fault.
            manifest: Holds hooks to what they declare, in the engine's own sandbox; not with ``host`` or a ``runner``.

        Raises TypeError or ValueError for a wrong argument; ContractError if no contract fits; ConfigError if a file cannot be read or, with ``fail_closed``, the configuration has problems.
        """
        check_loading(sources, trust, max_timeout, fail_closed=bool(fail_closed))
        check_surroundings(contract=contract, host=host, contributions=contributions, env=env)
        check_switches(shared_files=shared_files, prestart=prestart, git_writes=git_writes)
        sandbox = _own_runner(runner, utilities, network, isolation, git_writes, manifest=manifest, host=host)
        loading = Loading(trust, max_timeout, on_long_timeout)
        options = LoadOptions(compat, ("bash", *(executors or ())), contributions, env or {})
        if not loading.read(sources, contract, options, strict=bool(fail_closed)):
            return NopEngine()
        loading.diagnostics += notes(loading.specs(), sandbox, executors or {}, on_host=bool(host))
        start_workers(loading.specs() if prestart and runner is None else (), sandbox)
        return cls(
            loading.groups,
            runner=_mixed(host, sandbox, contributions, env) if host else sandbox,
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
    def messages(self) -> Sequence[Message]:
        """``problems``, ``withheld`` and ``diagnostics`` as one list with severities, the worst first."""
        from sandhook.hooks.messages import messages_of

        return messages_of(Findings(self.problems, self.withheld, self.diagnostics))

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

    def fire(
        self, event: Event, *, cancel: Cancellation | None = None, caller: Caller | None = None
    ) -> Decision:
        """Run the hooks that an event concerns and return what they decided together.

        An event that no contract of the engine has is named in ``Decision.diagnostics``.

        Args:
            cancel: Ends the hooks from another thread; a hook that it ended could not run.
            caller: The agent whose names of tools the event has. A hook that does not match such a name is tried
                with the name that its own agent has for that tool, and then sees that name.

        Raises:
            TypeError: ``event`` is not an Event.
            ValueError: Its kind is not known.
        """
        check_event(event)
        check_cancel(cancel)
        if self._audit.decided is None:
            return self._fire(event, cancel, caller)
        return self._recorded(FiredEvent(event, Decision(event.kind), 0.0), cancel, caller)

    def _recorded(
        self, fired: FiredEvent, cancel: Cancellation | None, caller: Caller | None = None
    ) -> Decision:
        """Fire an event and write it, with its decision, to the record."""
        began = monotonic()
        decision = self._fire(fired.event, cancel, caller)
        if self._audit.decided is not None:
            self._audit.decided(fired._replace(decision=decision, seconds=monotonic() - began))
        return decision

    def _fire(self, event: Event, cancel: Cancellation | None, caller: Caller | None) -> Decision:
        background = self._background.collect()
        decisions = []
        fired = event
        for contract, specs, withheld in self._by_kind.get(event.kind, ()):
            own_name = _own_name(contract, caller, event)
            run = EventRun(
                contract, self._services, event, specs, withheld=withheld, cancel=cancel, own_name=own_name
            )
            decisions.append(run.run())
            if not decisions[-1].refused:
                event = run.event
        decision = merge(decisions) if decisions else self._nothing(fired)
        if fired.kind == "session.end":
            self._once.forget(fired.session_id)
        return _with_background(decision, background) if background else decision

    def fire_native(
        self, payload: Mapping[str, object], event: str | None = None, *, cancel: Cancellation | None = None
    ) -> Decision:
        """Fire the event that an agent's own payload describes.

        Args:
            payload: As the agent passes it to a command hook, decoded.
            event: The agent's name of the event, where the payload does not have it.

        Raises:
            ContractError: The payload does not describe an event of the engine's contract.
            ValueError: The engine has hooks of no contract, or of several.
        """
        if len(self.groups) != 1:
            raise ValueError(f"fire_native needs an engine with one contract, not {len(self.groups)}")
        contract = self.groups[0].contract
        value = cast("Json", payload)
        native, _ = kind_of(contract, contract.event_name(value, {}) if event is None else event)
        fired = contract.event(native, value)
        if self._audit.decided is None:
            return self.fire(fired, cancel=cancel)
        check_cancel(cancel)
        return self._recorded(
            FiredEvent(fired, Decision(fired.kind), 0.0, contract.name, native, value), cancel
        )

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
        contracts = ",".join(group.contract.name for group in self.groups)
        event_name = next(filter(None, names), "")
        unknown = () if event_name else (f"{contracts} has no event of the kind {event.kind}",)
        return Decision(event.kind, event=event_name, contract=contracts, diagnostics=unknown)


def _own_name(contract: Contract, caller: Caller | None, event: Event) -> str | None:
    """Return the name that a contract's agent has for the tool of a caller; None without one, or without a caller.

    Without that, a guard for ``Bash`` would never run for an agent whose shell is ``run_shell_command``.
    """
    if caller is None or event.tool is None or contract.name == caller.name:
        return None
    from sandhook.hooks.conversion import tool_of

    return tool_of(event.tool.name, caller.vocabulary(), contract.vocabulary())


def _waiting_by_kind(
    groups: Sequence[Group], withheld: Sequence[Withheld]
) -> Mapping[str, Sequence[_Waiting]]:
    """Return the hooks that wait for each kind of event, with those that nobody approved."""
    by_kind: dict[str, list[_Waiting]] = {}
    for contract, specs in groups:
        untrusted = [one for one in withheld if one.state == "untrusted" and one.contract == contract.name]
        for kind in dict.fromkeys(spec.event for spec in (*specs, *(one.spec for one in untrusted))):
            waiting = _Waiting(
                contract,
                tuple(spec for spec in specs if spec.event == kind),
                tuple((one.spec, one.why) for one in untrusted if one.spec.event == kind),
            )
            by_kind.setdefault(kind, []).append(waiting)
    return by_kind


def _own_runner(
    runner: Runner | None,
    utilities: Utilities | None,
    network: Network | None,
    isolation: Isolation | None,
    git_writes: bool,
    *,
    manifest: Manifest | None,
    host: bool | HostRunner,
) -> Runner:
    """Return the caller's runner, or a sandbox with these arguments."""
    holder = _holder(manifest, runner, host=bool(host))
    if runner is None:
        return SandboxRunner(
            utilities=utilities, network=network, git_writes=git_writes, isolation=isolation, holder=holder
        )
    if utilities is not None or network is not None or isolation is not None or git_writes:
        raise ValueError(
            "utilities, network, git_writes and isolation are for the engine's own sandbox; pass them to the runner"
        )
    return runner


def _holder(manifest: Manifest | None, runner: Runner | None, *, host: bool) -> Begins | None:
    """Return what holds the hooks of the engine's own sandbox to a manifest."""
    if manifest is None:
        return None
    if host:
        raise ValueError("manifest: a hook on the host cannot be held to a manifest; host must be False")
    if runner is not None:
        raise ValueError(
            "manifest is for the engine's own sandbox; pass SandboxRunner(holder=Holder(manifest)) as runner"
        )
    from sandhook.hooks.manifest import Manifest
    from sandhook.hooks.manifest.hold import Holder

    if not isinstance(manifest, Manifest):
        raise TypeError(f"manifest must be a Manifest, as manifest.parse() returns it, not {manifest!r:.50}")
    return Holder(manifest)


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


def _with_background(decision: Decision, results: Sequence[BackgroundResult]) -> Decision:
    """Add the hooks that ended in the background, and what their contracts deliver of them."""
    delivered = [result.outcome.verdict for result in results if result.contract.fold.background == "deliver"]
    notes = [decision.system_message, *(verdict.system_message for verdict in delivered)]
    return decision._replace(
        background=tuple(result.outcome for result in results),
        context=(*decision.context, *(entry for verdict in delivered for entry in verdict.context)),
        system_message="\n".join(note for note in notes if note) or None,
    )


class NopEngine(HookEngine):
    """The engine of an empty configuration: every event proceeds, and nothing is imported."""

    def __init__(self) -> None:
        super().__init__((), runner=unknown_executor)

    def fire(
        self, event: Event, *, cancel: Cancellation | None = None, caller: Caller | None = None
    ) -> Decision:
        check_event(event)
        return Decision(event.kind)

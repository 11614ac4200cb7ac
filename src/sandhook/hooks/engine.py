"""HookEngine: loads hooks, selects those an event concerns, runs them, folds what they say.

engine = HookEngine.load("hooks.json")
decision = engine.fire(ToolPre("bash", {"command": "rm -rf /"}))
if decision.refused:
    ...
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import RLock
from typing import TYPE_CHECKING, Any

from sandhook.errors import ConfigError, Problem
from sandhook.hooks import contracts
from sandhook.hooks.audit import Audit, Sink
from sandhook.hooks.contracts import COMPAT, Contract, LoadOptions
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Event, Json
from sandhook.hooks.fold import Fold
from sandhook.hooks.model import Decision, HookSpec, Outcome, Ran, Verdict
from sandhook.hooks.runner import Runner, SandboxRunner, prestart_worker, unknown_executor, wants_jq
from sandhook.hooks.sources import documents

if TYPE_CHECKING:
    from sandhook.hooks.sources import Source
    from sandhook.vfs.base import FileSystem

#: Executor types that the sandbox runs.
SANDBOX_TYPES = ("bash",)


class HookEngine:
    """The hooks of one configuration, ready to run.

    An engine's hooks share one file system, which stays between events; everything else is fresh
    for each of them. ``fire`` may be called from any thread; events of one engine run one by one.

    Args:
        contract: Whose format the hooks follow.
        specs: The hooks, in config order.
        runner: Runs shell text; a new sandbox when None.
        executors: Further executor types and what runs them.
        compat: "better" or "strict", see ``contracts.COMPAT``.
        fail_closed: What a hook that could not run means where it could have refused: False, as
            its contract says; True, a refusal; "strict", the same also for a failure without a
            decision.
        audit: Where audit lines go.

    Attributes:
        problems: Faults of the configuration; hooks that have one are left out.
        diagnostics: What is odd in the configuration.
    """

    def __init__(
        self,
        contract: Contract,
        specs: Sequence[HookSpec],
        *,
        runner: Runner | None = None,
        executors: Mapping[str, Runner] | None = None,
        compat: str = "better",
        fail_closed: bool | str = False,
        audit: Sink | None = None,
        problems: Sequence[Problem] = (),
        diagnostics: Sequence[str] = (),
    ) -> None:
        if compat not in COMPAT:
            raise ValueError(f"compat must be one of {', '.join(COMPAT)}, not {compat!r}")
        if fail_closed not in (False, True, "strict"):
            raise ValueError(f"fail_closed must be False, True or 'strict', not {fail_closed!r}")
        self.contract = contract
        self.compat = compat
        self.fail_closed = fail_closed
        self.problems = tuple(problems)
        self.diagnostics = tuple(diagnostics)
        self._specs = tuple(specs)
        self._by_kind: dict[str, list[HookSpec]] = {}
        for spec in self._specs:
            self._by_kind.setdefault(spec.event, []).append(spec)
        self._runner: Runner = runner if runner is not None else SandboxRunner()
        self._executors: dict[str, Runner] = dict.fromkeys(SANDBOX_TYPES, self._runner)
        self._executors.update(executors or {})
        self._audit = Audit(audit)
        self._lock = RLock()

    @classmethod
    def load(
        cls,
        sources: Source | Sequence[Source],
        contract: str | Contract | None = None,
        *,
        compat: str = "better",
        fail_closed: bool | str = False,
        runner: Runner | None = None,
        executors: Mapping[str, Runner] | None = None,
        contributions: Mapping[str, Sequence[Json]] | None = None,
        audit: Sink | None = None,
        prestart: bool = True,
    ) -> HookEngine:
        """Load configurations: paths or decoded objects, weakest layer first.

        A hook with a fault is left out and reported, as every agent does; with ``fail_closed``
        any fault is an error, for a guard that is not there refuses nothing.

        Args:
            contract: Whose format it is; recognised from the content when None.
            contributions: Hooks that the host's capabilities bring: id of the capability, raw hooks.
            prestart: Start the jq worker now when a hook names jq.

        Raises:
            ConfigError: A file cannot be read; with ``fail_closed``, or when every hook has a fault,
                the configuration has problems.
            ContractError: No contract fits, or the named one is unknown.
        """
        found = documents(sources)
        if contract is None and not contributions and all(not doc.value for doc in found):
            return NopEngine()
        if contract is None:
            contract = contracts.recognise(found)
        elif isinstance(contract, str):
            contract = contracts.get(contract)
        options = LoadOptions(compat, (*SANDBOX_TYPES, *(executors or ())), contributions)
        loaded = contract.load(found, options)
        if loaded.problems and fail_closed:
            raise ConfigError(list(loaded.problems), found[0].name if len(found) == 1 else "")
        if prestart and runner is None and any(wants_jq(spec.executor.text) for spec in loaded.specs):
            prestart_worker()
        engine = cls(
            contract,
            loaded.specs,
            runner=runner,
            executors=executors,
            compat=compat,
            fail_closed=fail_closed,
            audit=audit,
            problems=loaded.problems,
            diagnostics=loaded.diagnostics,
        )
        for problem in loaded.problems:
            engine._audit.warning("", str(problem))
        return engine

    @property
    def hooks(self) -> tuple[HookSpec, ...]:
        """The hooks that can run, in config order."""
        return self._specs

    @property
    def fs(self) -> FileSystem:
        """The files that the hooks share; AttributeError for a runner that has none."""
        shared: FileSystem = self._runner.fs  # type: ignore[attr-defined]
        return shared

    def fire(self, event: Event) -> Decision:
        """Run the hooks that an event concerns and return what they decided together."""
        with self._lock:
            return self._fire(event)

    async def afire(self, event: Event) -> Decision:
        """Do what ``fire`` does, in a thread, so that the event loop goes on.

        A cancelled call returns at once; its hooks end at their own timeouts and decide nothing.
        """
        from asyncio import to_thread

        return await to_thread(self.fire, event)

    def _fire(self, event: Event) -> Decision:
        fold = Fold(self.contract.fold, event)
        outcomes: list[Outcome] = []
        closed: list[str] = []
        seen: set[Any] = set()
        for spec in self._by_kind.get(event.kind, ()):
            outcome = self._select(spec, fold, seen)
            self._audit.invoked(outcome, event)
            if outcome.matched and not outcome.why.startswith(_SKIPPED):
                outcome = self._run(outcome, fold.event, closed)
                self._audit.completed(outcome)
                fold.add(spec.id, outcome.verdict)
            outcomes.append(outcome)
        fields = fold.decision()
        notes = [f"{each.spec.id}: {note}" for each in outcomes for note in each.verdict.diagnostics]
        fields["diagnostics"] = (*fields.get("diagnostics", ()), *notes)
        decision = Decision(
            kind=event.kind,
            event=self._native(event.kind),
            contract=self.contract.name,
            outcomes=tuple(outcomes),
            fail_closed=tuple(closed),
            **fields,
        )
        if decision.refused:
            message = self.contract.message(event.kind, decision.reason or "", decision.user_message)
            decision = decision._replace(message=message)
        return decision

    def _native(self, kind: str) -> str:
        return next((name for name, each in self.contract.events.items() if each == kind), "")

    def _select(self, spec: HookSpec, fold: Fold, seen: set[Any]) -> Outcome:
        """Say whether a hook is to run; ``why`` begins with "skipped" when it matches and is not."""
        event = fold.matched_against
        if event.is_sub_agent and not spec.include_sub_agents:
            return Outcome(spec, False, "not for sub-agents")
        matched, why = spec.matcher.check(event)
        if not matched:
            return Outcome(spec, False, why)
        if fold.stopped:
            return Outcome(spec, True, f"{_SKIPPED} an earlier hook refused")
        if fold.policy.dedupe:
            key = (spec.executor.type, spec.executor.text, spec.executor.argv)
            if key in seen:
                return Outcome(spec, True, f"{_SKIPPED} an earlier hook runs the same text")
            seen.add(key)
        return Outcome(spec, True, why)

    def _run(self, outcome: Outcome, event: Event, closed: list[str]) -> Outcome:
        spec = outcome.spec
        try:
            request = self.contract.request(spec, event, self.compat)
        except DecodeError as error:
            ran = Ran(failure=f"the event cannot be encoded: {error}")
        else:
            ran = self._execute(self._executors.get(spec.executor.type, unknown_executor), request)
        verdict = self.contract.decode(spec, event, ran, self.compat)
        if spec.detached:
            verdict = Verdict(verdict.word, diagnostics=("runs beside the agent: it decides nothing",))
        else:
            why = self._must_refuse(event, ran, verdict)
            if why is not None:
                verdict = _refusal(verdict, event, f"hook {spec.id} could not run: {why}")
                closed.append(spec.id)
        return outcome._replace(ran=ran, verdict=verdict)

    @staticmethod
    def _execute(runner: Runner, request: Any) -> Ran:
        try:
            return runner(request)
        except Exception as error:  # a host's executor: its defect is no decision
            return Ran(failure=f"{error.__class__.__name__}: {error}")

    def _must_refuse(self, event: Event, ran: Ran, verdict: Verdict) -> str | None:
        """Return why this engine refuses where the contract does not, or None."""
        if not self.fail_closed or event.kind not in self.contract.refusable or verdict.refuses:
            return None
        if verdict.could_not_run is not None:
            return verdict.could_not_run
        if self.fail_closed == "strict" and ran.exit_status and not verdict.decided:
            return f"exit status {ran.exit_status} without a decision"
        return None


_SKIPPED = "skipped:"


def _refusal(verdict: Verdict, event: Event, reason: str) -> Verdict:
    if event.kind == "tool.pre":
        return verdict._replace(permission="deny", reason=reason)
    return verdict._replace(block=True, reason=reason)


class NopEngine(HookEngine):
    """What ``load`` gives when nothing is configured: every event proceeds, nothing is imported."""

    def __init__(self) -> None:
        super().__init__(_NO_CONTRACT, (), runner=unknown_executor)

    def fire(self, event: Event) -> Decision:
        return Decision(event.kind)


class _NoContract:
    name = ""
    events: Mapping[str, str] = {}
    refusable: frozenset[str] = frozenset()


_NO_CONTRACT: Any = _NoContract()

"""One contract's hooks on one event: selected, run, decoded, folded.

Most contracts run them one by one, chained ones each on what the earlier ones changed. Where a
contract runs them in parallel, those whose runner allows it run at the same time; they fold in
config order all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sandhook.hooks.decode import DecodeError
from sandhook.hooks.fold import Fold
from sandhook.hooks.model import ContextFile, Decision, Outcome, Request, RunResult, Verdict
from sandhook.hooks.runner import Runner, unknown_executor
from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.hooks.audit import Audit
    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.event import Event
    from sandhook.hooks.model import HookSpec
    from sandhook.limits import Cancellation

#: How ``Outcome.why`` begins for a hook that matches and is not run.
SKIPPED = "skipped:"


class Policy(Record):
    """What an engine asks of every run, whatever the contract.

    Attributes:
        compat: "better" or "strict".
        fail_closed: False, True or "strict".
        executors: Executor types and what runs them.
        env: The agent's own environment, as far as the host hands it over.
        resolve: Gives the canonical path of an existing file, or None; takes a path and what it is
            relative to.
    """

    compat: str
    fail_closed: bool | str
    executors: Mapping[str, Runner]
    env: Mapping[str, str] = {}
    resolve: Callable[[str, str], str | None] | None = None


class EventRun:
    """One firing of one contract's hooks.

    Args:
        first_time: Tells whether a hook with ``once`` still may run, and remembers that it did.
        background: Runs a hook in the background: the call that runs and reads it is handed over.
    """

    def __init__(
        self,
        contract: Contract,
        policy: Policy,
        audit: Audit,
        event: Event,
        *,
        first_time: Callable[[HookSpec], bool],
        background: Callable[[Callable[[], Outcome]], None],
        cancel: Cancellation | None = None,
    ) -> None:
        self._contract = contract
        self._policy = policy
        self._audit = audit
        self._fold = Fold(contract.fold, event)
        self._first_time = first_time
        self._detach = background
        self._cancel = cancel
        self._seen: set[Any] = set()
        self._closed: list[str] = []
        self._fired = event

    @property
    def event(self) -> Event:
        """The event as these hooks leave it."""
        return self._fold.event

    def run(self, specs: Sequence[HookSpec]) -> Decision:
        """Run the hooks that the event concerns and return what they decided together."""
        choose = getattr(self._contract, "fold_for", None)
        if choose is not None:
            matching = [spec for spec in specs if spec.matcher.check(self._fired).matched]
            self._fold = Fold(choose(matching), self._fired)
        if self._fold.policy.parallel:
            outcomes = self._all(specs)
        else:
            outcomes = [self._one(spec) for spec in specs]
        return self._decision(outcomes)

    def _one(self, spec: HookSpec) -> Outcome:
        outcome = self._select(spec)
        if not _to_run(outcome):
            return outcome
        event = self._fold.event
        outcome = self._finish(outcome, event, self._execute(spec, self._request(spec, event)))
        self._fold.add(spec.id, outcome.verdict)
        return outcome

    def _all(self, specs: Sequence[HookSpec]) -> list[Outcome]:
        event = self._fired
        selected = [self._select(spec) for spec in specs]
        running = [outcome.spec for outcome in selected if _to_run(outcome)]
        ran = self._execute_all([(spec, self._request(spec, event)) for spec in running])
        answers = iter(ran)
        outcomes = []
        for outcome in selected:
            if _to_run(outcome):
                outcome = self._finish(outcome, event, next(answers))
                self._fold.add(outcome.spec.id, outcome.verdict)
            outcomes.append(outcome)
        return outcomes

    # Which hooks.

    def _select(self, spec: HookSpec) -> Outcome:
        """Say whether a hook is to run; ``why`` begins with "skipped" when it matches and is not."""
        outcome = self._matched(spec)
        self._audit.invoked(outcome, self._fired)
        if _to_run(outcome) and spec.background:
            event = self._fold.event
            self._detach(lambda: self._beside(outcome, event))
            return outcome._replace(why=f"{SKIPPED} runs in the background ({outcome.why})")
        return outcome

    def _matched(self, spec: HookSpec) -> Outcome:
        fold = self._fold
        event = fold.matched_against
        if event.is_sub_agent and not spec.include_sub_agents:
            return Outcome(spec, False, "not for sub-agents")
        matched, why = spec.matcher.check(event)
        if not matched:
            return Outcome(spec, False, why)
        if fold.stopped:
            return Outcome(spec, True, f"{SKIPPED} an earlier hook refused")
        if fold.policy.dedupe:
            key = dedupe_key(spec, fold.policy.dedupe)
            if key in self._seen:
                return Outcome(spec, True, f"{SKIPPED} an earlier hook runs the same text")
            self._seen.add(key)
        if spec.once and not self._first_time(spec):
            return Outcome(spec, True, f"{SKIPPED} runs once in a session, and did")
        return Outcome(spec, True, why)

    # Running them.

    def _request(self, spec: HookSpec, event: Event) -> Request | RunResult:
        try:
            request = self._contract.request(spec, event, self._policy.compat)
        except DecodeError as error:
            return RunResult(failure=f"the event cannot be encoded: {error}")
        inherited = _inherited(spec, self._policy.env)
        if inherited or self._cancel is not None:
            request = request._replace(inherited=inherited, cancel=self._cancel)
        return request

    def _execute(self, spec: HookSpec, request: Request | RunResult) -> RunResult:
        if isinstance(request, RunResult):
            return request
        runner = self._policy.executors.get(spec.executor.type, unknown_executor)
        try:
            return _awaited(runner(request))
        except Exception as error:  # a host's executor: its defect is no decision
            return RunResult(failure=f"{error.__class__.__name__}: {error}")

    def _execute_all(self, requests: Sequence[tuple[HookSpec, Request | RunResult]]) -> list[RunResult]:
        """Run all; those whose runner is ``concurrent`` each in a thread of its own."""
        apart = [at for at, (spec, _) in enumerate(requests) if self._concurrent(spec)]
        if len(apart) < 2:
            return [self._execute(*each) for each in requests]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(apart), thread_name_prefix="sandhook-hook") as pool:
            futures = {at: pool.submit(self._execute, *requests[at]) for at in apart}
            return [
                futures[at].result() if at in futures else self._execute(*each)
                for at, each in enumerate(requests)
            ]

    def _concurrent(self, spec: HookSpec) -> bool:
        return bool(getattr(self._policy.executors.get(spec.executor.type), "concurrent", False))

    def _beside(self, outcome: Outcome, event: Event) -> Outcome:
        """Run a hook in the background: what it says is kept, and decides nothing."""
        spec = outcome.spec
        ran = self._execute(spec, self._request(spec, event))
        verdict = self._contract.decode(spec, event, ran, self._policy.compat)
        outcome = outcome._replace(ran=ran, verdict=verdict)
        self._audit.completed(outcome)
        return outcome

    def _finish(self, outcome: Outcome, event: Event, ran: RunResult) -> Outcome:
        spec = outcome.spec
        verdict = self._contract.decode(spec, event, ran, self._policy.compat)
        why = self._must_refuse(event, ran, verdict)
        if why is not None:
            verdict = _refusal(verdict, event, f"hook {spec.id} could not run: {why}")
            self._closed.append(spec.id)
        outcome = outcome._replace(ran=ran, verdict=verdict)
        self._audit.completed(outcome)
        return outcome

    def _must_refuse(self, event: Event, ran: RunResult, verdict: Verdict) -> str | None:
        """Return why the engine refuses where the contract does not, or None."""
        fail_closed = self._policy.fail_closed
        if not fail_closed or event.kind not in self._contract.refusable or verdict.refuses:
            return None
        if verdict.could_not_run is not None:
            return verdict.could_not_run
        if fail_closed == "strict" and not verdict.decided:
            if verdict.undecodable is not None:
                return verdict.undecodable
            if ran.exit_status:
                return f"exit status {ran.exit_status} without a decision"
        return None

    # What it comes to.

    def _decision(self, outcomes: list[Outcome]) -> Decision:
        kind = self._fired.kind
        fields = self._fold.decision()
        notes = [f"{each.spec.id}: {note}" for each in outcomes for note in each.verdict.diagnostics]
        if fields.get("context_files"):
            fields["context_files"] = self._confined(fields["context_files"], notes)
        fields["diagnostics"] = (*fields.get("diagnostics", ()), *notes)
        decision = Decision(
            kind=kind,
            event=next((name for name, each in self._contract.events.items() if each == kind), ""),
            contract=self._contract.name,
            outcomes=tuple(outcomes),
            fail_closed=tuple(self._closed),
            **fields,
        )
        if decision.refused or decision.force_continue:
            decision = decision._replace(message=self._contract.message(decision, self._fold.event))
        return decision

    def _confined(self, files: Sequence[ContextFile], notes: list[str]) -> tuple[ContextFile, ...]:
        """Keep files that exist in the project, once each; say of every other why it was dropped."""
        event, resolve = self._fired, self._policy.resolve
        root = event.project_dir or event.cwd or "/workspace"
        top = resolve(".", root) if resolve is not None else None
        kept: dict[str, ContextFile] = {}
        for file in files:
            place = resolve(file.path, root) if resolve is not None else None
            if place is None:
                notes.append(f"context file {file.path!r} is dropped: there is no such file")
            elif top is None or not (place + "/").startswith(top.rstrip("/") + "/"):
                notes.append(f"context file {file.path!r} is dropped: it is outside the project")
            else:
                kept.setdefault(place, file)
        return tuple(kept.values())


def dedupe_key(spec: HookSpec, dedupe: str) -> tuple[Any, ...]:
    """Return what is the same for hooks of which a contract with ``FoldPolicy.dedupe`` runs the first alone."""
    key = (spec.executor.type, spec.executor.text, spec.executor.argv)
    return (spec.source, *key) if dedupe == "source" else key


def _inherited(spec: HookSpec, env: Mapping[str, str]) -> Mapping[str, str]:
    if spec.env_policy == "inherit":
        left_out = spec.env_except
        return {name: env[name] for name in env if not name.startswith(left_out)} if left_out else env
    if spec.env_policy == "allow":
        return {name: env[name] for name in spec.env_names if name in env}
    return {}


def _to_run(outcome: Outcome) -> bool:
    return outcome.matched and not outcome.why.startswith(SKIPPED)


def _refusal(verdict: Verdict, event: Event, reason: str) -> Verdict:
    if event.kind == "tool.pre":
        return verdict._replace(permission="deny", reason=reason)
    return verdict._replace(block=True, reason=reason)


def _awaited(answer: Any) -> RunResult:
    """Return a runner's answer; an ``async def`` runner's is awaited in a loop of its own."""
    if isinstance(answer, RunResult):
        return answer
    from asyncio import run

    async def wait() -> RunResult:
        ran: RunResult = await answer
        return ran

    return run(wait())

"""One contract's hooks on one event: selected, run, decoded, folded.

Most contracts run hooks one by one; chained hooks see what earlier ones changed. Where a contract runs
hooks in parallel, those with a concurrent runner run at the same time. Verdicts are always folded in
config order.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Awaitable, Callable, Mapping, Sequence

from sandhook.hooks.decode import BoundExceeded, DecodeError, Unfillable, other_readings
from sandhook.hooks.fold import Fold
from sandhook.hooks.match_budget import MatchBudget, RepeatedHooks
from sandhook.hooks.model import (
    ContextFile,
    Decision,
    HookSpec,
    Outcome,
    Request,
    RunResult,
    Verdict,
    source_of,
)
from sandhook.hooks.runner import RunnerAdapter, unknown_executor
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from threading import Thread

    from sandhook.hooks.audit import Audit
    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.event import Event
    from sandhook.hooks.matcher import Match
    from sandhook.hooks.model import Compat, FailClosed
    from sandhook.hooks.unread import UnreadRefusal
    from sandhook.limits import Cancellation

# What an engine keeps between events.


class OnceHooks:
    """Which hooks with ``once`` ran already, by session. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._first_runs: set[tuple[str | None, str]] = set()

    def first_time(self, session_id: str | None, hook_id: str) -> bool:
        """Return True for the first call with these ids, False for every later one."""
        with self._lock:
            first = (session_id, hook_id) not in self._first_runs
            self._first_runs.add((session_id, hook_id))
        return first

    def forget(self, session_id: str | None) -> None:
        """Forget a session that ended."""
        with self._lock:
            self._first_runs = {key for key in self._first_runs if key[0] != session_id}


class BackgroundResult(Record):
    """The outcome of a background hook, and the contract that decides whether it is delivered."""

    contract: Contract
    outcome: Outcome


class BackgroundHooks:
    """Hooks that run in the background, in a thread each, and their uncollected results."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._threads: list[Thread] = []
        self._results: list[BackgroundResult] = []

    def start(self, contract: Contract, run: Callable[[], Outcome]) -> None:
        """Run a hook in a thread of its own and keep its outcome.

        Args:
            run: Runs the hook and returns its outcome; never raises.
        """

        def run_and_keep() -> None:
            result = BackgroundResult(contract, run())
            with self._lock:
                self._results.append(result)

        from threading import Thread  # it takes 1 ms

        thread = Thread(target=run_and_keep, name="sandhook-background-hook", daemon=True)
        with self._lock:
            self._threads = [running for running in self._threads if running.is_alive()]
            self._threads.append(thread)
        thread.start()

    def collect(self) -> Sequence[BackgroundResult]:
        """Return the results since the last call, in the order in which the hooks ended."""
        if not self._results:
            return ()
        with self._lock:
            results, self._results = self._results, []
        return results

    def wait(self, seconds: float | None) -> bool:
        """Wait for each thread at most that long; return True when all of them have ended."""
        for thread in list(self._threads):
            thread.join(seconds)
        return not any(thread.is_alive() for thread in self._threads)


# One event.

_UNKNOWN = RunnerAdapter(unknown_executor)


class Services(Record):
    """What an engine provides to every event run, whatever the contract.

    Attributes:
        compat: One of Compat.
        fail_closed: One of FailClosed.
        executors: Executor types and their runners.
        env: The agent's own environment, as the host passed it in.
        resolve: Returns the canonical path of an existing file, or None; receives a path and the directory
            that it is relative to. None when the runner has no files.
        audit: Where events are written.
        once: Which hooks with ``once`` ran already.
        background: Runs background hooks.
        isolated: Hooks of different sources do not see each other's changes of files.
    """

    compat: Compat
    fail_closed: FailClosed
    executors: Mapping[str, RunnerAdapter]
    env: Mapping[str, str]
    resolve: Callable[[str, str], str | None] | None
    audit: Audit
    once: OnceHooks
    background: BackgroundHooks
    isolated: bool


class EventRun:
    """One event and the hooks of one contract that wait for it.

    Args:
        specs: The contract's hooks for events of this kind, in config order.
        withheld: Its hooks for them that nobody approved, each with the reason.
        cancel: Ends the hooks from another thread.
        own_name: The name of the tool for hooks that do not match the event's; None without another one.
    """

    def __init__(
        self,
        contract: Contract,
        services: Services,
        event: Event,
        specs: Sequence[HookSpec],
        *,
        withheld: Sequence[tuple[HookSpec, str]] = (),
        cancel: Cancellation | None = None,
        own_name: str | None = None,
    ) -> None:
        self._contract = contract
        self._services = services
        self._fold = Fold(contract.fold_for(specs, event), event, strict=services.compat == "strict")
        self._specs = specs
        self._withheld = withheld
        self._cancel = cancel
        self._repeated = RepeatedHooks(services.compat)
        self._match_budget = MatchBudget()
        self._fail_closed_ids: list[str] = []
        self._event = event
        self._own_name = None if event.tool is None or event.tool.name == own_name else own_name
        self._renamed: set[str] = set()

    @property
    def event(self) -> Event:
        """The event as these hooks leave it."""
        return self._fold.event

    def run(self) -> Decision:
        """Run the hooks that the event concerns and return their decision."""
        outcomes: list[Outcome] = []
        if self._withheld:
            budget = MatchBudget()  # matchers that nobody approved use no time of the others
            found = (self._withhold(spec, why, budget) for spec, why in self._withheld)
            outcomes += [outcome for outcome in found if outcome is not None]
        if self._fold.policy.parallel:
            return self._decision([*outcomes, *self._run_in_parallel()])
        return self._decision([*outcomes, *(self._run_next(spec) for spec in self._specs)])

    def _run_next(self, spec: HookSpec) -> Outcome:
        outcome = self._select(spec)
        if outcome.state != "selected":
            return outcome
        event = self._seen_by(spec, self._fold.event)
        outcome = self._finish(outcome, event, self._execute(spec, outcome.run or self._request(spec, event)))
        self._fold.add(spec.id, outcome.verdict)
        return outcome

    def _run_in_parallel(self) -> list[Outcome]:
        in_two = self._services.compat == "strict" and self._fold.policy.strict_managed_first
        first = [in_two and spec.layer == "managed" for spec in self._specs]
        outcomes: dict[int, Outcome] = {}
        for managed in (True, False):
            outcomes.update(self._run_at_once([at for at, each in enumerate(first) if each is managed]))
            if outcomes and managed:
                self._fold.stop_if_refused()
        return [outcomes[index] for index in range(len(self._specs))]

    def _run_at_once(self, indices: Sequence[int]) -> dict[int, Outcome]:
        """Run the hooks at these positions at the same time; return their outcomes by position."""
        event = self._event
        outcomes = {index: self._select(self._specs[index]) for index in indices}
        running = [
            (outcome.spec, outcome.run) for outcome in outcomes.values() if outcome.state == "selected"
        ]
        requests = [
            (spec, failed or self._request(spec, self._seen_by(spec, event))) for spec, failed in running
        ]
        results = iter(self._execute_all(requests))
        for index, outcome in outcomes.items():
            if outcome.state == "selected":
                seen = self._seen_by(outcome.spec, event)
                outcomes[index] = outcome = self._finish(outcome, seen, next(results))
                self._fold.add(outcome.spec.id, outcome.verdict)
        return outcomes

    def _withhold(self, spec: HookSpec, why: str, budget: MatchBudget) -> Outcome | None:
        """Return the outcome of a hook that would run if it were approved, else None; it refuses if engines fail closed."""
        event = self._fold.matched_against
        if event.is_sub_agent and not spec.include_sub_agents:
            return None
        match = self._match(spec, event, budget)
        if not match.matched and not match.undecided:
            return None
        verdict = Verdict()
        if self._services.fail_closed and event.kind in self._contract.refusable and not spec.background:
            verdict = _refusal(verdict, event, f"hook {spec.id} is not in force: {why}")
            self._fold.add(spec.id, verdict)
            self._fail_closed_ids.append(spec.id)
        outcome = Outcome(spec, "withheld", why, verdict=verdict)
        self._services.audit.invoked(outcome, self._event)
        return outcome

    # Selection.

    def _select(self, spec: HookSpec) -> Outcome:
        """Return the outcome of a hook that does not run, or its beginning: one with the state "selected".

        If the matcher could not decide, it already has the result of a run that failed.
        """
        outcome = self._matched(spec)
        self._services.audit.invoked(outcome, self._event)
        if outcome.state == "selected" and spec.background:
            event = self._seen_by(spec, self._fold.event)
            self._services.background.start(self._contract, lambda: self._run_in_background(outcome, event))
            return outcome._replace(
                state="background", why=f"skipped: runs in the background ({outcome.why})"
            )
        return outcome

    def _match(self, spec: HookSpec, event: Event, budget: MatchBudget) -> Match:
        """Return whether a hook wants the event, under the caller's name of the tool or its own agent's."""
        match = budget.check(spec.matcher, event)
        if match.matched or match.undecided or self._own_name is None or event.tool is None:
            return match
        other = budget.check(spec.matcher, event._replace(tool=event.tool._replace(name=self._own_name)))
        if other.matched:
            self._renamed.add(spec.id)
            return other._replace(why=f"{other.why}, as {self._own_name}")
        return other if other.undecided else match

    def _seen_by(self, spec: HookSpec, event: Event) -> Event:
        """Return the event as a hook sees it: with its own agent's name of the tool if it matched only that."""
        if spec.id not in self._renamed or event.tool is None or self._own_name is None:
            return event
        return event._replace(tool=event.tool._replace(name=self._own_name))

    def _matched(self, spec: HookSpec) -> Outcome:
        fold = self._fold
        event = fold.matched_against
        if event.is_sub_agent and not spec.include_sub_agents:
            return Outcome(spec, "not_matched", "not for sub-agents")
        match = self._match(spec, event, self._match_budget)
        if not match.matched and not match.undecided:
            return Outcome(spec, "not_matched", match.why)
        if fold.stopped and (spec.layer != fold.goes_on_in or not spec.layer):
            return Outcome(spec, "skipped", "skipped: an earlier hook refused")
        if match.undecided:
            return Outcome(
                spec, "selected", match.why, run=RunResult(failure=match.why, failure_is_ours=True)
            )
        if fold.policy.dedupe and self._repeated.is_repeated(
            spec, fold.policy.dedupe, renamed=spec.id in self._renamed
        ):
            return Outcome(spec, "skipped", "skipped: an earlier hook runs the same text")
        if spec.once and not self._services.once.first_time(self._event.session_id, spec.id):
            return Outcome(spec, "skipped", "skipped: runs once in a session, and did")
        return Outcome(spec, "selected", match.why)

    # Execution.

    def _request(self, spec: HookSpec, event: Event) -> Request | RunResult:
        try:
            request = self._contract.request(spec, event, self._services.compat)
        except Unfillable as error:
            return RunResult(failure=str(error))
        except DecodeError as error:
            ours = isinstance(error, BoundExceeded) or self._services.compat != "strict"
            return RunResult(failure=f"the event cannot be encoded: {error}", failure_is_ours=ours)
        inherited = _inherited(spec, self._services.env)
        if inherited or self._cancel is not None:
            request = request._replace(inherited=inherited, cancel=self._cancel)
        if self._services.compat == "strict":
            request = request._replace(strict=True)
        if self._services.isolated:
            request = request._replace(source=source_of(spec))
        return request

    def _execute(self, spec: HookSpec, request: Request | RunResult) -> RunResult:
        if isinstance(request, RunResult):
            return request
        runner = self._services.executors.get(spec.executor.type, _UNKNOWN)
        try:
            return _awaited(runner.call(request))
        except Exception as error:  # an error in the host's executor is not a decision
            return RunResult(failure=f"{error.__class__.__name__}: {error}")

    def _execute_all(self, requests: Sequence[tuple[HookSpec, Request | RunResult]]) -> list[RunResult]:
        """Run all hooks; those with a concurrent runner run in threads, at the same time."""
        executors = self._services.executors
        concurrent = [
            index
            for index, (spec, _) in enumerate(requests)
            if executors.get(spec.executor.type, _UNKNOWN).concurrent
        ]
        if len(concurrent) < 2:
            return [self._execute(spec, request) for spec, request in requests]
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(concurrent), thread_name_prefix="sandhook-hook") as pool:
            futures = {index: pool.submit(self._execute, *requests[index]) for index in concurrent}
            return [
                futures[index].result() if index in futures else self._execute(spec, request)
                for index, (spec, request) in enumerate(requests)
            ]

    def _run_in_background(self, outcome: Outcome, event: Event) -> Outcome:
        """Run a background hook and return its outcome, which decides nothing."""
        spec = outcome.spec
        ran = self._execute(spec, outcome.run or self._request(spec, event))
        verdict = self._contract.decode(spec, event, ran, self._services.compat)
        outcome = outcome._replace(state="background", run=ran, verdict=verdict)
        self._services.audit.completed(outcome)
        return outcome

    def _finish(self, outcome: Outcome, event: Event, ran: RunResult) -> Outcome:
        spec = outcome.spec
        verdict = self._unambiguous(spec, event, ran)
        why = self._must_refuse(spec, event, ran, verdict)
        if why is not None:
            verdict = _refusal(verdict, event, f"hook {spec.id} could not run: {why}")
            self._fail_closed_ids.append(spec.id)
        outcome = outcome._replace(run=ran, verdict=verdict)
        self._services.audit.completed(outcome)
        return outcome

    def _must_refuse(self, spec: HookSpec, event: Event, ran: RunResult, verdict: Verdict) -> str | None:
        """Return why the engine refuses where the contract does not, or None."""
        if event.kind not in self._contract.refusable or verdict.refuses:
            return None
        fail_closed = self._services.fail_closed or ran.closed
        if verdict.could_not_run is not None and (fail_closed or self._exceeded_bound(ran, verdict)):
            return verdict.could_not_run
        if fail_closed == "strict" and not verdict.decided:
            if verdict.undecodable is not None:
                return verdict.undecodable
            if ran.exit_status:
                return f"exit status {ran.exit_status} without a decision"
        if fail_closed == "strict":
            return self._unread_refusal(spec, event, ran, verdict)
        return None

    def _unambiguous(self, spec: HookSpec, event: Event, ran: RunResult) -> Verdict:
        """Return the verdict of a run; an output whose refusal the agent would not see could not be read.

        The refusal of a hook that was ended later stands.
        """
        verdict = self._contract.decode(spec, event, ran, self._services.compat)
        if verdict.refuses or self._services.compat == "strict" or b"{" not in ran.stdout:
            return verdict
        from sandhook.hooks.unread import late_refusal

        late = late_refusal(ran, lambda each: self._contract.decode(spec, event, each, "better"))
        if late is not None:
            return late
        for text in other_readings(ran.stdout.decode("utf-8", "replace")):
            other = self._contract.decode(spec, event, ran._replace(stdout=text.encode()), "better")
            if other.refuses:
                why = "its output has a key twice, and refuses only if the other value counts"
                return verdict._replace(could_not_run=why, exceeded_bound=True)
        if verdict.could_not_run is None and event.kind in self._contract.refusable:
            return verdict._replace(could_not_run=self._unread_refusal(spec, event, ran, verdict))
        return verdict

    def _unread_refusal(
        self, spec: HookSpec, event: Event, ran: RunResult, verdict: Verdict
    ) -> UnreadRefusal | None:
        if b"{" not in ran.stdout:
            return None
        from sandhook.hooks.unread import unread_refusal

        compat = self._services.compat
        return unread_refusal(ran, verdict, lambda each: self._contract.decode(spec, event, each, compat))

    def _exceeded_bound(self, ran: RunResult, verdict: Verdict) -> bool:
        """Return whether a hook could not run because of a bound that its agent does not have."""
        if self._services.compat == "strict" and ran.limit in self._contract.own_limits:
            return False
        return verdict.exceeded_bound or ran.exceeded_bound

    # The decision.

    def _decision(self, outcomes: list[Outcome]) -> Decision:
        decision = self._fold.decision()
        notes = [f"{each.spec.id}: {note}" for each in outcomes for note in each.verdict.diagnostics]
        files = self._confined(decision.context_files, notes) if decision.context_files else ()
        kind = self._event.kind
        decision = decision._replace(
            event=next((name for name, each in self._contract.events.items() if each == kind), ""),
            contract=self._contract.name,
            context_files=files,
            outcomes=tuple(outcomes),
            fail_closed=tuple(self._fail_closed_ids),
            diagnostics=(*decision.diagnostics, *notes),
        )
        if decision.refused or decision.force_continue:
            decision = decision._replace(message=self._contract.message(decision, self._fold.event))
        return decision

    def _confined(self, files: Sequence[ContextFile], notes: list[str]) -> tuple[ContextFile, ...]:
        """Return the files that exist in the project, once each; ``notes`` receives why others are dropped."""
        event, resolve = self._event, self._services.resolve
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


def _inherited(spec: HookSpec, env: Mapping[str, str]) -> Mapping[str, str]:
    if spec.env_policy == "inherit":
        left_out = spec.env_except
        return {name: env[name] for name in env if not name.startswith(left_out)} if left_out else env
    if spec.env_policy == "allow":
        return {name: env[name] for name in spec.env_names if name in env}
    return {}


def _refusal(verdict: Verdict, event: Event, reason: str) -> Verdict:
    if event.kind == "tool.pre":
        return verdict._replace(permission="deny", reason=reason)
    return verdict._replace(block=True, reason=reason)


def _awaited(result: RunResult | Awaitable[RunResult]) -> RunResult:
    """Return a runner's result; the result of an ``async def`` runner is awaited in a new event loop."""
    if isinstance(result, RunResult):
        return result
    from asyncio import run

    async def wait() -> RunResult:
        return await result

    return run(wait())

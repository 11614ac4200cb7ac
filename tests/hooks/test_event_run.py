"""Chains of several contracts, hooks at the same time, once, in the background, cancelled, not trusted."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from sandhook.errors import ConfigError
from sandhook.hooks import Decision, Event, HookEngine, Request, RunResult, SandboxRunner, SessionEnd, ToolPre
from sandhook.hooks.contracts import BaseContract, Document, Loaded, LoadOptions, get
from sandhook.hooks.engine import Group
from sandhook.hooks.event import Json
from sandhook.hooks.fold import FoldPolicy
from sandhook.hooks.model import Executor, HookSpec, Operation, Verdict
from sandhook.limits import Cancellation
from tests.hooks.hooktools import config, hook, said


class Plain(BaseContract):
    """A contract for tests: the first word that a hook prints is its decision."""

    name = "plain"
    events: Mapping[str, str] = {"before": "tool.pre", "end": "session.end"}
    refusable = frozenset({"tool.pre"})

    def __init__(self, **policy: Any) -> None:
        self.fold = FoldPolicy(**policy)

    def load(self, documents: Sequence[Document], options: LoadOptions) -> Loaded:
        specs = []
        for document in documents:
            for index, raw in enumerate(document.value["before"]):
                specs.append(
                    spec(f"{document.layer}{index}", **raw)._replace(
                        layer=document.layer, file=document.name, path=f"before[{index}]"
                    )
                )
        return Loaded(tuple(specs))

    def request(self, spec: HookSpec, event: Event, compat: str) -> Request:
        return Request(spec, {}, stdin=str(event.tool.input if event.tool else "").encode())

    def decode(self, spec: HookSpec, event: Event, ran: RunResult, compat: str) -> Verdict:
        if ran.could_not_run:
            return Verdict("error", could_not_run=ran.could_not_run)
        word, _, rest = ran.stdout.decode().strip().partition(" ")
        if word == "patch":
            return Verdict(word, True, input=Operation("merge", {"command": rest}))
        if word == "context":
            return Verdict(word, context=((rest, "result"),))
        if word == "halt":
            return Verdict(word, True, halt=True, reason=rest)
        return Verdict(
            word, bool(word), permission=word if word in ("allow", "ask", "deny") else "none", reason=rest
        )

    def event(self, name: str, payload: Json) -> Event:
        raise NotImplementedError

    def message(self, decision: Decision, event: Event) -> str:
        return f"plain: {decision.reason}"


def spec(id: str, text: str = "", type: str = "bash", **more: Any) -> HookSpec:
    return HookSpec(id, "tool.pre", "before", Executor(type, text), **more)


def engine(*specs: HookSpec, contract: Plain | None = None, **options: Any) -> HookEngine:
    return HookEngine([Group(contract or Plain(), specs)], **options)


# Several contracts.


def mixed(everruns: str, plain: str, **options: Any) -> HookEngine:
    loaded = get("everruns").load(
        [Document(config(hook(id="e", command=everruns)))], LoadOptions(executors=("bash",))
    )
    return HookEngine([Group(get("everruns"), loaded.specs), Group(Plain(), (spec("p", plain),))], **options)


BLOCK = """echo '{"decision":"block","reason":"no"}'"""


@pytest.mark.parametrize(
    ("everruns", "plain", "permission", "halt", "message"),
    [
        ("true", "echo allow", "allow", False, None),
        ("true", "echo ask", "ask", False, None),
        (BLOCK, "echo allow", "deny", False, "blocked by pre_tool_use hook: no"),
        ("true", "echo deny why", "deny", False, "plain: why"),
        (BLOCK, "echo deny why", "deny", False, "blocked by pre_tool_use hook: no"),
        (BLOCK, "echo halt now", "deny", True, "plain: now"),
    ],
)
def test_contracts_are_joined_halt_first(
    everruns: str, plain: str, permission: str, halt: bool, message: str | None
) -> None:
    decision = mixed(everruns, plain).fire(ToolPre("bash", {"command": "x"}))
    assert (decision.permission, decision.halt, decision.message) == (permission, halt, message)
    assert decision.contract == "everruns,plain" and len(decision.outcomes) == 2
    assert decision.refused == (permission == "deny" or halt)


def test_a_later_contract_sees_what_an_earlier_one_changed() -> None:
    patch = """echo '{"decision":"mutate","patch":{"arguments":{"command":"changed"}}}'"""
    made = mixed(patch, "cat >&2; echo patch last")
    decision = made.fire(ToolPre("bash", {"command": "x", "keep": 1}))
    assert "changed" in decision.outcomes[1].stderr
    assert decision.apply_to({"command": "x", "keep": 1}) == {"command": "last", "keep": 1}


def test_a_refusal_of_one_contract_drops_the_changes_of_all() -> None:
    patch = """echo '{"decision":"mutate","patch":{"arguments":{"command":"changed"}}}'"""
    decision = mixed(patch, "echo deny").fire(ToolPre("bash", {"command": "x"}))
    assert decision.refused and decision.input == ()


# At the same time.


def test_hooks_of_a_parallel_contract_see_the_event_as_it_was() -> None:
    made = engine(
        spec("a", "echo patch one"),
        spec("b", "cat >&2; echo patch two"),
        contract=Plain(parallel=True, chained=False, stop_on_refusal=False),
    )
    decision = made.fire(ToolPre("bash", {"command": "x"}))
    assert "'x'" in decision.outcomes[1].stderr
    assert decision.apply_to({"command": "x"}) == {"command": "two"}


def test_concurrent_executors_run_together_and_fold_in_config_order() -> None:
    barrier = threading.Barrier(3, timeout=20)

    def together(request: Request) -> RunResult:
        barrier.wait()
        return said(f"context {request.spec.id}")

    together.concurrent = True  # type: ignore[attr-defined]
    made = engine(
        *(spec(name, type="host") for name in "cab"),
        contract=Plain(parallel=True, chained=False, stop_on_refusal=False, contexts="join"),
        executors={"host": together},
    )
    assert made.fire(ToolPre("bash")).context == (("c\na\nb", "result"),)


def test_an_async_executor_is_awaited() -> None:
    async def later(request: Request) -> RunResult:
        await asyncio.sleep(0)
        return said("deny later")

    made = engine(spec("a", type="remote"), executors={"remote": later})
    assert made.fire(ToolPre("bash")).reason == "later"


# Once, and in the background.


def test_a_hook_with_once_runs_once_in_a_session() -> None:
    made = engine(spec("a", "echo deny", once=True))
    assert made.fire(ToolPre("bash", session_id="1")).refused
    again = made.fire(ToolPre("bash", session_id="1"))
    assert again.proceed and again.outcomes[0].why == "skipped: runs once in a session, and did"
    assert made.fire(ToolPre("bash", session_id="2")).refused
    made.fire(SessionEnd(session_id="1"))
    assert made.fire(ToolPre("bash", session_id="1")).refused


@pytest.mark.parametrize(("late", "context"), [("deliver", (("news", "result"),)), ("discard", ())])
def test_a_background_hook_is_heard_at_the_next_event(late: str, context: Any) -> None:
    made = engine(spec("a", "echo context news", background=True), contract=Plain(background=late))
    first = made.fire(ToolPre("bash"))
    assert first.proceed and first.outcomes[0].run is None
    assert first.outcomes[0].why == "skipped: runs in the background (no matcher: every event)"
    assert made.wait(20)
    second = made.fire(SessionEnd())
    assert [outcome.stdout for outcome in second.background] == ["context news\n"]
    assert second.context == context
    assert made.fire(SessionEnd()).background == ()


def test_a_background_hook_cannot_refuse() -> None:
    made = engine(spec("a", "echo deny", background=True), fail_closed="strict")
    assert made.fire(ToolPre("bash")).proceed and made.wait(20)
    assert made.fire(SessionEnd()).proceed


# Cancelled.


def test_a_cancelled_event_ends_its_hooks() -> None:
    cancel = Cancellation()
    threading.Timer(0.05, cancel.cancel).start()
    made = engine(spec("a", "while :; do :; done", timeout=60), spec("b", "echo deny"))
    decision = made.fire(ToolPre("bash"), cancel=cancel)
    assert decision.proceed and decision.could_not_run == ("a", "b")
    assert {outcome.could_not_run for outcome in decision.outcomes} == {"cancelled"}


def test_a_cancelled_afire_ends_its_hooks() -> None:
    ended = threading.Event()

    class Watched(SandboxRunner):
        def __call__(self, request: Request) -> RunResult:
            ran = super().__call__(request._replace(limits={"wall_seconds": 60, "steps": 10**12}))
            if ran.cancelled:
                ended.set()
            return ran

    async def main() -> None:
        made = engine(spec("a", "while :; do :; done"), runner=Watched())
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(made.afire(ToolPre("bash")), 0.1)

    asyncio.run(main())
    assert ended.wait(20)


# What does not run.


def test_a_layer_that_anybody_may_write_needs_trust() -> None:
    documents = [
        Document({"before": [{"text": "echo ask"}]}, "user.json", layer="user"),
        Document({"before": [{"text": "echo deny"}]}, "repo.json", layer="project"),
    ]
    lines: list[str] = []
    made = HookEngine.load(documents, Plain(), audit=lines.append)
    assert [each.layer for each in made.hooks] == ["user"]
    assert [each.why for each in made.withheld] == ["not trusted: repo.json is of the project layer"]
    assert "hook.warning" in lines[0] and "not trusted" in lines[0]
    assert made.fire(ToolPre("bash")).permission == "ask"
    asked: list[str] = []

    def trust(spec: HookSpec) -> bool:
        asked.append(spec.file)
        return True

    assert HookEngine.load(documents, Plain(), trust=trust).fire(ToolPre("bash")).refused
    assert asked == ["repo.json"]


def test_a_long_timeout_is_shortened_or_refused() -> None:
    document = Document(
        {"before": [{"timeout": 9}, {"timeout": 2}]}, "f.json", text='{\n"before": [{},\n{}]}'
    )
    made = HookEngine.load(document, Plain(), max_timeout=3)
    assert [each.timeout for each in made.hooks] == [3, 2]
    assert made.diagnostics == ("before[0]: timeout of 9 seconds shortened to 3",)
    made = HookEngine.load(document, Plain(), max_timeout=3, on_long_timeout="reject")
    assert [str(each) for each in made.problems] == [
        "f.json:2: before[0]: timeout: 9 seconds; at most 3 are allowed"
    ]
    with pytest.raises(ConfigError, match="at most 3"):
        HookEngine.load(document, Plain(), max_timeout=3, on_long_timeout="reject", fail_closed=True)
    with pytest.raises(ValueError, match="on_long_timeout"):
        HookEngine.load(document, Plain(), on_long_timeout="ignore")


def test_argv_runs_in_the_sandbox_word_by_word() -> None:
    words = ("printf", "%s|", "a b", "$x", "it's", "*")
    made = engine(HookSpec("a", "tool.pre", "before", Executor("argv", argv=words)))
    assert made.fire(ToolPre("bash")).outcomes[0].stdout == "a b|$x|it's|*|"
    made = engine(HookSpec("a", "tool.pre", "before", Executor("argv", argv=("/bin/sh", "-c", "exit 7"))))
    ran = made.fire(ToolPre("bash")).outcomes[0].run
    assert ran is not None and ran.exit_status == 7


def test_output_that_was_cut_is_no_decision() -> None:
    class Cutting(Plain):
        def request(self, spec: HookSpec, event: Event, compat: str) -> Request:
            return Request(spec, {}, limits={"output_bytes": 8}, overflow="drop")

    made = engine(spec("a", "echo allow 123456789"), contract=Cutting())
    assert made.fire(ToolPre("bash")).outcomes[0].could_not_run == "output was cut"
    made = engine(spec("a", "echo 123456789 >&2; echo deny"), contract=Cutting())
    ran = made.fire(ToolPre("bash")).outcomes[0].run
    assert ran is not None and ran.stderr_truncated and not ran.truncated
    assert made.fire(ToolPre("bash")).refused

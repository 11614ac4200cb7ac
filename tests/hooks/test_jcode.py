"""jcode: layers and their gate, faults, the way back, and the loop that Stop hooks belong to."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Decision, Event, HookEngine, PromptSubmit, RunResult, Stop, ToolPost, ToolPre
from sandhook.hooks.continuation import Continuation, Lap
from sandhook.hooks.contracts import get
from sandhook.hooks.contracts.jcode.matcher import _split
from sandhook.hooks.model import Operation
from sandhook.hooks.sources import discover
from sandhook.limits import Cancellation
from tests.hooks.hooktools import Scripted, said

JCODE = get("jcode")


def engine(event: str, *commands: dict[str, Any], matcher: str = "", **options: Any) -> HookEngine:
    groups = [{"matcher": matcher, "hooks": [{"type": "command", **command}]} for command in commands]
    options.setdefault("runner", Scripted(said()))
    return HookEngine.load({"hooks": {event: groups}}, "jcode", **options)


@pytest.mark.parametrize(
    ("value", "layers"), [("1", ["user"] * 3), ("0", ["user", "project", "local"]), ("true", None)]
)
def test_the_gate_of_project_files(value: str, layers: list[str] | None, tmp_path: Any) -> None:
    env = {"HOME": f"{tmp_path}/h", "JCODE_HOOKS_TRUST_PROJECT": value}
    found = JCODE.layers("/p", env, "linux")
    assert [each.name for each in found] == (layers or ["user", "project", "local"])
    assert [each.path for each in found] == [
        f"{tmp_path}/h/.jcode/hooks.json", "/p/.jcode/hooks.json", "/p/.jcode/hooks.local.json"
    ]  # fmt: skip


def test_three_layers_are_appended(tmp_path: Any) -> None:
    text = '{"hooks":{"PreToolUse":[{"hooks":[{"command":"%s"}]}]}}'
    for place, name in (("h", "hooks.json"), ("p", "hooks.json"), ("p", "hooks.local.json")):
        (tmp_path / place / ".jcode").mkdir(parents=True, exist_ok=True)
        (tmp_path / place / ".jcode" / name).write_text(text % f"{place}/{name}")
    for gate, count in (("1", 3), ("", 1)):
        env = {"HOME": f"{tmp_path}/h", "JCODE_HOOKS_TRUST_PROJECT": gate}
        found, problems = discover(JCODE, f"{tmp_path}/p", env, "linux")
        made = HookEngine.load(found, JCODE, runner=Scripted(said()))
        assert (len(made.hooks), len(made.withheld), problems) == (count, 3 - count, [])
    assert [spec.executor.text for spec in made.hooks] == ["h/hooks.json"]


def test_ten_faults_are_ten_problems_with_their_lines() -> None:
    text = """{"hooks": {"PreToolUse": [
 {"matcher": 5},
 {"hooks": {}},
 "x",
 {"hooks": [
  {"command": 5},
  {"timeout": "9"},
  {"timeout": 1.5},
  {"async": "yes"},
  {"type": 7},
  "y"
 ]}
], "Stop": {}}}"""
    made = HookEngine.load(JCODE.parse(text, "h.json", {}), "jcode", runner=Scripted(said()))
    path = "hooks.PreToolUse"
    assert [tuple(str(problem).split(": ")[:2]) for problem in made.problems] == [
        ("h.json:2", f"{path}[0].matcher"),
        ("h.json:3", f"{path}[1].hooks"),
        ("h.json:4", f"{path}[2]"),
        ("h.json:6", f"{path}[3].hooks[0].command"),
        ("h.json:7", f"{path}[3].hooks[1].timeout"),
        ("h.json:8", f"{path}[3].hooks[2].timeout"),
        ("h.json:9", f"{path}[3].hooks[3].async"),
        ("h.json:10", f"{path}[3].hooks[4].type"),
        ("h.json:11", f"{path}[3].hooks[5]"),
        ("h.json:13", "hooks.Stop"),
    ]
    assert made.hooks == ()


def test_what_is_odd_is_noted() -> None:
    value = {
        "hooks": {
            "preToolUse": [],
            "PreCompact": [],
            "Stop": [{"matcher": "write", "hooks": [{"command": "x", "async": True}, {"type": "prompt"}]}],
            "PreToolUse": [{"matcher": "a(|b", "hooks": [{"command": "", "x": 1}]}],
        }
    }
    notes = HookEngine.load(value, "jcode", runner=Scripted(said())).diagnostics
    assert notes == (
        "hooks.preToolUse: is not an event of jcode: its hooks never run; did you mean PreToolUse?",
        "hooks.PreCompact: is reserved: its hooks never run",
        "hooks.Stop[0].hooks[0].async: has no effect on Stop, which waits for its hooks",
        "hooks.Stop[0].matcher: the name is empty on this event, so the hook runs only if the matcher takes that",
        'hooks.Stop[0].hooks[1].type: unsupported hook type "prompt" ignored',
        "hooks.PreToolUse[0].hooks[0].x: unknown field, ignored",
        "hooks.PreToolUse[0].hooks[0].command: is empty: the hook does nothing",
        "hooks.PreToolUse[0].matcher: the part 'a(|b' does not compile (missing ): a(|b): it matches nothing",
    )


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a|b", ["a", "b"]),
        ("^(a|b)$|c", ["^(a|b)$", "c"]),
        ("[|]|b", ["[|]", "b"]),
        (r"a\|b|c", [r"a\|b", "c"]),
        (r"\(|b", [r"\(", "b"]),
        ("[|b", ["[", "b"]),
        ("a)|b", ["a)", "b"]),
        ("", [""]),
    ],
)
def test_matchers_are_split_outside_brackets(text: str, parts: list[str]) -> None:
    assert _split(text) == parts


@pytest.mark.parametrize(("timeout", "seconds"), [(90, 30), (5, 5), (None, 30), (0, 30)])
def test_an_async_hook_has_thirty_seconds_at_most(timeout: int | None, seconds: float) -> None:
    made = engine("PostToolUse", {"command": "x", "timeout": timeout, "async": True})
    assert made.hooks[0].timeout == seconds and made.hooks[0].background


def test_the_result_of_an_async_hook_is_discarded() -> None:
    answer = said('{"hookSpecificOutput":{"modifiedResult":"x","additionalContext":"c"}}')
    made = engine("PostToolUse", {"command": "x", "async": True}, runner=Scripted(answer))
    first = made.fire(ToolPost("read", {}, result="r"))
    assert first.result == () and made.wait(20)
    later = made.fire(Stop())
    assert len(later.background) == 1 and later.context == ()


def test_a_cancelled_hook_is_no_decision() -> None:
    cancel = Cancellation()
    cancel.cancel()
    made = engine("PreToolUse", {"command": "exit 2"}, runner=None)
    decision = made.fire(ToolPre("execute"), cancel=cancel)
    assert decision.proceed and decision.outcomes[0].could_not_run == "cancelled"


SPECIFIC = [
    (ToolPre("execute", {"command": "x"}), Decision("tool.pre", permission="deny", reason="why")),
    (ToolPre("execute", {"command": "x"}), Decision("tool.pre", permission="ask")),
    (ToolPre("execute", {"command": "x"}), Decision("tool.pre", permission="allow", system_message="note")),
    (ToolPre("execute", {"command": "x"}), Decision("tool.pre", input=(Operation("merge", {"k": 1}),))),
    (ToolPost("read", {}, result="r"), Decision("tool.post", result=(Operation("replace", "new"),))),
    (PromptSubmit("p"), Decision("prompt.submit", block=True, reason="why")),
    (PromptSubmit("p"), Decision("prompt.submit", context=(("c", "prompt"),))),
    (Stop(), Decision("stop", force_continue=True, reason="why")),
    (Stop(), Decision("stop")),
]


@pytest.mark.parametrize(("event", "decision"), SPECIFIC)
def test_an_answer_says_the_decision_again(event: Event, decision: Decision) -> None:
    answer = JCODE.answer(decision, event)
    native = next(name for name, kind in JCODE.events.items() if kind == event.kind)
    spec = engine(native, {"command": "x"}).hooks[0]
    verdict = JCODE.decode(spec, event, RunResult(answer.exit_status, answer.stdout, answer.stderr), "better")
    names = ("permission", "block", "force_continue", "reason", "system_message", "context")
    assert [getattr(verdict, name) for name in names] == [getattr(decision, name) for name in names]
    if event.tool is not None and verdict.input is not None:
        assert verdict.input.apply(event.tool.input) == decision.apply_to(event.tool.input)
    assert bool(verdict.result) == bool(decision.result) and bool(verdict.input) == bool(decision.input)


def test_hooks_of_another_contract_as_a_hooks_json() -> None:
    crush = {
        "hooks": {
            "PreToolUse": [{"command": "a", "matcher": "^(read|grep)$", "timeout": 5}, {"command": "b"}]
        }
    }
    value, lost = JCODE.render(HookEngine.load(crush, runner=Scripted(said())).hooks)
    assert value == {
        "hooks": {
            "PreToolUse": [
                {"matcher": "^(read|grep)$", "hooks": [{"type": "command", "command": "a", "timeout": 5}]},
                {"hooks": [{"type": "command", "command": "b", "timeout": 30}]},
            ]
        }
    }
    assert lost == ()


# Whether the agent goes on.

GO = Decision("stop", force_continue=True, reason="again")
DONE = Decision("stop")


def test_todos_come_before_the_goal_and_the_goal_before_hooks() -> None:
    fired: list[bool] = []
    turn = Continuation(lambda active: fired.append(active) or DONE)  # type: ignore[func-returns-value]
    assert turn.next(todos="t", goal="g") == Lap("todo", "t")
    assert turn.next(goal="g") == Lap("goal", "g")
    assert fired == []
    assert turn.next() is None and turn.ended == "done" and fired == [False]


def test_todos_fall_through_when_their_laps_are_used() -> None:
    turn = Continuation(lambda active: GO)
    assert [lap.source for _ in range(5) if (lap := turn.next(todos="t"))] == ["todo"] * 3 + ["hook"] * 2


def test_stop_hooks_are_told_that_they_already_made_the_agent_go_on() -> None:
    fired: list[bool] = []

    def fire(active: bool) -> Decision:
        fired.append(active)
        return GO if len(fired) < 3 else DONE

    turn = Continuation(fire)
    assert turn.next() == Lap("hook", "again") and turn.stop_active
    assert turn.next(goal="g") == Lap("goal", "g") and turn.stop_active
    assert turn.next() == Lap("hook", "again")
    assert turn.next() is None and fired == [False, True, True]


def test_a_hook_that_always_blocks_is_bounded() -> None:
    turn = Continuation(lambda active: GO)
    laps = 0
    while turn.next() is not None:
        laps += 1
    assert (laps, turn.used, turn.ended) == (28, 28, "exhausted")


def test_cancellation_comes_first() -> None:
    cancel = Cancellation()
    turn = Continuation(lambda active: pytest.fail("no hook may be fired"), cancel=cancel)
    cancel.cancel()
    assert turn.next(todos="t", goal="g") is None and turn.ended == "cancelled"


def test_cancellation_while_hooks_run_stops_the_agent() -> None:
    cancel = Cancellation()

    def fire(active: bool) -> Decision:
        cancel.cancel()
        return GO

    turn = Continuation(fire, cancel=cancel)
    assert turn.next() is None and turn.ended == "cancelled"


def test_a_halt_ends_the_turn_though_a_hook_wants_more() -> None:
    turn = Continuation(lambda active: GO._replace(halt=True))
    assert turn.next() is None and turn.ended == "done" and turn.decision is not None


def test_the_loop_with_real_hooks() -> None:
    command = 'test "$(jq -r .stop_hook_active)" = true && exit 0; echo again >&2; exit 2'
    made = engine("Stop", {"command": command}, runner=None)
    turn = Continuation(lambda active: made.fire(Stop(stop_active=active)))
    assert turn.next() == Lap("hook", "again")
    assert turn.next() is None and turn.ended == "done"

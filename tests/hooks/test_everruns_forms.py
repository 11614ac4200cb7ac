"""Everruns the other way: decisions as a hook says them, hooks of other agents as a configuration, the schema."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import HookEngine
from sandhook.hooks.contracts import get
from sandhook.hooks.event import Event, ToolCall, ToolResult
from sandhook.hooks.events import PromptSubmit, ToolPre
from sandhook.hooks.model import Decision, Operation, RunResult
from sandhook.hooks.sources import discover
from tests.hooks.hooktools import config, engine, hook

CONTRACT = get("everruns")
CALL = ToolPre("bash", {"command": "ls", "force": True})
DONE = Event("tool.post", tool=ToolCall("bash", {}), result=ToolResult({"out": 1}))


@pytest.mark.parametrize(
    ("event", "decision", "said"),
    [
        (CALL, Decision("tool.pre"), None),
        (CALL, Decision("tool.pre", permission="allow"), {"decision": "allow"}),
        (
            CALL,
            Decision("tool.pre", permission="deny", reason="no", user_message="sorry"),
            {"decision": "block", "reason": "no", "user_message": "sorry"},
        ),
        (CALL, Decision("tool.pre", halt=True), {"decision": "block", "reason": "refused"}),
        (  # nobody can be asked: silence would let it pass
            CALL,
            Decision("tool.pre", permission="ask", reason="sure?"),
            {"decision": "block", "reason": "a hook wants the user to be asked: sure?"},
        ),
        (
            CALL,
            Decision("tool.pre", input=(Operation("merge", {"command": "ls -l"}),)),
            {"decision": "mutate", "patch": {"arguments": {"command": "ls -l"}}},
        ),
        (  # 1 is not true
            CALL,
            Decision("tool.pre", input=(Operation("merge", {"force": 1}),)),
            {"decision": "mutate", "patch": {"arguments": {"force": 1}}},
        ),
        (
            CALL,
            Decision("tool.pre", input=(Operation("replace", {"command": "ls"}),)),
            {
                "decision": "block",
                "reason": "a hook removes arguments, which this agent cannot express",
            },
        ),
        (
            PromptSubmit("hi"),
            Decision("prompt.submit", prompt=(Operation("replace", "hi!"),)),
            {"decision": "mutate", "patch": {"message": "hi!"}},
        ),
        (
            PromptSubmit("hi"),
            Decision("prompt.submit", block=True, reason="no"),
            {"decision": "block", "reason": "no"},
        ),
        (
            DONE,
            Decision("tool.post", result=(Operation("replace", [1]),), context=(("look", "result"),)),
            {"decision": "mutate", "patch": {"result": [1], "additional_context": "look"}},
        ),
        (
            DONE,
            Decision("tool.post", error=(Operation("replace", "bad"),)),
            {"decision": "mutate", "patch": {"error": "bad"}},
        ),
        (DONE, Decision("tool.post", block=True, reason="late"), None),
    ],
)
def test_answers(event: Event, decision: Decision, said: Any) -> None:
    answer = CONTRACT.answer(decision, event)
    assert (answer.exit_status, answer.stderr) == (0, b"")
    assert (json.loads(answer.stdout) if answer.stdout else None) == said


@pytest.mark.parametrize(
    "stdout",
    [
        '{"decision":"block","reason":"r","user_message":"u"}',
        '{"decision":"allow"}',
        '{"decision":"mutate","patch":{"arguments":{"command":"x"}}}',
    ],
)
def test_an_answer_is_read_as_the_decision_that_it_says(stdout: str) -> None:
    made, _ = engine(hook(), answers=(RunResult(0, stdout.encode()),))
    decision = made.fire(CALL)
    again, _ = engine(hook(), answers=(RunResult(0, CONTRACT.answer(decision, CALL).stdout),))
    other = again.fire(CALL)
    assert (other.refused, other.reason, other.input) == (decision.refused, decision.reason, decision.input)


def test_renders_what_it_reads() -> None:
    raw = config(
        hook(
            id="a",
            matcher={"tool_name": "bash", "args_jsonpath": "$.command", "match_regex": "rm"},
            description="d",
            timeout_ms=700,
            on_error="block",
        ),
        hook("turn_end", id="b", command="echo", matcher={}),
        hook("post_tool_use", id="c", matcher={"tool_name_glob": "mcp_*|edit"}),
    )
    specs = HookEngine.load(raw, "everruns").hooks
    value, lost = CONTRACT.render(specs)
    assert lost == ()
    again = HookEngine.load(value, "everruns")
    assert again.problems == ()
    same = ("id", "event", "executor", "matcher", "timeout", "on_error", "description")
    for one, other in zip(specs, again.hooks, strict=True):
        for name in same:
            assert str(getattr(one, name)) == str(getattr(other, name)), name


def test_says_what_of_another_agents_hooks_is_lost() -> None:
    crush = {
        "hooks": {
            "PreToolUse": [
                {"command": "a", "matcher": "^(bash|edit)$", "timeout": 5},
                {"command": "b", "matcher": "ba", "timeout": 90},
            ]
        }
    }
    value, lost = CONTRACT.render(HookEngine.load(crush, "crush").hooks)
    first, second = value["hooks"]
    assert first["matcher"] == {"tool_name_glob": "bash|edit"} and first["timeout_ms"] == 5000
    assert "matcher" not in second and second["timeout_ms"] == 30_000
    assert "PreToolUse[1]: its matcher cannot be said here: the hook runs for every call" in lost
    assert "PreToolUse[1]: its timeout of 90 s becomes 30 s" in lost
    assert not HookEngine.load(value, "everruns").problems


def test_the_schema_takes_what_the_loader_takes() -> None:
    schema = CONTRACT.schema()
    fields = schema["$defs"]["hook"]["properties"]
    value, _ = CONTRACT.render(HookEngine.load(config(hook(id="a", description="x")), "everruns").hooks)
    assert set(value["hooks"][0]) <= set(fields)
    assert fields["event"]["enum"] == list(CONTRACT.events)
    json.dumps(schema)


def test_the_workspaces_hooks_need_trust_and_muted_ones_are_named(tmp_path: Any) -> None:
    (tmp_path / ".agents").mkdir()
    raw = config(hook(id="a"), hook(id="b"), disabled_contributions=["user:b"])
    (tmp_path / ".agents" / "hooks.json").write_text(json.dumps(raw))
    found, problems = discover(CONTRACT, str(tmp_path), {"HOME": str(tmp_path / "home")}, "linux")
    assert not problems and [document.layer for document in found] == ["project"]
    made = HookEngine.load(found, CONTRACT)
    assert made.hooks == ()
    assert [(each.spec.id, each.why.partition(" ")[0]) for each in made.withheld] == [
        ("user:b", "muted"),
        ("user:a", "not"),
    ]

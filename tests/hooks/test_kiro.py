"""Kiro: its two forms, faults with their lines, patterns, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, RunResult, SessionStart, ToolPre
from sandhook.hooks.contracts import ContractError, Document, get, recognise
from sandhook.hooks.decode import decode
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said

KIRO = get("kiro")


def config(event: str = "preToolUse", **more: Any) -> dict[str, Any]:
    return {"hooks": {event: [{"command": "x", **more}]}}


def filed(trigger: str = "preToolUse", **more: Any) -> dict[str, Any]:
    hook = {"name": "n", "trigger": trigger, "action": {"type": "command", "command": "x"}, **more}
    return {"version": "v1", "hooks": [hook]}


CALL = ToolPre("execute_bash", {"command": "ls"}, session_id="s")


def test_layers() -> None:
    assert paths("kiro", "/w", {"HOME": "/h"}) == [
        "user /h/.kiro/agents/default.json",
        "project /w/.kiro/agents/default.json",
        "project /w/.kiro/hooks/*.json",
    ]


def test_ten_faults_are_ten_problems_with_their_lines() -> None:
    text = """{"version": "v2", "hooks": [
   5,
   {"action": {"type": "command", "command": "x"}},
   {"trigger": "stop"},
   {"trigger": 5, "action": {"type": "command", "command": "x"}},
   {"trigger": "stop", "action": {"command": "x"}},
   {"trigger": "stop", "action": {"type": "shell", "command": "x"}},
   {"trigger": "stop", "action": {"type": "command"}},
   {"trigger": "stop", "timeout": "soon", "action": {"type": "command", "command": "x"}},
   {"trigger": "stop", "enabled": "yes", "action": {"type": "command", "command": "x"}},
   {"trigger": "preToolUse", "matcher": 5, "action": {"type": "command", "command": "x"}}
]}"""
    assert faults("kiro", text, "h.json") == [
        ("h.json:1", "version"),
        ("h.json:2", "hooks[0]"),
        ("h.json:3", "hooks[1]"),
        ("h.json:4", "hooks[2]"),
        ("h.json:5", "hooks[3].trigger"),
        ("h.json:6", "hooks[4].action.type"),
        ("h.json:7", "hooks[5].action.type"),
        ("h.json:8", "hooks[6].action"),
        ("h.json:9", "hooks[7].timeout"),
        ("h.json:10", "hooks[8].enabled"),
        ("h.json:11", "hooks[9].matcher"),
    ]


def test_faults_of_an_agents_hooks() -> None:
    text = '{"hooks": {"preToolUse": [\n5,\n{"matcher": "a"},\n{"command": "x", "timeout_ms": -1}]}}'
    assert faults("kiro", text, "a.json") == [
        ("a.json:2", "hooks.preToolUse[0]"),
        ("a.json:3", "hooks.preToolUse[1]"),
        ("a.json:4", "hooks.preToolUse[2].timeout_ms"),
    ]


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [("", "a", True), ("*", "a", True), ("fs_*", "fs_write", True), ("fs_*", "a", False), ("a", "ab", False)],
)
def test_patterns(pattern: str, tool: str, wanted: bool) -> None:
    for value in (config(matcher=pattern), filed(matcher=pattern)):
        assert fired("kiro", value, ToolPre(tool), said("", 2, "no")).refused == wanted


def test_timeouts_and_switches() -> None:
    def loaded(value: dict[str, Any]) -> HookEngine:
        return HookEngine.load(value, "kiro", runner=Scripted(said()))

    assert [loaded(value).hooks[0].timeout for value in (config(), config(timeout_ms=500), filed())] == [
        30, 0.5, 60
    ]  # fmt: skip
    assert loaded(filed(enabled=False)).hooks == ()
    (agent,) = loaded({"version": "v1", "hooks": [{"trigger": "stop", "action": {"type": "agent"}}]}).hooks
    assert agent.executor.type == "agent"  # sandhook cannot run it
    assert "is not known" in loaded(filed("manual")).diagnostics[0]


def test_the_payload_and_the_prompt() -> None:
    runner = Scripted(said())
    HookEngine.load(config(), "kiro", runner=runner).fire(CALL.with_(cwd="/w"))
    assert decode(runner.requests[0].stdin.decode()).value == {
        "hook_event_name": "preToolUse", "cwd": "/w", "session_id": "s", "tool_name": "execute_bash",
        "tool_input": {"command": "ls"},
    }  # fmt: skip
    runner = Scripted(said())
    HookEngine.load(filed("PromptSubmit"), "kiro", runner=runner).fire(PromptSubmit("hi"))
    assert runner.requests[0].env["USER_PROMPT"] == "hi"


def test_a_file_that_was_saved() -> None:
    made = HookEngine.load(filed("PostFileSave", matcher="*.py"), "kiro", runner=Scripted(said("formatted")))
    assert made.fire(KIRO.event("postFileSave", {"file_path": "a.py"})).context == (("formatted", "result"),)
    assert made.fire(KIRO.event("postFileSave", {"file_path": "a.md"})).context == ()
    with pytest.raises(ContractError, match="unknown event 'nosuch'"):
        KIRO.event("nosuch", {})


@pytest.mark.parametrize("ran", [said("", 1), RunResult(124, limit="wall_seconds"), RunResult(failure="no")])
def test_failures_pass_unless_the_caller_closes(ran: RunResult) -> None:
    assert not fired("kiro", config(), CALL, ran).refused
    assert fired("kiro", config(), CALL, ran, fail_closed="strict").refused


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("preToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("preToolUse", CALL, {}),
        ("agentSpawn", SessionStart(), {"context": (("c", "session"),)}),
        ("userPromptSubmit", PromptSubmit("hi"), {"context": (("c", "prompt"),)}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("kiro", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = config(matcher="fs_*", timeout_ms=500)
    specs = HookEngine.load(value, "kiro", runner=Scripted(said())).hooks
    assert KIRO.render(specs) == (value, ())
    crush = {"hooks": {"PreToolUse": [{"command": "x", "matcher": "ba"}]}}
    rendered, lost = KIRO.render(HookEngine.load(crush, "crush", runner=Scripted(said())).hooks)
    assert rendered == {"hooks": {"preToolUse": [{"command": "x"}]}}
    assert lost == ("PreToolUse[0]: its matcher is not a pattern of names: the hook runs for every tool",)


def test_whose_file_it_is() -> None:
    assert recognise([Document(config())]).name == "kiro"
    assert recognise([Document(filed())]).name == "kiro"
    assert recognise([Document(config("PreToolUse"))]).name == "crush"

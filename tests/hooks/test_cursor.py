"""Cursor: its files, faults with their lines, one call's two events, follow-ups, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, RunResult, SessionStart, Stop, ToolPost, ToolPre
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode
from sandhook.hooks.model import Operation
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said

CURSOR = get("cursor")


def config(event: str = "preToolUse", **more: Any) -> dict[str, Any]:
    return {"version": 1, "hooks": {event: [{"command": "x", **more}]}}


CALL = ToolPre("Shell", {"command": "ls"}, session_id="s")


def test_layers() -> None:
    assert paths("cursor", "/w", {"HOME": "/h"}) == [
        "managed /etc/cursor/hooks.json",
        "user /h/.cursor/hooks.json",
        "project /w/.cursor/hooks.json",
    ]


def test_ten_faults_are_ten_problems_with_their_lines() -> None:
    text = """{"version": 2,
 "hooks": {
  "nosuch": [],
  "preToolUse": [
   5,
   {"matcher": "a"},
   {"command": 5},
   {"command": "x", "matcher": "("},
   {"command": "x", "timeout": "soon"},
   {"command": "x", "failClosed": "yes"},
   {"command": "x", "type": "shell"},
   {"command": "x", "loop_limit": "many"}
  ]}
}"""
    hook = "hooks.preToolUse"
    assert faults("cursor", text, "h.json") == [
        ("h.json:1", "version"),
        ("h.json:3", "hooks.nosuch"),
        ("h.json:5", f"{hook}[0]"),
        ("h.json:6", f"{hook}[1]"),
        ("h.json:7", f"{hook}[2].command"),
        ("h.json:8", f"{hook}[3].matcher"),
        ("h.json:9", f"{hook}[4].timeout"),
        ("h.json:10", f"{hook}[5].failClosed"),
        ("h.json:11", f"{hook}[6].type"),
        ("h.json:12", f"{hook}[7].loop_limit"),
    ]


def test_an_unknown_event_drops_the_file_in_strict_mode_alone() -> None:
    value = config()
    value["hooks"]["nosuch"] = []
    for compat, count in (("better", 1), ("strict", 0)):
        made = HookEngine.load(value, "cursor", runner=Scripted(said()), compat=compat)
        assert len(made.hooks) == count and len(made.problems) == 1


def test_a_neutral_call_runs_the_hooks_of_all_its_events() -> None:
    value = {"version": 1, "hooks": {
        name: [{"command": name}]
        for name in ("preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile")
    }}  # fmt: skip
    made = HookEngine.load(value, "cursor", runner=Scripted(said()))

    def ran(event: Event) -> list[str]:
        return [each.spec.native_event for each in made.fire(event).outcomes if each.run]

    assert ran(CALL) == ["preToolUse", "beforeShellExecution"]
    assert ran(ToolPre("Read", {"file_path": "a"})) == ["preToolUse", "beforeReadFile"]
    assert ran(ToolPre("MCP:x", {})) == ["preToolUse", "beforeMCPExecution"]
    assert ran(CURSOR.event("beforeShellExecution", {"command": "ls"})) == ["beforeShellExecution"]
    assert ran(CURSOR.event("preToolUse", {"tool_name": "Shell"})) == ["preToolUse"]


@pytest.mark.parametrize(
    ("event", "pattern", "payload", "wanted"),
    [
        ("preToolUse", "Shell|Write", {"tool_name": "Shell"}, True),
        ("preToolUse", "^Read$", {"tool_name": "Shell"}, False),
        ("beforeShellExecution", "curl|wget", {"command": "curl x"}, True),
        ("beforeShellExecution", "curl", {"command": "ls"}, False),
        ("beforeReadFile", r"\.env$", {"file_path": "/w/.env"}, True),
        ("subagentStart", "^explore$", {"subagent_type": "explore"}, True),
        ("preCompact", "manual", {"trigger": "auto"}, False),
        ("beforeSubmitPrompt", "never", {"prompt": "hi"}, True),
    ],
)
def test_matchers(event: str, pattern: str, payload: dict[str, Any], wanted: bool) -> None:
    made = HookEngine.load(config(event, matcher=pattern), "cursor", runner=Scripted(said()))
    assert made.fire(CURSOR.event(event, payload)).outcomes[0].matched == wanted


def test_payloads() -> None:
    runner = Scripted(said())
    made = HookEngine.load(config("beforeShellExecution"), "cursor", runner=runner)
    made.fire(CALL.with_(cwd="/w/sub", project_dir="/w"))
    request = runner.requests[0]
    assert decode(request.stdin.decode()).value == {
        "conversation_id": "s", "generation_id": "", "model": "", "hook_event_name": "beforeShellExecution",
        "cursor_version": "", "workspace_roots": ["/w"], "transcript_path": None,
        "command": "ls", "cwd": "/w/sub",
    }  # fmt: skip
    assert request.cwd == "/w" and request.env["CURSOR_PROJECT_DIR"] == "/w"
    runner = Scripted(said())
    made = HookEngine.load(config("afterShellExecution"), "cursor", runner=runner)
    made.fire(ToolPost("Shell", {"command": "ls"}, result="a"))
    assert decode(runner.requests[0].stdin.decode()).value["output"] == "a"


def test_a_payload_comes_back_as_it_was() -> None:
    payload = {"command": "ls", "cwd": "/w", "workspace_roots": ["/w"], "conversation_id": "c"}
    event = CURSOR.event("beforeShellExecution", payload)
    assert event.tool is not None and (event.tool.name, event.tool.input) == ("Shell", {"command": "ls"})
    assert (event.session_id, event.cwd, event.project_dir) == ("c", "/w", "/w")


@pytest.mark.parametrize(
    "ran", [said("text"), said("", 1), RunResult(124, limit="wall_seconds"), RunResult(failure="no")]
)
def test_failures_pass_unless_the_hook_is_closed(ran: RunResult) -> None:
    assert not fired("cursor", config(), CALL, ran).refused
    assert fired("cursor", config(failClosed=True), CALL, ran).permission == "deny"


def test_an_object_that_is_broken_refuses() -> None:
    assert fired("cursor", config(), CALL, said('{"permission":')).refused
    assert not fired("cursor", config("beforeSubmitPrompt"), PromptSubmit("a"), said('{"x":')).refused


@pytest.mark.parametrize(
    ("stdout", "better", "strict"),
    [
        ('{"hookSpecificOutput":{"permissionDecision":"deny"}}', "deny", "none"),
        ('{"decision":"block","reason":"r"}', "deny", "none"),
        ('{"permission":"deny","agentMessage":"r"}', "deny", "deny"),
    ],
)
def test_the_words_of_claude_code_refuse_in_better_mode(stdout: str, better: str, strict: str) -> None:
    assert fired("cursor", config(), CALL, said(stdout)).permission == better
    assert fired("cursor", config(), CALL, said(stdout), compat="strict").permission == strict


@pytest.mark.parametrize(
    ("limit", "count", "goes_on"),
    [({}, 4, True), ({}, 5, False), ({"loop_limit": 1}, 1, False), ({"loop_limit": None}, 99, True)],
)
def test_follow_ups_have_a_limit(limit: dict[str, Any], count: int, goes_on: bool) -> None:
    event = Stop(extras={"loop_count": count})
    decision = fired("cursor", config("stop", **limit), event, said('{"followup_message":"test"}'))
    assert decision.force_continue == goes_on and not decision.refused


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("preToolUse", CALL, {"permission": "deny", "reason": "no", "user_message": "u"}),
        ("preToolUse", CALL, {"permission": "ask"}),
        ("preToolUse", CALL, {"permission": "allow", "input": (Operation("replace", {"command": "pwd"}),)}),
        ("beforeShellExecution", CALL, {"permission": "deny", "reason": "no"}),
        ("beforeSubmitPrompt", PromptSubmit("hi"), {"block": True, "reason": "no"}),
        ("stop", Stop(), {"force_continue": True, "reason": "more"}),
        ("sessionStart", SessionStart(), {"context": (("c", "session"),)}),
        ("subagentStart", Event("subagent.start"), {"block": True, "reason": "no"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("cursor", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = config(matcher="^Shell$", failClosed=True, timeout=7)
    specs = HookEngine.load(value, "cursor", runner=Scripted(said())).hooks
    rendered, lost = get("cursor").render(specs)
    assert rendered == {"version": 1, "hooks": {"preToolUse": [
        {"command": "x", "timeout": 7.0, "failClosed": True, "matcher": "^Shell$"}
    ]}}  # fmt: skip
    assert lost == ()


def test_whose_file_it_is() -> None:
    assert recognise([Document(config())]).name == "cursor"
    assert recognise([Document(config(type="command"), "/w/.cursor/hooks.json")]).name == "cursor"


def test_a_hook_of_a_plugin_knows_where_the_plugin_is() -> None:
    for layer, wanted in (("bundle", "/p/one"), ("user", None)):
        runner = Scripted(said())
        document = Document(config(), "/p/one/hooks/hooks.json", layer=layer)
        made = HookEngine.load(document, "cursor", runner=runner, trust=lambda spec: True)
        made.fire(CALL)
        assert runner.requests[0].env.get("CURSOR_PLUGIN_ROOT") == wanted

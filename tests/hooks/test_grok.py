"""Grok Build: its files, faults that drop one, commands that do not run, both modes, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, RunResult, Stop, ToolPost, ToolPre
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said


def config(event: str = "PreToolUse", matcher: str | None = None, **more: Any) -> dict[str, Any]:
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": "x", **more}]}
    if matcher is not None:
        group["matcher"] = matcher
    return {"hooks": {event: [group]}}


CALL = ToolPre("run_terminal_command", {"command": "ls"}, session_id="s", call_id="c")


def test_layers() -> None:
    assert paths("grok", "/w", {"HOME": "/h"}) == [
        "user /h/.grok/hooks/*.json",
        "user /h/.claude/settings.json",
        "project /w/.grok/hooks/*.json",
        "project /w/.claude/settings.json",
    ]


def test_faults_are_problems_with_their_lines_and_drop_the_file_in_strict_mode() -> None:
    text = """{"hooks": {
 "PreToolUse": [
  5,
  {"hooks": [
   {"command": "x"},
   {"type": "prompt", "command": "x"},
   {"type": "command"},
   {"type": "command", "command": "x", "timeout": "soon"},
   {"type": "command", "command": "x", "env": {"A": 5}},
   {"type": "command", "command": "x"}
  ]}
 ],
 "preToolUse": []
}}"""
    group = "hooks.PreToolUse[1].hooks"
    assert sorted(faults("grok", text, "h.json"), key=lambda each: int(each[0][7:])) == [
        ("h.json:3", "hooks.PreToolUse[0]"),
        ("h.json:5", f"{group}[0].type"),
        ("h.json:6", f"{group}[1].type"),
        ("h.json:7", f"{group}[2].command"),
        ("h.json:8", f"{group}[3].timeout"),
        ("h.json:9", f"{group}[4].env.A"),
    ]
    document = get("grok").parse(text, "h.json", {})
    other = Document(config(command="y"), "o.json")
    better = HookEngine.load([document, other], "grok", runner=Scripted(said()))
    assert len(better.hooks) == 2
    assert any("did you mean PreToolUse" in note for note in better.diagnostics)
    strict = HookEngine.load([document, other], "grok", runner=Scripted(said()), compat="strict")
    assert [spec.file for spec in strict.hooks] == ["o.json"]
    assert "Grok Build does not load the file" in str(strict.problems[-1])


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("guard.sh", "/w/.grok/hooks/guard.sh"),
        ("bin/../guard.sh", "/w/.grok/hooks/guard.sh"),
        ("/opt/guard.sh", "/opt/guard.sh"),
        ("~/guard.sh", "~/guard.sh"),
        ("./guard.sh now", "./guard.sh now"),
        ("true;", "true;"),
        ("it's", "'/w/.grok/hooks/it'\\''s'"),
    ],
)
def test_one_word_is_a_path_next_to_the_file(command: str, text: str) -> None:
    document = Document(config(command=command), "/w/.grok/hooks/guard.json")
    made = HookEngine.load(document, "grok", runner=Scripted(said()))
    assert made.hooks[0].executor.text == text


@pytest.mark.parametrize(
    ("command", "env", "runs"),
    [
        ('"$CLAUDE_PROJECT_DIR/x.sh"', {}, True),
        ("${GROK_SESSION_ID} x", {}, True),
        ("$HOME/x.sh y", {"HOME": "/h"}, True),
        ("$A x", {}, True),
        ("c=$(cat); case $c in *rm*) exit 2;; esac", {}, False),
        ("$HOME/x.sh y", {}, False),
    ],
)
def test_a_command_with_an_unset_variable(command: str, env: dict[str, str], runs: bool) -> None:
    value = config(command=command, env={"A": "1", "GROK_HOOK_NAME": "mine"})
    strict = HookEngine.load(value, "grok", runner=Scripted(said()), env=env, compat="strict")
    assert len(strict.hooks) == runs and len(strict.withheld) == (not runs)
    better = HookEngine.load(value, "grok", runner=Scripted(said()), env=env)
    assert len(better.hooks) == 1
    assert any("does not run" in note for note in better.diagnostics) == (not runs)
    assert better.hooks[0].executor.env == (("A", "1"),)


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "a", True), ("*", "a", True), ("Bash", "run_terminal_command", True), ("Write|Edit", "search_replace", True),
        ("terminal", "run_terminal_command", True), ("^Read$", "read_file", True), ("Bash", "read_file", False),
    ],
)  # fmt: skip
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    assert fired("grok", config(matcher=pattern), ToolPre(tool), said("", 2)).refused == wanted


def test_a_matcher_with_lookaround_never_matches_upstream() -> None:
    value = config(matcher="^(?!Edit)")
    assert fired("grok", value, CALL, said("", 2)).refused
    assert not fired("grok", value, CALL, said("", 2), compat="strict").refused


@pytest.mark.parametrize(
    ("ran", "better", "strict"),
    [
        (said("", 2, "no"), True, True),
        (said('{"decision":"allow"}', 2), True, True),
        (said('{"decision":"deny"}', 1), True, True),
        (said('{"decision":"deny"}'), True, True),
        (said("text"), False, False),
        (said('{"decision":"deny"'), False, False),
        (said('{"decision":"ask"}'), False, False),
        (said("", 1), False, False),
        (said('{"decision":"block"}'), True, False),
        (said('{"hookSpecificOutput":{"permissionDecision":"deny"}}'), True, False),
        (said('{"continue":false}'), True, False),
        (RunResult(None, b'{"decision":"deny"}', signal="TERM"), True, False),
        (RunResult(124, limit="wall_seconds"), False, False),
    ],
)
def test_outputs_in_both_modes(ran: Any, better: bool, strict: bool) -> None:
    assert fired("grok", config(), CALL, ran).refused == better
    assert fired("grok", config(), CALL, ran, compat="strict").refused == strict


def test_the_reason_of_an_exit_status() -> None:
    assert fired("grok", config(), CALL, said("", 2, "no rm")).reason == "no rm"
    assert fired("grok", config(), CALL, said("", 2, "no rm"), compat="strict").reason == "Blocked by a hook"


def test_stops() -> None:
    for ran, better, strict in (
        (said("", 2, "go on"), True, True),
        (said('{"decision":"block","reason":"r"}'), True, True),
        (said('{"continue":false}', 1), True, True),
        (said("{}", 2, "go on"), True, False),
        (said('{"decision":"deny"}'), True, False),
    ):
        assert fired("grok", config("Stop"), Stop(), ran).force_continue == better
        assert fired("grok", config("Stop"), Stop(), ran, compat="strict").force_continue == strict


def test_other_events_refuse_nothing() -> None:
    decision = fired("grok", config("UserPromptSubmit"), PromptSubmit("p"), said("context", 2, "no"))
    assert not decision.refused and decision.context == ()
    assert fired("grok", config("PostToolUse"), ToolPost("t", {}, result="r"), said("", 2)).result == ()


def test_equal_hooks_run_once() -> None:
    hook = {"type": "command", "command": "x"}
    groups = [{"hooks": [hook]}, {"hooks": [hook]}, {"matcher": "Bash", "hooks": [hook]}]
    runner = Scripted(said())
    HookEngine.load({"hooks": {"PreToolUse": groups}}, "grok", runner=runner).fire(CALL)
    assert len(runner.requests) == 2


def test_the_payload_and_the_variables() -> None:
    runner = Scripted(said())
    document = Document(config(), "/w/.grok/hooks/guard.json")
    HookEngine.load(document, "grok", runner=runner).fire(CALL.with_(cwd="/w/sub", project_dir="/w"))
    request = runner.requests[0]
    payload = decode(request.stdin.decode()).value
    assert payload == {
        "hookEventName": "pre_tool_use", "sessionId": "s", "cwd": "/w/sub", "workspaceRoot": "/w",
        "timestamp": "", "permissionMode": "default", "toolName": "run_terminal_command",
        "toolInput": {"command": "ls"}, "toolUseId": "c", "toolInputTruncated": False,
        "hook_event_name": "pre_tool_use", "session_id": "s", "workspace_root": "/w",
        "permission_mode": "default", "tool_name": "run_terminal_command", "tool_input": {"command": "ls"},
        "tool_use_id": "c", "tool_input_truncated": False,
    }  # fmt: skip
    assert request.cwd == "/w"
    assert request.env == {
        "GROK_HOOK_EVENT": "pre_tool_use", "GROK_HOOK_NAME": "guard", "GROK_SESSION_ID": "s",
        "GROK_WORKSPACE_ROOT": "/w", "CLAUDE_PROJECT_DIR": "/w",
    }  # fmt: skip
    again = get("grok").event("pre_tool_use", payload)
    assert again.tool == CALL.tool and again.session_id == "s"
    assert get("grok").event_name(payload, {}) == "PreToolUse"


def test_a_long_input_is_cut_in_strict_mode() -> None:
    event = CALL.with_(tool=CALL.tool._replace(input={"command": "x" * (200 << 10)}))  # type: ignore[union-attr]
    for compat, wanted in (("better", dict), ("strict", str)):
        runner = Scripted(said())
        HookEngine.load(config(), "grok", runner=runner, compat=compat).fire(event)  # type: ignore[arg-type]
        payload = decode(runner.requests[0].stdin.decode()).value
        assert isinstance(payload["toolInput"], wanted)
        assert payload["toolInputTruncated"] == (compat == "strict")


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("PreToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("Stop", Stop(), {"force_continue": True, "reason": "more"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("grok", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = config(matcher="^a$", timeout=7, env={"A": "1"})
    specs = HookEngine.load(value, "grok", runner=Scripted(said())).hooks
    rendered, lost = get("grok").render(specs)
    assert rendered == {
        "hooks": {"PreToolUse": [{"matcher": "^a$", "hooks": [
            {"type": "command", "command": "x", "timeout": 7, "env": {"A": "1"}}
        ]}]}
    }  # fmt: skip
    assert lost == ()


def test_whose_file_it_is() -> None:
    assert recognise([Document(config(matcher="run_terminal_command"))]).name == "grok"
    assert recognise([Document(config(), "/w/.grok/hooks/a.json")]).name == "grok"
    assert recognise([Document(config(command='"$GROK_WORKSPACE_ROOT/x.sh"'))]).name == "grok"
    assert recognise([Document(config(matcher="Bash"), "/w/.claude/settings.json")]).name == "claude_code"


def test_a_hook_of_a_plugin_knows_where_the_plugin_is() -> None:
    for layer, wanted in (("bundle", "/p/one"), ("user", None)):
        runner = Scripted(said())
        document = Document(config(), "/p/one/hooks/hooks.json", layer=layer)
        made = HookEngine.load(document, "grok", runner=runner, trust=lambda spec: True)
        made.fire(CALL)
        assert runner.requests[0].env.get("GROK_PLUGIN_ROOT") == wanted

"""OpenHands: which file counts, matchers over whole names, outputs in both modes, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, RunResult, Stop, ToolPost, ToolPre
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said


def config(event: str = "PreToolUse", matcher: str | None = None, **more: Any) -> dict[str, Any]:
    group: dict[str, Any] = {"hooks": [{"command": "x", **more}]}
    if matcher is not None:
        group["matcher"] = matcher
    return {"hooks": {event: [group]}}


CALL = ToolPre("terminal", {"command": "ls"}, session_id="s", call_id="c")


def test_layers() -> None:
    assert paths("openhands", "/w", {"HOME": "/h"}) == [
        "project /w/.openhands/hooks.json",
        "user /h/.openhands/hooks.json",
    ]


def test_upstream_reads_the_users_file_only_without_one_of_the_project() -> None:
    user = Document(config(command="u"), "/h/.openhands/hooks.json", layer="user")
    project = Document(config(command="p"), "/w/.openhands/hooks.json", layer="project")

    def kept(*documents: Document, compat: Any) -> list[str]:
        made = HookEngine.load(
            documents, "openhands", runner=Scripted(said()), trust=lambda spec: True, compat=compat
        )
        return [spec.executor.text for spec in made.hooks]

    assert kept(project, user, compat="better") == ["p", "u"]
    assert kept(project, user, compat="strict") == ["p"]
    assert kept(user, compat="strict") == ["u"]


@pytest.mark.parametrize("event", ["pre_tool_use", "PreToolUse"])
@pytest.mark.parametrize("wrapped", [True, False])
def test_both_names_of_an_event_with_and_without_the_wrapper(event: str, wrapped: bool) -> None:
    value = config(event)
    decision = fired("openhands", value if wrapped else value["hooks"], CALL, said("", 2, "no"))
    assert decision.refused and decision.message == "Action rejected: no"


def test_faults_are_problems_with_their_lines_and_drop_the_file_in_strict_mode() -> None:
    text = """{"hooks": {
 "PreToolUse": [
  5,
  {"hooks": [
   {"type": "nosuch", "command": "x"},
   {"command": ""},
   {"command": "x", "timeout": "soon"},
   {"command": "x", "timeout": 1.5},
   {"command": "x"}
  ]}
 ],
 "Notification": []
}}"""
    group = "hooks.PreToolUse[1].hooks"
    assert sorted(faults("openhands", text, "h.json"), key=lambda each: int(each[0][7:])) == [
        ("h.json:3", "hooks.PreToolUse[0]"),
        ("h.json:5", f"{group}[0].type"),
        ("h.json:6", f"{group}[1].command"),
        ("h.json:7", f"{group}[2].timeout"),
        ("h.json:8", f"{group}[3].timeout"),
        ("h.json:12", "hooks.Notification"),
    ]
    document = get("openhands").parse(text, "h.json", {})
    assert len(HookEngine.load(document, "openhands", runner=Scripted(said())).hooks) == 1
    strict = HookEngine.load(document, "openhands", runner=Scripted(said()), compat="strict")
    assert strict.hooks == () and "does not start" in str(strict.problems[-1])


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "a", True), ("*", "a", True), ("terminal", "terminal", True), ("term", "terminal", False),
        ("term.*", "terminal", True), ("terminal|finish", "finish", True), ("/term/", "terminal", False),
        ("/term.*/", "terminal", True), ("Terminal", "terminal", False),
    ],
)  # fmt: skip
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    assert fired("openhands", config(matcher=pattern), ToolPre(tool), said("", 2)).refused == wanted


def test_matchers_that_never_match_upstream() -> None:
    for event, pattern, fire in (("PreToolUse", "/(/", CALL), ("Stop", "terminal", Stop())):
        value = config(event, pattern)
        better = fired("openhands", value, fire, said("", 2, "no"))
        strict = fired("openhands", value, fire, said("", 2, "no"), compat="strict")
        assert better.refused or better.force_continue
        assert not strict.refused and not strict.force_continue


@pytest.mark.parametrize(
    ("ran", "better", "strict"),
    [
        (said("", 2, "no"), True, True),
        (said('{"decision":"allow"}', 2), True, True),
        (said('{"decision":5}', 2), True, True),
        (said('{"decision":"DENY"}', 1), True, True),
        (said('{"continue":0}'), True, True),
        (said('{"continue":"false"}'), False, False),
        (said('{"decision":"block"}'), True, False),
        (said('{"hookSpecificOutput":{"permissionDecision":"deny"}}'), True, False),
        (said("text"), False, False),
        (said('{"decision":"ask"}'), False, False),
        (said("", 1), False, False),
        (RunResult(None, b'{"decision":"deny"}', signal="TERM"), True, True),
        (RunResult(2, b"\xff"), True, False),
        (RunResult(124, limit="wall_seconds"), False, False),
    ],
)
def test_outputs_in_both_modes(ran: Any, better: bool, strict: bool) -> None:
    assert fired("openhands", config(), CALL, ran).refused == better
    assert fired("openhands", config(), CALL, ran, compat="strict").refused == strict


def test_reasons() -> None:
    assert fired("openhands", config(), CALL, said('{"decision":"deny","reason":5}')).reason == "5"
    assert fired("openhands", config(), CALL, said('{"decision":"deny"}', 0, "err")).reason == "err"
    assert fired("openhands", config(), CALL, said("", 2)).reason == "Blocked by hook"


def test_context_and_feedback() -> None:
    said_more = said('{"additionalContext":"more"}')
    assert fired("openhands", config("UserPromptSubmit"), PromptSubmit("p"), said_more).context == (
        ("more", "prompt"),
    )
    started = Event("session.start")
    assert fired("openhands", config("SessionStart"), started, said_more).context == (("more", "session"),)
    assert fired("openhands", config(), CALL, said_more).context == ()
    decision = fired("openhands", config("Stop"), Stop(), said('{"additionalContext":"more"}', 2, "no"))
    assert decision.force_continue and decision.reason == "more"
    assert not fired("openhands", config("PostToolUse"), ToolPost("t", {}, result="r"), said("", 2)).refused


def test_the_payload_and_the_variables() -> None:
    runner = Scripted(said())
    HookEngine.load(config(), "openhands", runner=runner).fire(CALL.with_(cwd="/w"))
    assert decode(runner.requests[0].stdin.decode()).value == {
        "event_type": "PreToolUse", "tool_name": "terminal", "tool_input": {"command": "ls"},
        "tool_response": None, "message": None, "session_id": "s", "working_dir": "/w", "metadata": {},
    }  # fmt: skip
    assert runner.requests[0].env == {
        "OPENHANDS_PROJECT_DIR": "/w", "OPENHANDS_SESSION_ID": "s", "OPENHANDS_EVENT_TYPE": "PreToolUse",
        "OPENHANDS_TOOL_NAME": "terminal",
    }  # fmt: skip
    assert get("openhands").event_name({"event_type": "Stop"}, {}) == "Stop"


def test_a_hook_in_the_background_refuses_nothing() -> None:
    value = {"hooks": {"PreToolUse": [{"hooks": [{"command": "x", "async": True}]}]}}
    made = HookEngine.load(value, "openhands", runner=Scripted(said("", 2)))
    assert not made.fire(CALL).refused
    assert any("in the background cannot refuse" in note for note in made.diagnostics)


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("PreToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("UserPromptSubmit", PromptSubmit("p"), {"block": True, "reason": "no"}),
        ("UserPromptSubmit", PromptSubmit("p"), {"context": (("more", "prompt"),)}),
        ("Stop", Stop(), {"force_continue": True, "reason": "more"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("openhands", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    specs = HookEngine.load(config(matcher="terminal", timeout=7), "openhands", runner=Scripted(said())).hooks
    rendered, lost = get("openhands").render(specs)
    assert lost == ()
    again = HookEngine.load(rendered, "openhands", runner=Scripted(said())).hooks
    assert [(each.executor.text, each.timeout) for each in again] == [("x", 7.0)]


def test_whose_file_it_is() -> None:
    assert recognise([Document(config(), "/w/.openhands/hooks.json")]).name == "openhands"
    assert recognise(
        [Document({"pre_tool_use": config()["hooks"]["PreToolUse"]}, "/w/.openhands/hooks.json")]
    ).name == ("openhands")
    assert recognise([Document(config(matcher="Bash", type="command"), "/w/.claude/settings.json")]).name == (
        "claude_code"
    )


@pytest.mark.parametrize(
    ("present", "wanted"),
    [
        ({}, {"hooks": {"PreToolUse": [1], "Stop": [2]}}),
        ({"hooks": {}}, {"hooks": {"PreToolUse": [1], "Stop": [2]}}),
        ({"hooks": {"pre_tool_use": []}}, {"hooks": {"pre_tool_use": [1], "Stop": [2]}}),
        ({"pre_tool_use": []}, {"pre_tool_use": [1], "Stop": [2]}),
        ({"SessionStart": []}, {"PreToolUse": [1], "Stop": [2]}),
    ],
)
def test_hooks_are_added_where_a_file_has_its_own(present: Any, wanted: Any) -> None:
    """OpenHands reads the lists in "hooks" or those outside of it, and each event under one name."""
    rendered: Any = {"hooks": {"PreToolUse": [1], "Stop": [2]}}
    assert get("openhands").fitted(rendered, present, foreign=True) == wanted


def test_a_later_version_that_does_the_same_has_a_name() -> None:
    assert get("openhands@1.58.2") is get("openhands@1.58.0")
    assert get("codex@0.171.0") is get("codex@0.169.0")

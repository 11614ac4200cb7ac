"""Factory Droid: its two files, faults with their lines, matchers, both modes, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, RunResult, SessionStart, Stop, ToolPost, ToolPre
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode, encode
from sandhook.hooks.model import Operation
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said


def config(event: str = "PreToolUse", matcher: str | None = None, **group: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"hooks": [{"type": "command", "command": group.pop("command", "x")}], **group}
    if matcher is not None:
        made["matcher"] = matcher
    return {"hooks": {event: [made]}}


def decides(word: str, **more: Any) -> str:
    return encode({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word, **more}})


CALL = ToolPre("Execute", {"command": "rm x"}, session_id="s")


def test_layers() -> None:
    assert paths("droid", "/w", {"HOME": "/h"}) == [
        "project /w/.factory/settings.json",
        "project /w/.factory/hooks.json",
        "user /h/.factory/settings.json",
        "user /h/.factory/hooks.json",
    ]


def kept(compat: Any, **files: Any) -> list[str]:
    names = {
        "user": "/h/.factory/hooks.json",
        "user_settings": "/h/.factory/settings.json",
        "project": "/w/.factory/hooks.json",
        "project_settings": "/w/.factory/settings.json",
    }
    documents = [
        Document(files[key], name, layer="user" if key.startswith("user") else "project")
        for key, name in reversed(names.items())
        if key in files
    ]
    made = HookEngine.load(
        documents, "droid", runner=Scripted(said()), trust=lambda spec: True, compat=compat
    )
    return [spec.executor.text for spec in made.hooks]


def test_the_settings_next_to_a_list_have_no_hooks_upstream() -> None:
    bare, settings = config(command="a")["hooks"], config(command="b")
    assert kept("strict", user=bare, user_settings=settings) == ["a"]
    assert kept("better", user=bare, user_settings=settings) == ["b", "a"]
    assert kept("strict", user={}, user_settings=settings) == ["b"]
    assert kept("strict", project=bare, user_settings=settings) == ["a", "b"]


def test_a_list_has_its_events_at_the_top() -> None:
    assert kept("strict", user=config()) == []
    assert kept("better", user=config()) == ["x"]
    made = HookEngine.load(Document(config(), "/h/.factory/hooks.json"), "droid", runner=Scripted(said()))
    assert any("Droid does not read this one" in note for note in made.diagnostics)


def test_the_switch_of_the_first_file_counts() -> None:
    guard, off, on = config(), {"hooks": {"hooksDisabled": True}}, {"hooks": {"hooksDisabled": False}}
    assert kept("strict", user_settings=guard, project_settings=off) == []
    assert kept("better", user_settings=guard, project_settings=off) == ["x"]
    assert kept("strict", user_settings=off, project_settings=guard) == []
    assert kept("better", user_settings=off, project_settings=guard) == []
    both = {"hooks": {**guard["hooks"], "hooksDisabled": False}}
    assert kept("strict", user_settings=off, project_settings=both) == ["x"]
    assert kept("strict", user_settings=guard, project_settings=on) == ["x"]
    assert kept("strict", user_settings=guard, project_settings={"hooksDisabled": True}) == ["x"]


def test_faults_are_problems_with_their_lines_and_drop_the_file_in_strict_mode() -> None:
    text = """{"hooks": {
 "PreToolUse": [
  5,
  {"matcher": null, "hooks": [{"type": "command", "command": "x"}]},
  {"matcher": "Execute"},
  {"hooks": [
   {"command": "x"},
   {"type": "command"},
   {"type": "command", "command": "x", "timeout": "soon"},
   {"type": "command", "command": "x"}
  ]}
 ]
}}"""
    group = "hooks.PreToolUse[3].hooks"
    assert sorted(faults("droid", text, "s.json"), key=lambda each: int(each[0][7:])) == [
        ("s.json:3", "hooks.PreToolUse[0]"),
        ("s.json:4", "hooks.PreToolUse[1].matcher"),
        ("s.json:5", "hooks.PreToolUse[2]"),
        ("s.json:7", f"{group}[0].type"),
        ("s.json:8", f"{group}[1].command"),
        ("s.json:9", f"{group}[2].timeout"),
    ]
    document = get("droid").parse(text, "s.json", {})
    assert len(HookEngine.load(document, "droid", runner=Scripted(said())).hooks) == 1
    strict = HookEngine.load(document, "droid", runner=Scripted(said()), compat="strict")
    assert not strict.hooks and "Droid drops the whole file" in str(strict.problems[-1])


@pytest.mark.parametrize(
    ("matcher", "command", "runs"),
    [
        ("Execute", None, True), ("Exec", None, True), ("execute", None, False), ("*", None, True), ("(", None, False),
        ("Create|^Exec", "^rm", True), ("Execute", "^ls", False), ("Execute", "(", False), ("Create", "^rm", False),
        ("^(?!Create)", None, True),
    ],
)  # fmt: skip
def test_matchers(matcher: str, command: str | None, runs: bool) -> None:
    more = {} if command is None else {"commandRegex": command}
    for compat in ("better", "strict"):
        decision = fired("droid", config(matcher=matcher, **more), CALL, said("", 2, "no"), compat=compat)
        assert decision.refused == runs


def test_a_command_regex_wants_the_shell() -> None:
    value = config(commandRegex="rm")
    assert not fired("droid", value, ToolPre("Create", {"command": "rm x"}), said("", 2)).refused
    assert not fired("droid", value, ToolPre("Execute", {"command": 5}), said("", 2)).refused


@pytest.mark.parametrize(
    ("ran", "better", "strict"),
    [
        (said("", 2, "no"), "deny", "deny"),
        (said(decides("deny"), 1), "deny", "deny"),
        (said(decides("allow")), "allow", "allow"),
        (said(decides("allow"), 2, "no"), "deny", "deny"),
        (said(decides("ask")), "ask", "none"),
        (said('{"decision":"block","reason":"r"}'), "deny", "none"),
        (said('{"decision":"deny"}'), "deny", "none"),
        (said("deny"), "none", "none"),
        (said("", 1, "no"), "none", "none"),
        (RunResult(124, decides("deny").encode(), limit="wall_seconds"), "deny", "deny"),
    ],
)
def test_outputs_in_both_modes(ran: Any, better: str, strict: str) -> None:
    assert fired("droid", config(), CALL, ran).permission == better
    assert fired("droid", config(), CALL, ran, compat="strict").permission == strict


@pytest.mark.parametrize("ran", [said('{"continue":false,"stopReason":"over"}'), said("", 3, "over")])
def test_the_end_of_the_turn(ran: Any) -> None:
    for compat in ("better", "strict"):
        decision = fired("droid", config(), CALL, ran, compat=compat)
        assert decision.halt and decision.reason == "over"
        assert fired("droid", config("Stop"), Stop(), ran, compat=compat).halt


def test_the_first_decision_silences_later_ones_in_strict_mode() -> None:
    hooks = [{"type": "command", "command": word} for word in "ab"]
    value = {"hooks": {"PreToolUse": [{"hooks": hooks}]}}

    def permission(compat: Any, *runs: Any) -> str:
        return HookEngine.load(value, "droid", runner=Scripted(*runs), compat=compat).fire(CALL).permission

    assert permission("strict", said(decides("allow")), said(decides("deny"))) == "allow"
    assert permission("better", said(decides("allow")), said(decides("deny"))) == "deny"
    assert permission("strict", said(decides("allow")), said("", 2, "no")) == "deny"
    assert permission("strict", said(decides("deny")), said(decides("allow"))) == "deny"
    assert permission("strict", said(decides("ask")), said(decides("deny"))) == "none"


def test_other_events() -> None:
    stop = config("Stop")
    assert fired("droid", stop, Stop(), said('{"decision":"block","reason":"more"}')).reason == "more"
    silent = said('{"decision":"block"}')
    assert fired("droid", stop, Stop(), silent).force_continue
    assert not fired("droid", stop, Stop(), silent, compat="strict").force_continue
    post = ToolPost("Execute", {"command": "ls"}, result="r")
    decision = fired("droid", config("PostToolUse"), post, said("", 2, "look again"))
    assert decision.context == (("[Hook Feedback] look again", "result"),) and not decision.refused
    assert fired("droid", config("UserPromptSubmit"), PromptSubmit("p"), said("", 3, "no")).refused
    assert fired("droid", config("SessionStart"), SessionStart(), said("more")).context == (
        ("more", "session"),
    )
    watched = fired("droid", config("SubagentStop"), Event("subagent.stop"), said("", 2, "no"))
    assert not watched.force_continue and any("only observe" in note for note in watched.diagnostics)
    assert fired("droid", config("PreCompact"), Event("compact.pre"), said("", 3, "no")).refused


def test_the_payload_and_its_variables() -> None:
    runner = Scripted(said())
    event = CALL.with_(cwd="/w", extras={"permission_mode": "auto-high"})
    HookEngine.load(config(), "droid", runner=runner).fire(event)
    request = runner.requests[0]
    assert decode(request.stdin.decode()).value == {
        "session_id": "s", "transcript_path": "", "cwd": "/w", "permission_mode": "auto-high",
        "hook_event_name": "PreToolUse", "tool_name": "Execute", "tool_input": {"command": "rm x"},
    }  # fmt: skip
    assert request.env["FACTORY_PROJECT_DIR"] == request.env["CLAUDE_PROJECT_DIR"] == "/w"
    assert (request.env["tool_name"], request.env["session_id"]) == ("Execute", "s")
    assert "tool_input" not in request.env


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("PreToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("PreToolUse", CALL, {"permission": "allow"}),
        ("PreToolUse", CALL, {"halt": True, "reason": "over"}),
        ("UserPromptSubmit", PromptSubmit("hi"), {"block": True, "reason": "no"}),
        ("UserPromptSubmit", PromptSubmit("hi"), {"context": (("c", "prompt"),)}),
        ("Stop", Stop(), {"force_continue": True, "reason": "more"}),
        ("PreCompact", Event("compact.pre"), {"block": True, "reason": "no"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("droid", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_a_changed_input_is_merged() -> None:
    ran = said(encode({"hookSpecificOutput": {"updatedInput": {"command": "true"}}}))
    decision = fired("droid", config(), CALL, ran)
    assert decision.input == (Operation("merge", {"command": "true"}),)
    assert decision.apply_to({"command": "rm x", "timeout": 5}) == {"command": "true", "timeout": 5}


def test_conversion() -> None:
    specs = HookEngine.load(config(matcher="^Execute$"), "droid", runner=Scripted(said())).hooks
    rendered, lost = get("droid").render(specs)
    assert rendered == {
        "hooks": {"PreToolUse": [{"matcher": "^Execute$", "hooks": [{"type": "command", "command": "x"}]}]}
    }
    assert lost == ()


def test_whose_file_it_is() -> None:
    assert recognise([Document(config(matcher="Execute"))]).name == "droid"
    assert recognise([Document(config(), "/w/.factory/settings.json")]).name == "droid"
    assert recognise([Document(config()["hooks"], "/h/.factory/hooks.json")]).name == "droid"
    assert recognise([Document(config(command='"$FACTORY_PROJECT_DIR"/x.sh'))]).name == "droid"

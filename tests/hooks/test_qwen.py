"""Qwen Code: its settings, faults with their lines, matchers, chains, both modes, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, SessionStart, Stop, ToolPost, ToolPre
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode, encode
from sandhook.hooks.model import Operation
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said


def config(event: str = "PreToolUse", matcher: str | None = None, **more: Any) -> dict[str, Any]:
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": "x", **more}]}
    if matcher is not None:
        group["matcher"] = matcher
    return {"hooks": {event: [group]}}


def decides(word: str) -> str:
    return encode({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": word}})


CALL = ToolPre("write_file", {"file_path": "a", "content": "b"}, session_id="s")


def test_layers() -> None:
    assert paths("qwen", "/w", {"HOME": "/h"}) == [
        "managed /etc/qwen-code/settings.json",
        "managed /etc/qwen-code/system-defaults.json",
        "user /h/.qwen/settings.json",
        "project /w/.qwen/settings.json",
    ]
    windows = paths("qwen", "/w", {"USERPROFILE": "C:/u", "QWEN_HOME": "D:/q"}, "win32")
    assert windows[1:3] == [
        "managed C:/ProgramData/qwen-code/system-defaults.json",
        "user D:/q/settings.json",
    ]
    env = {"QWEN_CODE_SYSTEM_SETTINGS_PATH": "/s/a.json", "QWEN_CODE_SYSTEM_DEFAULTS_PATH": "/d.json"}
    assert paths("qwen", "/w", env, "darwin")[:2] == ["managed /s/a.json", "managed /d.json"]


def test_the_projects_hooks_come_first() -> None:
    documents = [
        Document(config(command=name), name, layer=layer)
        for layer, name in (("managed", "m"), ("user", "u"), ("project", "p"))
    ]
    made = HookEngine.load(documents, "qwen", runner=Scripted(said()), trust=lambda spec: True)
    assert [spec.executor.text for spec in made.hooks] == ["p", "u", "m"]


def test_settings_have_comments() -> None:
    text = '{ // a "comment\n "hooks": {/* { */ "PreToolUse": [{"hooks": [{"type": "command",\n  "command": "a // b"}]}]}}'
    document = get("qwen").parse(text, "settings.json", {})
    assert HookEngine.load(document, "qwen", runner=Scripted(said())).hooks[0].executor.text == "a // b"
    broken = text.replace('"command",', '"shell",')
    assert faults("qwen", broken, "s.json") == [("s.json:2", "hooks.PreToolUse[0].hooks[0].type")]


def test_seven_faults_are_seven_problems_with_their_lines() -> None:
    text = """{"hooks": {
 "PreToolUse": [
  5,
  {"matcher": 5, "hooks": []},
  {"matcher": "(", "hooks": [{"type": "command", "command": "x"}]},
  {"hooks": [
   {"command": "x"},
   {"type": "shell", "command": "x"},
   {"type": "command"},
   {"type": "command", "command": 5},
   {"type": "command", "command": "x", "name": 5}
  ]}
 ]
}}"""
    group = "hooks.PreToolUse[3].hooks"
    assert sorted(faults("qwen", text, "h.json"), key=lambda each: int(each[0][7:])) == [
        ("h.json:3", "hooks.PreToolUse[0]"),
        ("h.json:4", "hooks.PreToolUse[1].matcher"),
        ("h.json:5", "hooks.PreToolUse[2].matcher"),
        ("h.json:7", f"{group}[0].type"),
        ("h.json:8", f"{group}[1].type"),
        ("h.json:9", f"{group}[2].command"),
        ("h.json:10", f"{group}[3].command"),
    ]


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "a", True), (" * ", "a", True), (".*", "a", True), ("a|*", "b", True), ("|", "a", False),
        ("write_file", "write_file", True), ("file", "write_file", True), ("^file", "write_file", False),
        ("Bash", "run_shell_command", True), ("Write | Edit", "write_file", True), ("WriteFile", "write_file", True),
        ("Wri", "write_file", False), ("edit|", "write_file", False), ("^edit|", "write_file", True),
        ("(a|b)c", "bc", True), ("a[ |]b", "a|b", True), ("a\\|b", "a", False), ("x\\ |y", "x ", True),
        ("MyTool", "_MyTool", True), ("^(?!write_file).*$", "write_file", False),
        ("^(?!write_file).*$", "edit", True),
    ],
)  # fmt: skip
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    assert fired("qwen", config(matcher=pattern), ToolPre(tool), said("", 2, "no")).refused == wanted


def test_an_event_without_the_value_of_the_matcher_matches() -> None:
    made = HookEngine.load(config("SessionStart", "^startup$"), "qwen", runner=Scripted(said()))
    for source, wanted in (("startup", True), ("resume", False), ("", True)):
        assert made.fire(SessionStart(extras={"source": source})).outcomes[0].matched == wanted


@pytest.mark.parametrize(
    ("written", "seconds", "note"),
    [
        (10, 10.0, None), (999.5, 999.5, None), (1000, 1.0, "1000 is read as milliseconds: 1 seconds"),
        (60000, 60.0, "60000 is read as milliseconds: 60 seconds"), ("5", 5.0, None), (None, 60.0, None),
        ("30s", 60.0, "is not a number above zero"), (0, 60.0, "is not a number above zero"),
        (True, 60.0, "is not a number above zero"),
    ],
)  # fmt: skip
def test_timeouts(written: Any, seconds: float, note: str | None) -> None:
    made = HookEngine.load(config(timeout=written), "qwen", runner=Scripted(said()))
    assert made.hooks[0].timeout == seconds
    assert len(made.diagnostics) == (note is not None)
    assert all(note is not None and note in each for each in made.diagnostics)


def two(sequential: bool) -> dict[str, Any]:
    hooks = [{"type": "command", "command": word} for word in "ab"]
    return {"hooks": {"PreToolUse": [{"hooks": hooks, "sequential": sequential}]}}


@pytest.mark.parametrize("sequential", [True, False])
@pytest.mark.parametrize(
    ("first", "second", "strict"),
    [
        (said(decides("deny")), said(decides("allow")), "allow"),
        (said(decides("allow")), said(decides("deny")), "deny"),
        (said("", 2, "no"), said(decides("allow")), "allow"),
        (said(decides("allow")), said("", 2, "no"), "allow"),
        (said('{"decision":"deny"}'), said('{"decision":"allow"}'), "deny"),
        (said(decides("deny")), said("words"), "deny"),
        (said('{"continue":false}'), said(decides("allow")), "allow"),
    ],
)
def test_an_allow_that_overwrites_a_deny(sequential: bool, first: Any, second: Any, strict: str) -> None:
    """A permissionDecision of a later hook replaces that of an earlier one upstream, and any refusal by status."""
    made = HookEngine.load(two(sequential), "qwen", runner=Scripted(first, second))
    assert made.fire(CALL).permission == "deny"
    made = HookEngine.load(two(sequential), "qwen", runner=Scripted(first, second), compat="strict")
    assert made.fire(CALL).permission == strict


def test_continue_false_is_stronger_than_an_allow() -> None:
    runner = Scripted(said('{"continue":false,"stopReason":"r"}'), said(decides("allow")))
    assert HookEngine.load(two(False), "qwen", runner=runner, compat="strict").fire(CALL).refused


@pytest.mark.parametrize(
    ("ran", "better", "strict"),
    [
        (said("", 2), True, False),
        (said("", 2, '{"decision":"allow"}'), True, False),
        (said('{"decision":"deny"}', 2), True, False),
        (said("", 2, "no"), True, True),
        (said("", 2, '{"decision":"deny","reason":"r"}'), True, True),
        (said(decides("deny"), 1), True, True),
        (said("", 0, decides("deny")), True, True),
        (said(encode(decides("deny"))), True, True),
        (said('{"decision":"deny"'), False, False),
        (said("", 1, "no"), False, False),
        (
            said(encode({"decision": "block", "hookSpecificOutput": {"permissionDecision": "allow"}})),
            True,
            False,
        ),
    ],
)
def test_outputs_in_both_modes(ran: Any, better: bool, strict: bool) -> None:
    assert fired("qwen", config(), CALL, ran).refused == better
    assert fired("qwen", config(), CALL, ran, compat="strict").refused == strict


def test_what_only_better_mode_refuses() -> None:
    ran = said('{"decision":"block","reason":"r"}')
    post = ToolPost("t", {}, result="out")
    assert fired("qwen", config("PostToolUse"), post, ran).apply_to_result(post.result).value == "r"  # type: ignore[arg-type]
    assert fired("qwen", config("PostToolUse"), post, ran, compat="strict").result == ()
    asked = Event("permission.request", tool=CALL.tool)
    assert fired("qwen", config("PermissionRequest"), asked, said("", 2, "no")).refused
    assert not fired("qwen", config("PermissionRequest"), asked, said("", 2, "no"), compat="strict").refused
    todo = Event("x.TodoCreated")
    assert fired("qwen", config("TodoCreated"), todo, said("", 2, "no")).refused
    assert not fired("qwen", config("TodoCreated"), todo, said("", 2, "no"), compat="strict").refused


def test_a_permission_dialog_denies_whatever_does_not_allow() -> None:
    asked = Event("permission.request", tool=CALL.tool)
    for decision in ({}, {"behavior": "ask"}, {"behavior": "deny", "message": "m"}):
        ran = said(encode({"hookSpecificOutput": {"decision": decision}}))
        assert fired("qwen", config("PermissionRequest"), asked, ran).refused


def test_a_changed_input_has_no_effect_and_is_reported() -> None:
    ran = said(encode({"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"a": 1}}}))
    decision = fired("qwen", config(), CALL, ran)
    assert decision.input == ()
    assert any("updatedInput has no effect" in note for note in decision.diagnostics)


def test_text_is_context_or_a_message() -> None:
    assert fired("qwen", config("UserPromptSubmit"), PromptSubmit("p"), said("t")).context == (
        ("t", "prompt"),
    )
    assert (
        fired("qwen", config("UserPromptSubmit"), PromptSubmit("p"), said("", 0, "t")).system_message == "t"
    )
    assert fired("qwen", config(), CALL, said("t", 1)).system_message == "Warning: t"
    ran = said('{"hookSpecificOutput":{"additionalContext":"<a>"}}')
    assert fired("qwen", config("SessionStart"), SessionStart(), ran).context == (("&lt;a&gt;", "session"),)


def test_the_last_stops_are_let_through() -> None:
    ran = said("", 2, "go on")
    assert fired("qwen", config("Stop"), Stop(), ran).force_continue
    assert not fired(
        "qwen", config("Stop"), Stop(extras={"stop_count": 7}), ran, compat="strict"
    ).force_continue


def test_the_payload_and_the_variables() -> None:
    runner = Scripted(said())
    made = HookEngine.load(
        config(env={"A": "1"}), "qwen", runner=runner, env={"QWEN_SERVER_TOKEN": "t", "HOME": "/h"}
    )
    made.fire(CALL.with_(cwd="/w", timestamp="2026-01-01T00:00:00Z", extras={"permission_mode": "yolo"}))
    request = runner.requests[0]
    assert decode(request.stdin.decode()).value == {
        "session_id": "s", "transcript_path": "", "cwd": "/w", "hook_event_name": "PreToolUse",
        "timestamp": "2026-01-01T00:00:00Z", "permission_mode": "yolo", "tool_name": "write_file",
        "tool_input": {"file_path": "a", "content": "b"}, "tool_use_id": "",
    }  # fmt: skip
    assert request.env["QWEN_PROJECT_DIR"] == request.env["CLAUDE_PROJECT_DIR"] == "/w"
    assert request.inherited == {"HOME": "/h"}


def test_the_switch_of_the_strongest_file_counts() -> None:
    def kept(compat: Any, **switch: bool) -> list[str]:
        documents = [
            Document({**config(command=layer), "disableAllHooks": off}, f"{layer}.json", layer=layer)  # type: ignore[arg-type]
            for layer, off in switch.items()
        ]
        made = HookEngine.load(
            documents, "qwen", runner=Scripted(said()), trust=lambda spec: True, compat=compat
        )
        return [spec.executor.text for spec in made.hooks]

    assert kept("better", user=False, project=True) == ["user"]
    assert kept("strict", user=False, project=True) == []
    assert kept("better", user=True, project=False) == ["project", "user"]  # more guards than the user wants
    assert kept("strict", user=True, project=False) == ["project", "user"]
    assert kept("better", managed=True, user=False) == []


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("PreToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("PreToolUse", CALL, {"permission": "ask"}),
        ("PreToolUse", CALL, {"permission": "allow"}),
        ("UserPromptSubmit", PromptSubmit("hi"), {"block": True, "reason": "no"}),
        ("UserPromptSubmit", PromptSubmit("hi"), {"context": (("c", "prompt"),)}),
        (
            "PermissionRequest",
            Event("permission.request", tool=CALL.tool),
            {"permission": "deny", "reason": "no"},
        ),
        (
            "PermissionRequest",
            Event("permission.request", tool=CALL.tool),
            {"permission": "allow", "input": (Operation("replace", {"a": 1}),)},
        ),
        ("Stop", Stop(), {"force_continue": True, "reason": "more"}),
        ("PostToolUse", ToolPost("t", {}, result="r"), {"result": (Operation("replace", "no"),)}),
        ("TodoCreated", Event("x.TodoCreated"), {"block": True, "reason": "no"}),
        ("SessionStart", SessionStart(), {"system_message": "hello"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("qwen", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    gemini = config("BeforeTool", matcher="^a$", timeout=1_800_000, name="n")
    specs = HookEngine.load(gemini, "gemini", runner=Scripted(said())).hooks
    rendered, lost = get("qwen").render(specs)
    assert rendered == {
        "hooks": {"PreToolUse": [{"matcher": "^a$", "hooks": [
            {"type": "command", "command": "x", "timeout": 1_800_000, "name": "n"}
        ]}]}
    }  # fmt: skip
    assert HookEngine.load(rendered, "qwen", runner=Scripted(said())).hooks[0].timeout == 1800
    assert lost == ()
    aliased = HookEngine.load(config(matcher="Bash | edit"), "qwen", runner=Scripted(said())).hooks
    rendered, lost = get("gemini").render(aliased)
    assert rendered["hooks"]["BeforeTool"][0]["matcher"] == "Bash|edit|^run_shell_command$"  # type: ignore[call-overload,index]
    assert lost == ()


def test_whose_file_it_is() -> None:
    assert recognise([Document(config(matcher="run_shell_command"))]).name == "qwen"
    assert recognise([Document(config(), "/w/.qwen/settings.json")]).name == "qwen"
    assert recognise([Document(config(command='"$QWEN_PROJECT_DIR/x.sh"'))]).name == "qwen"
    assert recognise([Document(config("TodoCreated"))]).name == "qwen"

"""Codex: its files, faults with their lines, what it reads strictly, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, PromptSubmit, RunResult, Stop, ToolCall, ToolPost, ToolPre
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


CALL = ToolPre("Bash", {"command": "ls"}, session_id="s")


def test_layers() -> None:
    assert paths("codex", "/w", {"HOME": "/h"}) == [
        "managed /etc/codex/requirements.toml",
        "managed /etc/codex/config.toml",
        "managed /etc/codex/hooks.json",
        "user /h/.codex/config.toml",
        "user /h/.codex/hooks.json",
        "project /w/.codex/config.toml",
        "project /w/.codex/hooks.json",
    ]
    assert paths("codex", "/w", {"CODEX_HOME": "/c"}, "win32")[0] == "user /c/config.toml"


def test_all_layers_run_in_their_order() -> None:
    documents = [
        Document(config(command=name), name, layer=layer) for layer, name in (("user", "u"), ("project", "p"))
    ]
    made = HookEngine.load(documents, "codex", runner=Scripted(said()), trust=lambda spec: True)
    assert [(spec.id, spec.executor.text) for spec in made.hooks] == [
        ("PreToolUse[0]", "u"), ("PreToolUse[1]", "p")
    ]  # fmt: skip


def test_ten_faults_are_ten_problems_with_their_lines() -> None:
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
   {"type": "command", "command": "x", "timeout": "soon"},
   {"type": "command", "command": "x", "timeout": -1},
   {"type": "command", "command": "x", "async": "yes"}
  ]}
 ]
}}"""
    group = "hooks.PreToolUse[3].hooks"
    assert sorted(faults("codex", text, "h.json"), key=lambda each: int(each[0][7:])) == [
        ("h.json:3", "hooks.PreToolUse[0]"),
        ("h.json:4", "hooks.PreToolUse[1].matcher"),
        ("h.json:5", "hooks.PreToolUse[2].matcher"),
        ("h.json:7", f"{group}[0]"),
        ("h.json:8", f"{group}[1].type"),
        ("h.json:9", f"{group}[2].command"),
        ("h.json:10", f"{group}[3].command"),
        ("h.json:11", f"{group}[4].timeout"),
        ("h.json:12", f"{group}[5].timeout"),
        ("h.json:13", f"{group}[6].async"),
    ]


def test_a_toml_file_says_the_same() -> None:
    text = '[[hooks.PreToolUse]]\nmatcher = "^Bash$"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "x"\n'
    document = get("codex").parse(text, "/w/.codex/config.toml", {})
    made = HookEngine.load(document, "codex", runner=Scripted(said()))
    assert [spec.executor.text for spec in made.hooks] == ["x"] and made.problems == ()
    assert recognise([document]).name == "codex"


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "Bash", True), ("*", "Bash", True), ("Bash", "Bash", True), ("as", "Bash", False),
        ("Edit|Bash", "Bash", True), ("a.h", "Bash", True), ("|", "Bash", False),
        ("^Edit$", "apply_patch", True), ("Write", "apply_patch", True), ("^mcp__", "Bash", False),
    ],
)  # fmt: skip
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    decision = fired("codex", config(matcher=pattern), ToolPre(tool), said("", 2, "no"))
    assert decision.refused == wanted


def test_matchers_of_sources_and_triggers() -> None:
    for event, key in (("SessionStart", "source"), ("PreCompact", "trigger")):
        made = HookEngine.load(config(event, "^auto$"), "codex", runner=Scripted(said()))
        for value, wanted in (("auto", True), ("other", False)):
            decision = made.fire(get("codex").event(event, {key: value}))
            assert decision.outcomes[0].matched == wanted


def test_timeouts() -> None:
    for event, given, wanted in (
        ("PreToolUse", {}, 600), ("PreToolUse", {"timeout": 0.2}, 1), ("SessionEnd", {"timeout": 9}, 3),
    ):  # fmt: skip
        made = HookEngine.load(config(event, **given), "codex", runner=Scripted(said()))
        assert made.hooks[0].timeout == wanted


def test_a_plugin_knows_where_it_is() -> None:
    value = config(command="${PLUGIN_ROOT}/check.sh")
    document = Document(value, "/p/one/hooks/hooks.json", layer="bundle")
    made = HookEngine.load(document, "codex", runner=Scripted(said()), trust=lambda spec: True)
    executor = made.hooks[0].executor
    assert executor.text == "/p/one/check.sh" and dict(executor.env)["PLUGIN_ROOT"] == "/p/one"


def test_the_payload() -> None:
    runner = Scripted(said())
    made = HookEngine.load(config(), "codex", runner=runner)
    made.fire(ToolPre("Bash", {"command": "ls"}, call_id="c", session_id="s", turn_id="t", cwd="/w"))
    assert decode(runner.requests[0].stdin.decode()).value == {
        "session_id": "s", "transcript_path": None, "cwd": "/w", "hook_event_name": "PreToolUse",
        "model": "", "turn_id": "t", "permission_mode": "default", "tool_name": "Bash",
        "tool_input": {"command": "ls"}, "tool_use_id": "c",
    }  # fmt: skip


SPECIFIC = '{"hookSpecificOutput":{"hookEventName":"PreToolUse",%s}}'


@pytest.mark.parametrize(
    ("stdout", "better", "strict"),
    [
        (SPECIFIC % '"permissionDecision":"deny"', "deny", "none"),
        (SPECIFIC % '"permissionDecision":"ask"', "ask", "none"),
        (SPECIFIC % '"permissionDecision":"deny","permissionDecisionReason":"r","x":1', "deny", "none"),
        ('{"decision":"block"}', "deny", "none"),
        (SPECIFIC % '"permissionDecision":"allow"', "none", "none"),
        (SPECIFIC % '"updatedInput":{}', "none", "none"),
        (
            '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"r"}}',
            "deny",
            "none",
        ),
        ('{"decision":"block","reason":"r"}', "deny", "deny"),
    ],
)
def test_outputs_that_codex_drops_still_refuse(stdout: str, better: str, strict: str) -> None:
    assert fired("codex", config(), CALL, said(stdout)).permission == better
    assert fired("codex", config(), CALL, said(stdout), compat="strict").permission == strict


def test_a_stop_halts_a_call_in_better_mode() -> None:
    stop = said('{"continue":false,"stopReason":"enough"}')
    assert fired("codex", config(), CALL, stop).halt
    assert not fired("codex", config(), CALL, stop, compat="strict").refused


def test_exit_2_needs_a_reason_in_strict_mode() -> None:
    for words in ("", "  \n"):
        assert fired("codex", config(), CALL, said("", 2, words)).refused
        assert not fired("codex", config(), CALL, said("", 2, words), compat="strict").refused


def test_reserved_fields_of_a_permission_deny() -> None:
    event = Event("permission.request", tool=ToolCall("Bash", {}))
    for field in ("updatedInput", "updatedPermissions", "interrupt"):
        decided = {"behavior": "allow", field: {"a": 1}}
        text = encode({"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decided}})
        assert fired("codex", config("PermissionRequest"), event, said(text)).permission == "deny"


def test_two_rewrites_are_a_race_and_the_last_counts() -> None:
    group = {"hooks": [{"type": "command", "command": "a"}, {"type": "command", "command": "b"}]}
    answers = [
        said(SPECIFIC % f'"permissionDecision":"allow","updatedInput":{{"command":"{word}"}}')
        for word in "ab"
    ]
    made = HookEngine.load({"hooks": {"PreToolUse": [group]}}, "codex", runner=Scripted(*answers))
    decision = made.fire(CALL)
    assert decision.apply_to({}) == {"command": "b"}
    assert any("race" in note for note in decision.diagnostics)


def test_hooks_of_other_types_and_async_ones_are_told() -> None:
    made = HookEngine.load(
        {"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "p"}]}], "Nosuch": []}},
        "codex", runner=Scripted(said()),
    )  # fmt: skip
    assert made.hooks == () and len(made.diagnostics) == 3
    made = HookEngine.load(config(**{"async": True}), "codex", runner=Scripted(said()))
    assert made.hooks[0].background and "too late" in made.diagnostics[0]


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("PreToolUse", CALL, {"permission": "deny", "reason": "no"}),
        ("PreToolUse", CALL, {"permission": "allow", "input": (Operation("replace", {"command": "pwd"}),)}),
        ("PreToolUse", CALL, {}),
        ("UserPromptSubmit", PromptSubmit("hi"), {"block": True, "reason": "no"}),
        ("UserPromptSubmit", PromptSubmit("hi"), {"halt": True, "reason": "no"}),
        ("UserPromptSubmit", PromptSubmit("hi"), {"context": (("c", "prompt"),)}),
        ("Stop", Stop(), {"force_continue": True, "reason": "more"}),
        ("PostToolUse", ToolPost("Bash", {}, result="r"), {"result": (Operation("replace", "no"),)}),
        ("PermissionRequest", Event("permission.request", tool=ToolCall("Bash", {})), {"permission": "allow"}),
        ("PermissionRequest", Event("permission.request", tool=ToolCall("Bash", {})),
         {"permission": "deny", "reason": "no"}),
    ],
)  # fmt: skip
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("codex", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key
    assert got.refused == bool(
        decided.get("block") or decided.get("halt") or decided.get("permission") == "deny"
    )


def test_conversion_and_back() -> None:
    specs = HookEngine.load(config(matcher="^Bash$", timeout=7), "codex", runner=Scripted(said())).hooks
    rendered, lost = get("codex").render(specs)
    assert rendered == {
        "hooks": {"PreToolUse": [{"matcher": "^Bash$", "hooks": [
            {"type": "command", "command": "x", "timeout": 7}
        ]}]}
    }  # fmt: skip
    assert lost == ()
    ub = HookEngine.load(
        {"hooks": {"pre_tool_call": [{"command": ["a", "b c"], "on_failure": "block"}]}}, "ub",
        runner=Scripted(said()),
    )  # fmt: skip
    rendered, lost = get("codex").render(ub.hooks)
    assert rendered["hooks"]["PreToolUse"][0]["hooks"][0]["command"] == "a 'b c'"
    assert lost == ("pre_tool_call[0]: it refuses when it cannot run; Codex goes on",)


def test_what_could_not_run_is_its_own_state() -> None:
    decision = fired("codex", config(), CALL, RunResult(124, limit="wall_seconds"))
    assert not decision.refused and decision.could_not_run == ("PreToolUse[0]",)
    assert fired("codex", config(), CALL, RunResult(124, limit="wall_seconds"), fail_closed=True).refused


def test_whose_file_it_is() -> None:
    assert recognise([Document(config(), "/w/.codex/hooks.json")]).name == "codex"
    assert recognise([Document(config(commandWindows="y"))]).name == "codex"
    assert recognise([Document(config(matcher="apply_patch"))]).name == "codex"

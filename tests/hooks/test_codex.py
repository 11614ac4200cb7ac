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
    for event, key in (("SessionStart", "source"), ("PreCompact", "trigger"), ("SessionEnd", "reason")):
        made = HookEngine.load(config(event, "^auto$"), "codex", runner=Scripted(said()))
        for value, wanted in (("auto", True), ("other", False)):
            decision = made.fire(get("codex").event(event, {key: value}))
            assert decision.outcomes[0].matched == wanted


def test_a_matcher_sees_the_value_that_the_payload_has_without_one_of_the_host() -> None:
    for event, value in (("SessionStart", "startup"), ("SessionEnd", "other"), ("PreCompact", "auto")):
        made = HookEngine.load(config(event, value), "codex", runner=Scripted(said()))
        assert made.fire(get("codex").event(event, {})).outcomes[0].matched, event


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


def test_an_installed_plugin_knows_the_directory_of_its_data() -> None:
    value = config(command="${PLUGIN_DATA}/check.sh")
    document = Document(value, "/h/.codex/plugins/cache/shop/one/1.2/hooks/hooks.json", layer="bundle")
    made = HookEngine.load(document, "codex", runner=Scripted(said()), trust=lambda spec: True)
    executor = made.hooks[0].executor
    assert executor.text == "/h/.codex/plugins/data/one-shop/check.sh"
    assert dict(executor.env) == {
        "PLUGIN_ROOT": "/h/.codex/plugins/cache/shop/one/1.2",
        "CLAUDE_PLUGIN_ROOT": "/h/.codex/plugins/cache/shop/one/1.2",
        "PLUGIN_DATA": "/h/.codex/plugins/data/one-shop",
        "CLAUDE_PLUGIN_DATA": "/h/.codex/plugins/data/one-shop",
    }


def mcp(**fields: Any) -> dict[str, Any]:
    handler = {"type": "mcp_tool", "server": "s", "tool": "t", **fields}
    return {"hooks": {"PreToolUse": [{"hooks": [handler]}]}}


def test_a_tool_of_a_server_decides_if_the_host_calls_it() -> None:
    refusal = said('{"decision": "block", "reason": "no"}')
    made = HookEngine.load(mcp(), "codex", runner=Scripted(said()), executors={"mcp_tool": Scripted(refusal)})
    assert made.diagnostics == () and made.fire(CALL).reason == "no"


def test_a_tool_of_a_server_that_nobody_calls_could_not_run() -> None:
    made = HookEngine.load(mcp(), "codex", runner=Scripted(said()))
    assert "no executor is registered for the type 'mcp_tool'" in made.diagnostics[0]
    assert made.fire(CALL).could_not_run == ("PreToolUse[0]",)


@pytest.mark.parametrize("compat", ["strict", "better"])
def test_a_tool_whose_input_names_an_unknown_value_is_not_called(compat: Any) -> None:
    runner = Scripted(said('{"decision": "block", "reason": "no"}'))
    made = HookEngine.load(
        mcp(input={"a": "${tool_input.nosuch}"}), "codex", runner=Scripted(said()),
        executors={"mcp_tool": runner}, compat=compat,
    )  # fmt: skip
    decision = made.fire(CALL)
    assert not decision.refused and decision.could_not_run and runner.requests == []
    assert "${tool_input.nosuch} of the hook's input is not in the payload" in str(decision.outcomes[0].run)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"server": ""}, "server is required"), ({"tool": 5}, "wanted a string"),
        ({"input": []}, "wanted an object"), ({"input": {"a": [{"b": None}]}}, "has a null"),
    ],
)  # fmt: skip
def test_faults_of_a_tool(fields: dict[str, Any], fault: str) -> None:
    made = HookEngine.load(mcp(**fields), "codex", runner=Scripted(said()))
    assert made.hooks == () and fault in made.problems[0].message


def test_an_event_of_a_sub_agent_names_it_after_the_turn() -> None:
    runner = Scripted(said())
    made = HookEngine.load(config(), "codex", runner=runner)
    made.fire(CALL.with_(agent_id="a", extras={"agent_type": "default"}))
    keys = list(decode(runner.requests[0].stdin.decode()).value)
    assert keys[:5] == ["session_id", "turn_id", "agent_id", "agent_type", "transcript_path"]


def test_what_an_interrupted_turn_prints_ends_nothing() -> None:
    event = get("codex").event("Interrupt", {"turn_id": "t"})
    decision = fired("codex", config("Interrupt"), event, said('{"continue": false}'))
    assert not decision.refused and not decision.halt


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
    assert lost == (
        "pre_tool_call[0]: if it cannot run, Codex lets the action pass; `sandhook wrap` makes it refuse",
    )


def test_what_could_not_run_is_its_own_state() -> None:
    decision = fired("codex", config(), CALL, RunResult(124, limit="wall_seconds"))
    assert not decision.refused and decision.could_not_run == ("PreToolUse[0]",)
    assert fired("codex", config(), CALL, RunResult(124, limit="wall_seconds"), fail_closed=True).refused


def test_whose_file_it_is() -> None:
    assert recognise([Document(config(), "/w/.codex/hooks.json")]).name == "codex"
    assert recognise([Document(config(commandWindows="y"))]).name == "codex"
    assert recognise([Document(config(matcher="apply_patch"))]).name == "codex"

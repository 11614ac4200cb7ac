"""Mistral Vibe: its files, faults with their lines, patterns, strict hooks, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import Event, HookEngine, RunResult, Stop, ToolPost, ToolPre
from sandhook.hooks.contracts import Document, get, recognise
from sandhook.hooks.decode import decode, encode
from sandhook.hooks.model import Operation
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said


def config(event: str = "pre_tool", **more: Any) -> dict[str, Any]:
    return {"hooks": [{"name": "n", "type": event, "command": "x", **more}]}


CALL = ToolPre("bash", {"command": "ls"}, session_id="s")


def test_layers() -> None:
    assert paths("mistral_vibe", "/w", {"HOME": "/h"}) == [
        "user /h/.vibe/hooks.toml",
        "project /w/.vibe/hooks.toml",
    ]
    assert paths("mistral_vibe", "/w", {"VIBE_HOME": "/v"})[0] == "user /v/hooks.toml"


def test_the_projects_hooks_come_first_and_take_no_names() -> None:
    def document(layer: str, *names: str) -> Document:
        hooks = [{"name": name, "type": "pre_tool", "command": layer + name} for name in names]
        return Document({"hooks": hooks}, f"{layer}.toml", layer=layer)

    made = HookEngine.load(
        [document("user", "a", "b"), document("project", "c", "a")], "mistral_vibe",
        runner=Scripted(said()), trust=lambda spec: True,
    )  # fmt: skip
    assert [spec.executor.text for spec in made.hooks] == ["projectc", "projecta", "usera", "userb"]
    assert "the name 'a' is also in project.toml, whose layer cannot replace it" in made.diagnostics[0]


def test_ten_faults_are_ten_problems_with_their_lines() -> None:
    text = """
[[hooks]]
type = "pre_tool"
command = "x"
[[hooks]]
name = "b"
command = "x"
[[hooks]]
name = "c"
type = "pre_tool"
[[hooks]]
name = "d"
type = "nosuch"
command = "x"
[[hooks]]
name = "e"
type = "pre_tool"
command = 5
[[hooks]]
name = "f"
type = "pre_tool"
command = "x"
timeout = "soon"
[[hooks]]
name = "g"
type = "pre_tool"
command = "x"
strict = "soon"
[[hooks]]
name = "h"
type = "pre_tool"
command = "x"
match = "re:("
[[hooks]]
name = "i"
type = "post_agent"
command = "x"
match = "bash"
[[hooks]]
name = "j"
type = "pre_tool"
command = " "
"""
    assert faults("mistral_vibe", text, "h.toml") == [
        ("h.toml:2", "hooks[0]"),
        ("h.toml:5", "hooks[1]"),
        ("h.toml:8", "hooks[2]"),
        ("h.toml:13", "hooks[3].type"),
        ("h.toml:18", "hooks[4].command"),
        ("h.toml:23", "hooks[5].timeout"),
        ("h.toml:28", "hooks[6].strict"),
        ("h.toml:33", "hooks[7].match"),
        ("h.toml:38", "hooks[8].match"),
        ("h.toml:42", "hooks[9].command"),
    ]


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [
        ("", "bash", True), ("*", "bash", True), ("bash", "bash", True), ("bash", "bash2", False),
        ("mcp_*", "mcp_read", True), ("bash", "file_system.bash", True), ("file_*", "file_system.bash", True), ("BASH", "bash", True), ("re:bash|write", "write", True),
        ("re:ba", "bash", False), ("re:BASH", "bash", True), ("[bw]*", "write", True),
    ],
)  # fmt: skip
def test_patterns(pattern: str, tool: str, wanted: bool) -> None:
    deny = said('{"decision":"deny"}')
    assert fired("mistral_vibe", config(match=pattern), ToolPre(tool), deny).refused == wanted


@pytest.mark.parametrize(
    "ran", [said("", 2, "no"), said("text"), said("", 1), RunResult(124, limit="wall_seconds")]
)
def test_every_failure_warns_or_refuses(ran: RunResult) -> None:
    decision = fired("mistral_vibe", config(), CALL, ran)
    assert not decision.refused and decision.outcomes[0].verdict.warnings
    assert fired("mistral_vibe", config(strict=True), CALL, ran).permission == "deny"


def test_a_strict_hook_clears_a_result() -> None:
    event = ToolPost("bash", {}, result="key")
    decision = fired("mistral_vibe", config("post_tool", strict=True), event, said("text"))
    assert decision.apply_to_result(event.result).value == ""  # type: ignore[arg-type]


def test_a_hook_sees_what_the_earlier_ones_changed() -> None:
    value = {"hooks": [config(name=name)["hooks"][0] for name in "ab"]}
    runner = Scripted(said(encode({"hook_specific_output": {"tool_input": {"command": "pwd"}}})), said())
    decision = HookEngine.load(value, "mistral_vibe", runner=runner).fire(CALL)
    assert decode(runner.requests[1].stdin.decode()).value["tool_input"] == {"command": "pwd"}
    assert decision.apply_to(CALL.tool.input) == {"command": "pwd"}  # type: ignore[union-attr]


def test_a_refusal_ends_the_chain() -> None:
    value = {"hooks": [config(name=name)["hooks"][0] for name in "ab"]}
    runner = Scripted(said('{"decision":"deny","reason":"no"}'))
    decision = HookEngine.load(value, "mistral_vibe", runner=runner).fire(CALL)
    assert len(runner.requests) == 1 and decision.message == "no"


def test_the_agent_goes_on_three_times() -> None:
    deny = said('{"decision":"deny","reason":"more"}')
    for retries, goes_on in ((0, True), (2, True), (3, False)):
        event = Stop(extras={"retries": retries})
        assert fired("mistral_vibe", config("post_agent"), event, deny).force_continue == goes_on


def test_the_payload() -> None:
    runner = Scripted(said())
    made = HookEngine.load(config("post_tool"), "mistral_vibe", runner=runner)
    made.fire(ToolPost("bash", {"command": "ls"}, result={"out": 1}, call_id="c", session_id="s", cwd="/w"))
    assert decode(runner.requests[0].stdin.decode()).value == {
        "session_id": "s", "parent_session_id": None, "transcript_path": "", "cwd": "/w",
        "hook_event_name": "post_tool", "tool_name": "bash", "tool_call_id": "c",
        "tool_input": {"command": "ls"}, "tool_status": "success", "tool_output": {"out": 1},
        "tool_output_text": '{"out":1}', "tool_error": None, "duration_ms": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("pre_tool", CALL, {"permission": "deny", "reason": "no"}),
        ("pre_tool", CALL, {"permission": "allow"}),
        ("pre_tool", CALL, {"input": (Operation("replace", {"command": "pwd"}),)}),
        ("pre_tool", CALL, {}),
        ("post_tool", ToolPost("bash", {}, result="r"), {"result": (Operation("replace", "no"),)}),
        ("post_tool", ToolPost("bash", {}, result="r"), {"context": (("c", "result"),)}),
        ("post_agent", Stop(), {"force_continue": True, "reason": "more"}),
        ("post_agent", Stop(), {"system_message": "done"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("mistral_vibe", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = config(match="re:bash|write", strict=True, timeout=7)
    specs = HookEngine.load(value, "mistral_vibe", runner=Scripted(said())).hooks
    rendered, lost = get("mistral_vibe").render(specs)
    assert rendered == {"hooks": [
        {"name": "n", "type": "pre_tool", "match": "re:bash|write", "command": "x", "timeout": 7.0, "strict": True}
    ]}  # fmt: skip
    assert lost == ()
    crush = {
        "hooks": {"PreToolUse": [{"command": "x", "matcher": "ba"}, {"command": "y", "matcher": "^bash$"}]}
    }
    specs = HookEngine.load(crush, "crush", runner=Scripted(said())).hooks
    rendered, lost = get("mistral_vibe").render(specs)
    assert [hook["match"] for hook in rendered["hooks"]] == ["re:.*(?:ba).*", "bash"]


def test_whose_file_it_is() -> None:
    assert recognise([Document(config())]).name == "mistral_vibe"
    assert recognise([Document({"hooks": [{"event": "pre_tool_use"}]})]).name == "everruns"


@pytest.mark.parametrize(("version", "named"), [("", True), ("@3.0.3", True), ("@3.0.2", False)])
def test_the_payload_of_a_turns_end_names_the_agent_since_3_0_3(version: str, named: bool) -> None:
    runner = Scripted(said())
    engine = HookEngine.load(
        config("post_agent"), f"mistral_vibe{version}", runner=runner, trust=lambda spec: True
    )
    engine.fire(engine.contracts[0].event("post_agent", {"session_id": "s", "agent_name": "plan"}))
    assert ("agent_name" in runner.requests[0].payload) is named

"""Docker Agent: its file, faults with their lines, several agents, and the way back."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.hooks import (
    Event,
    HookEngine,
    PromptSubmit,
    RunResult,
    SessionStart,
    ToolCall,
    ToolPost,
    ToolPre,
)
from sandhook.hooks.contracts import ContractError, Document, get, recognise
from sandhook.hooks.contracts.docker_agent.names import GROUPED
from sandhook.hooks.decode import decode
from sandhook.hooks.model import Operation
from tests.hooks.agenttools import back, faults, fired, paths
from tests.hooks.hooktools import Scripted, said

DOCKER = get("docker_agent")


def config(event: str = "pre_tool_use", matcher: str | None = None, **more: Any) -> dict[str, Any]:
    hook: dict[str, Any] = {"type": "command", "command": "x", **more}
    if event in GROUPED:
        hook = {"hooks": [hook], **({"matcher": matcher} if matcher is not None else {})}
    return {"agents": {"root": {"hooks": {event: [hook]}}}}


CALL = ToolPre("shell", {"cmd": "ls"}, session_id="s")


def test_layers() -> None:
    assert paths("docker_agent", "/w", {})[0] == "project /w/cagent.yaml"


def test_ten_faults_are_ten_problems_with_their_lines() -> None:
    text = """agents:
  root:
    hooks:
      pre_tool_use:
        - 5
        - matcher: 5
          hooks: []
        - matcher: "("
          hooks: []
        - matcher: a
        - hooks:
            - command: x
            - type: shell
              command: x
            - type: command
            - type: command
              command: 5
            - type: command
              command: x
              timeout: soon
      session_start:
        - text
        - type: command
          command: ""
"""
    hook = "agents.root.hooks.pre_tool_use"
    assert faults("docker_agent", text, "a.yaml") == [
        ("a.yaml:5", f"{hook}[0]"),
        ("a.yaml:6", f"{hook}[1].matcher"),
        ("a.yaml:8", f"{hook}[2].matcher"),
        ("a.yaml:10", f"{hook}[3]"),
        ("a.yaml:12", f"{hook}[4].hooks[0].type"),
        ("a.yaml:13", f"{hook}[4].hooks[1].type"),
        ("a.yaml:15", f"{hook}[4].hooks[2].command"),
        ("a.yaml:17", f"{hook}[4].hooks[3].command"),
        ("a.yaml:20", f"{hook}[4].hooks[4].timeout"),
        ("a.yaml:22", "agents.root.hooks.session_start[0]"),
        ("a.yaml:24", "agents.root.hooks.session_start[1].command"),
    ]


@pytest.mark.parametrize(
    ("pattern", "tool", "wanted"),
    [("", "a", True), ("*", "a", True), ("shell|edit_file", "shell", True), ("she", "shell", False)],
)
def test_matchers(pattern: str, tool: str, wanted: bool) -> None:
    assert fired("docker_agent", config(matcher=pattern), ToolPre(tool), said("", 2, "no")).refused == wanted


def test_an_agents_hooks_are_its_own() -> None:
    value = config()
    value["agents"]["helper"] = config(command="y")["agents"]["root"]
    made = HookEngine.load(value, "docker_agent", runner=Scripted(said()))

    def ran(agent: str | None) -> list[str]:
        outcomes = made.fire(CALL.with_(agent_id=agent)).outcomes
        return [each.spec.executor.text for each in outcomes if each.run]

    assert (ran("root"), ran("helper"), ran(None)) == (["x"], ["y"], ["x", "y"])


def test_the_payload() -> None:
    runner = Scripted(said())
    made = HookEngine.load(config(timeout=5), "docker_agent", runner=runner)
    made.fire(ToolPre("shell", {"cmd": "a<b"}, call_id="c", session_id="s", cwd="/w"))
    assert decode(runner.requests[0].stdin.decode()).value == {
        "session_id": "s", "cwd": "/w", "hook_event_name": "pre_tool_use", "tool_name": "shell",
        "tool_use_id": "c", "tool_input": {"cmd": "a<b"},
    }  # fmt: skip
    assert runner.requests[0].spec.timeout == 5


@pytest.mark.parametrize(
    "ran", [said("text"), said("", 1), RunResult(124, limit="wall_seconds"), RunResult(failure="no")]
)
def test_failures_pass_unless_the_caller_closes(ran: RunResult) -> None:
    assert not fired("docker_agent", config(), CALL, ran).refused
    assert fired("docker_agent", config(), CALL, ran, fail_closed="strict").refused


def test_an_unknown_event_is_named() -> None:
    with pytest.raises(ContractError, match="unknown event 'nosuch'"):
        DOCKER.event("nosuch", {})


@pytest.mark.parametrize(
    ("name", "event", "decided"),
    [
        ("pre_tool_use", CALL, {"permission": "deny", "reason": "no"}),
        ("pre_tool_use", CALL, {"permission": "ask"}),
        ("pre_tool_use", CALL, {"permission": "allow", "input": (Operation("replace", {"cmd": "pwd"}),)}),
        ("pre_tool_use", CALL, {"halt": True, "reason": "enough"}),
        (
            "permission_request",
            Event("permission.request", tool=ToolCall("shell", {})),
            {"permission": "deny"},
        ),
        ("user_prompt_submit", PromptSubmit("hi"), {"block": True, "reason": "no"}),
        ("post_tool_use", ToolPost("shell", {}, result="r"), {"result": (Operation("replace", "no"),)}),
        ("session_start", SessionStart(), {"context": (("c", "session"),), "system_message": "m"}),
    ],
)
def test_the_way_back(name: str, event: Event, decided: dict[str, Any]) -> None:
    got = back("docker_agent", config(name), event, **decided)
    for key, value in decided.items():
        assert getattr(got, key) == value, key


def test_conversion() -> None:
    value = config(matcher="shell|edit", timeout=7)
    specs = HookEngine.load(value, "docker_agent", runner=Scripted(said())).hooks
    assert DOCKER.render(specs) == (value, ())


def test_whose_file_it_is() -> None:
    assert recognise([Document(config())]).name == "docker_agent"

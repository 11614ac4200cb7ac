"""Hooks of types that only the agent runs: they could not run, which an engine that fails closed takes for a refusal."""

from __future__ import annotations

from typing import Any

import pytest

from sandhook.errors import ConfigError
from sandhook.hooks import Event, HookEngine, ToolPre
from sandhook.hooks.model import Request, RunResult

URL, PROMPT = {"type": "http", "url": "https://example.com/"}, {"type": "prompt", "prompt": "p"}


def nested(event: str, handler: dict[str, Any]) -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [handler]}]}}


CONFIGURATIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("qwen", "http", nested("PreToolUse", URL)),
    ("qwen", "prompt", nested("PreToolUse", PROMPT)),
    ("qwen", "function", nested("PreToolUse", {"type": "function"})),
    ("claude_code", "http", nested("PreToolUse", URL)),
    ("claude_code", "prompt", nested("PreToolUse", PROMPT)),
    ("grok", "http", nested("PreToolUse", URL)),
    ("copilot", "http", {"version": 1, "hooks": {"preToolUse": [URL]}}),
    ("copilot", "http", {"version": 1, "hooks": {"PreToolUse": [URL]}}),
    ("copilot", "prompt", {"version": 1, "hooks": {"preToolUse": [PROMPT]}}),
    ("openhands", "prompt", nested("PreToolUse", PROMPT)),
    ("openhands", "agent", nested("PreToolUse", {"type": "agent", "prompt": "p"})),
    ("antigravity", "prompt", {"name": {"PreToolUse": [{"hooks": [PROMPT]}]}}),
    ("cursor", "prompt", {"version": 1, "hooks": {"preToolUse": [PROMPT]}}),
    (
        "kiro",
        "agent",
        {
            "version": "v1",
            "hooks": [{"name": "n", "trigger": "PreToolUse", "action": {"type": "agent", "prompt": "p"}}],
        },
    ),
]

EACH = pytest.mark.parametrize(("agent", "type_", "config"), CONFIGURATIONS)


def call() -> Event:
    return ToolPre("run_shell_command", {"command": "ls"})


@EACH
def test_such_a_hook_could_not_run(agent: str, type_: str, config: dict[str, Any]) -> None:
    engine = HookEngine.load(config, agent)
    assert [spec.executor.type for spec in engine.hooks] == [type_]
    assert any("cannot run" in str(each) for each in engine.diagnostics)
    (outcome,) = engine.fire(call()).outcomes
    assert outcome.could_not_run == f"no executor is registered for the type {type_!r}"


@EACH
def test_it_refuses_where_the_engine_fails_closed(agent: str, type_: str, config: dict[str, Any]) -> None:
    assert HookEngine.load(config, agent, fail_closed=True).fire(call()).refused


@EACH
def test_the_host_may_run_it(agent: str, type_: str, config: dict[str, Any]) -> None:
    asked: list[Request] = []

    def run(request: Request) -> RunResult:
        asked.append(request)
        return RunResult(0)

    decision = HookEngine.load(config, agent, executors={type_: run}, fail_closed=True).fire(call())
    assert len(asked) == 1
    assert not decision.refused


@pytest.mark.parametrize("agent", ["gemini", "droid", "goose"])
def test_a_type_that_the_agent_does_not_have_is_a_fault(agent: str) -> None:
    event = "BeforeTool" if agent == "gemini" else "PreToolUse"
    with pytest.raises(ConfigError, match="http"):
        HookEngine.load(nested(event, URL), agent, fail_closed=True)

"""Hooks and bash in the Claude Agent SDK: its real CLI, with a model server on the loopback address."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk", reason="claude-agent-sdk is not installed: make test-bridges")

import claude_agent_sdk as sdk

from sandhook.bridges.claude_agent_sdk import bash_server, hook_matchers
from sandhook.bridges.core import Guard
from sandhook.bridges.shelltool import ShellTool
from tests.bridges.scenarios import (
    ASK,
    COMMAND,
    HALT,
    PROMPT,
    SCENARIOS,
    Recorder,
    Scenario,
    Trace,
    check,
    settings,
)
from tools.agents.recorder.model import ModelServer

BUNDLED = Path(sdk.__file__).parent / "_bundled" / ("claude.exe" if os.name == "nt" else "claude")

pytestmark = [
    pytest.mark.filterwarnings("default"),  # what a framework warns of is not ours
    pytest.mark.skipif(
        not BUNDLED.exists() and shutil.which("claude") is None, reason="there is no CLI claude"
    ),
]

BASH = "mcp__sandhook__bash"


def run(
    hooks: Any, script: list[Any], home: Path, shell: Any = None, **more: Any
) -> tuple[ModelServer, list[Any]]:
    """Run a query with hooks, and return the model server and the messages of the SDK."""
    (home / "project").mkdir()

    async def ask(url: str) -> list[Any]:
        options = sdk.ClaudeAgentOptions(
            hooks=hook_matchers(hooks),
            mcp_servers={"sandhook": bash_server(shell)},
            allowed_tools=more.pop("allowed_tools", [BASH, "Agent", "Task"]),
            setting_sources=[],
            model="claude-sonnet-4-5",
            cwd=str(home / "project"),
            env={
                "ANTHROPIC_BASE_URL": url,
                "ANTHROPIC_API_KEY": "sk-ant-made-up",
                "CLAUDE_CONFIG_DIR": str(home / "config"),
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
                "DISABLE_AUTOUPDATER": "1",
                "DISABLE_TELEMETRY": "1",
                "ENABLE_TOOL_SEARCH": "false",
            },
            **more,
        )
        messages = []
        async with sdk.ClaudeSDKClient(options=options) as client:
            await client.query("delegate it" if "sub" in home.name else PROMPT)
            async for message in client.receive_response():
                messages.append(message)
        return messages

    with ModelServer(script, {}) as model:
        return model, asyncio.run(asyncio.wait_for(ask(model.url), 90))


def texts(request: Any) -> str:
    """Return the texts of the messages of a request."""
    found = []
    for message in request["messages"]:
        content = message["content"]
        for block in [{"text": content}] if isinstance(content, str) else content:
            inner = block.get("content")
            found.append(str(block.get("text", "")))
            found += [inner] if isinstance(inner, str) else [str(each.get("text")) for each in inner or ()]
    return "\n".join(found)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda each: each.name)
def test_decides_what_fire_decides(scenario: Scenario, tmp_path: Path) -> None:
    home = tmp_path / ("sub" if scenario.sub_agent else "top")
    home.mkdir()

    def drive(scenario: Scenario, config: dict[str, object], shell: Recorder) -> Trace:
        script: list[Any] = [{"tool": BASH, "input": {"command": COMMAND}}]
        if scenario.sub_agent:
            task = {"description": "look", "prompt": PROMPT, "subagent_type": "general-purpose"}
            script.insert(0, {"tool": "Agent", "input": task})
        model, _ = run(config, script, home, shell)
        requests = [texts(request) for request in model.requests]
        if not scenario.sub_agent:
            return Trace(shell.commands, requests)
        outer = [request for request in requests if "delegate it" in request]
        return Trace(shell.commands, [each for each in requests if each not in outer], outer)

    check(scenario, drive)


@pytest.mark.parametrize("allows", [True, False])
def test_ask_is_a_permission(allows: bool, tmp_path: Path) -> None:
    asked: list[Any] = []

    async def can_use_tool(name: str, input: dict[str, Any], context: Any) -> Any:
        asked.append((name, input))
        return sdk.PermissionResultAllow() if allows else sdk.PermissionResultDeny(message="better not")

    shell = Recorder()
    script = [{"tool": BASH, "input": {"command": COMMAND}}]
    model, _ = run(settings(PreToolUse=ASK), script, tmp_path, shell, can_use_tool=can_use_tool)
    assert asked == [(BASH, {"command": COMMAND})]
    assert shell.commands == ([COMMAND] if allows else [])
    assert allows or "better not" in texts(model.requests[-1])


def test_a_refused_message_never_reaches_the_model(tmp_path: Path) -> None:
    model, _ = run(settings(UserPromptSubmit="echo not this >&2; exit 2"), [], tmp_path)
    assert model.requests == []


@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse"])
def test_a_halt_ends_the_agent(event: str, tmp_path: Path) -> None:
    shell = Recorder()
    script = [{"tool": BASH, "input": {"command": COMMAND}}, {"text": "never"}]
    model, _ = run(settings(**{event: HALT}), script, tmp_path, shell)
    assert len(model.requests) == 1
    assert bool(shell.commands) == (event == "PostToolUse")


@pytest.mark.parametrize("tool", [BASH, "Bash"])
def test_a_result_whose_hook_could_not_run_is_withheld(tool: str, tmp_path: Path) -> None:
    script = [{"tool": tool, "input": {"command": "echo se''cret"}}]
    hooks = settings(PostToolUse="/opt/nosuch/redact")
    model, _ = run(hooks, script, tmp_path, allowed_tools=[BASH, "Bash"])
    last = texts(model.requests[-1])
    assert "secret" not in last
    assert "could not run" in last


def test_hooks_for_Bash_run_for_the_tool_of_sandhook() -> None:
    config = settings(PreToolUse="exit 2")
    config["hooks"]["PreToolUse"][0]["matcher"] = "Bash"  # type: ignore[index]
    assert Guard(config).before_tool(BASH, {}).action == "refuse"
    assert list(hook_matchers(config)) == ["PreToolUse"]


@pytest.mark.skipif(
    "timeout" not in sdk.HookMatcher.__dataclass_fields__, reason="this version has no timeouts"
)
def test_the_sdk_waits_longer_than_all_hooks_of_an_event() -> None:
    config = settings(PreToolUse="true")
    hooks = config["hooks"]["PreToolUse"][0]["hooks"]  # type: ignore[index]
    hooks.append({**hooks[0], "command": ":", "timeout": 5})
    assert hook_matchers(config)["PreToolUse"][0].timeout == 66


def test_a_payload_that_cannot_be_read_refuses() -> None:
    (matcher,) = hook_matchers(settings(PreToolUse="true"))["PreToolUse"]
    answer = asyncio.run(matcher.hooks[0]({"tool_input": {}}, None, None))
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_shell_is_restored(tmp_path: Path) -> None:
    shell = ShellTool()
    shell.run("x=stored")
    script = [{"tool": BASH, "input": {"command": "echo $x"}}]
    model, _ = run({}, script, tmp_path, ShellTool.restore(shell.snapshot()))
    assert "stored" in texts(model.requests[-1])

"""Callbacks of the Claude Agent SDK, called as it calls them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sandhook.hooks import HookEngine, RunResult
from sandhook.hooks.adapters.claude_sdk import callbacks, matchers
from tests.hooks.hooktools import Scripted, said

CRUSH = {"hooks": {"PreToolUse": [{"command": "exit 2"}]}}


def settings(event: str, command: str, **more: Any) -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [{"type": "command", "command": command, **more}]}]}}


def call(
    config: dict[str, Any], name: str, given: dict[str, Any], *, contract: str = "claude_code", **options: Any
) -> dict[str, Any]:
    engine = HookEngine.load(config, contract, **options)
    common = {"session_id": "s", "transcript_path": "/t", "cwd": "/workspace", "hook_event_name": name}
    return asyncio.run(_run(callbacks(engine)[name], {**common, **given}))


async def _run(hook: Any, given: dict[str, Any]) -> dict[str, Any]:
    answer: dict[str, Any] = await hook(given, "toolu_1", {"signal": None})
    return answer


BASH = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}


def test_a_command_hook_denies() -> None:
    config = settings("PreToolUse", "jq -r '.tool_input.command + \" \" + .tool_use_id' >&2; exit 2")
    assert call(config, "PreToolUse", BASH) == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": "rm -rf / toolu_1",
        }
    }


def test_no_opinion_is_an_empty_answer() -> None:
    assert call(settings("PreToolUse", "true"), "PreToolUse", BASH) == {}


def test_words_of_the_language_have_an_underscore() -> None:
    config = settings("PreToolUse", """echo '{"continue":false,"stopReason":"enough"}'""")
    answer = call(config, "PreToolUse", BASH)
    assert (answer["continue_"], answer["stopReason"]) == (False, "enough")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_stop_prompt_and_result() -> None:
    assert call(settings("Stop", "echo go on >&2; exit 2"), "Stop", {"stop_hook_active": False}) == {
        "decision": "block",
        "reason": "go on",
    }
    assert call(settings("UserPromptSubmit", "echo hi"), "UserPromptSubmit", {"prompt": "p"}) == {
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "hi"}
    }
    new = """echo '{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"new"}}'"""
    answer = call(settings("PostToolUse", new), "PostToolUse", {**BASH, "tool_response": "old"})
    assert answer["hookSpecificOutput"]["updatedToolOutput"] == "new"


def test_hooks_of_another_agent() -> None:
    answer = call(CRUSH, "PreToolUse", BASH, contract="crush")
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_a_payload_that_cannot_be_read_refuses() -> None:
    answer = call(settings("PreToolUse", "true"), "PreToolUse", {"tool_input": {}})
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "tool_name" in answer["hookSpecificOutput"]["permissionDecisionReason"]
    answer = call(settings("UserPromptSubmit", "true"), "UserPromptSubmit", {"prompt": 5})
    assert answer["decision"] == "block"


def test_what_could_not_run_refuses_when_the_caller_fails_closed() -> None:
    runner = Scripted(RunResult(failure="no such worker"))
    for closed, answer in ((False, {}), (True, "deny")):
        got = call(settings("PreToolUse", "true"), "PreToolUse", BASH, runner=runner, fail_closed=closed)
        assert got.get("hookSpecificOutput", {}).get("permissionDecision", {}) == answer


def test_only_events_with_hooks_have_callbacks_and_the_sdk_waits_longer_than_they() -> None:
    config = settings("PreToolUse", "true", timeout=7)
    config["hooks"]["SessionStart"] = [{"hooks": [{"type": "command", "command": "true"}]}]
    engine = HookEngine.load(config, "claude_code", runner=Scripted(said()))

    def hook_matcher(**fields: Any) -> dict[str, Any]:
        return fields

    made = matchers(engine, hook_matcher)
    assert list(made) == ["PreToolUse"]
    assert (made["PreToolUse"][0]["timeout"], made["PreToolUse"][0]["matcher"]) == (8.0, None)
    assert matchers(engine, hook_matcher, timeout=3)["PreToolUse"][0]["timeout"] == 3


def test_a_cancelled_callback_ends_its_hooks() -> None:
    engine = HookEngine.load(settings("PreToolUse", "while :; do :; done"), "claude_code")
    hook = callbacks(engine)["PreToolUse"]

    async def run() -> bool:
        task = asyncio.ensure_future(_run(hook, {**BASH, "cwd": "/workspace"}))
        await asyncio.sleep(0.05)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        return False

    assert asyncio.run(asyncio.wait_for(run(), 20))


def test_a_defect_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(*arguments: Any) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(HookEngine, "afire", fails)
    answer = call(settings("PreToolUse", "true"), "PreToolUse", BASH)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    reason = answer["hookSpecificOutput"]["permissionDecisionReason"]
    assert reason == "sandhook: internal error: ZeroDivisionError: oh"

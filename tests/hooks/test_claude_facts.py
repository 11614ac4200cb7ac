"""Facts of Claude Code's documentation and release notes that no record of a run shows.

The records of conformance/hooks/claude_code/recorded have the events that fire without a user. This file has the
others: matchers of rare events, the keys that single events honour, variables, and what each event does with exit 2.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from sandhook.hooks import Decision, HookEngine, contracts
from sandhook.hooks.contracts.claude_code.names import ROWS
from tests.hooks.hooktools import Scripted, said

CLAUDE = contracts.get("claude_code")

#: A payload of each event, without the common keys.
PAYLOADS: dict[str, dict[str, Any]] = {
    "SessionStart": {"source": "startup"},
    "Setup": {"trigger": "init"},
    "InstructionsLoaded": {
        "file_path": "/p/CLAUDE.md",
        "memory_type": "Project",
        "load_reason": "session_start",
    },
    "UserPromptSubmit": {"prompt": "hi"},
    "UserPromptExpansion": {
        "expansion_type": "slash_command",
        "command_name": "hey",
        "command_args": "",
        "command_source": "project",
        "prompt": "/hey",
    },
    "MessageDisplay": {"turn_id": "t", "message_id": "m", "index": 0, "final": True, "delta": "hi"},
    "PreToolUse": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "u"},
    "PermissionRequest": {"tool_name": "Bash", "tool_input": {"command": "ls"}},
    "PermissionDenied": {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "u", "reason": "r"},
    "PostToolUse": {
        "tool_name": "Bash",
        "tool_input": {},
        "tool_response": {"stdout": "x"},
        "tool_use_id": "u",
    },
    "PostToolUseFailure": {"tool_name": "Bash", "tool_input": {}, "tool_use_id": "u", "error": "e"},
    "PostToolBatch": {"tool_calls": []},
    "Notification": {"message": "m", "notification_type": "idle_prompt"},
    "SubagentStart": {"agent_id": "a", "agent_type": "Explore"},
    "SubagentStop": {"stop_hook_active": False, "agent_id": "a", "agent_type": "Explore"},
    "TaskCreated": {"task_id": "1", "task_subject": "s"},
    "TaskCompleted": {"task_id": "1", "task_subject": "s"},
    "Stop": {"stop_hook_active": False},
    "StopFailure": {"error": "rate_limit"},
    "TeammateIdle": {"teammate_name": "n", "team_name": "t"},
    "ConfigChange": {"source": "project_settings"},
    "CwdChanged": {"old_cwd": "/a", "new_cwd": "/b"},
    "DirectoryAdded": {"directory": "/d", "source": "slash_command"},
    "FileChanged": {"file_path": "/p/.env", "event": "change"},
    "WorktreeCreate": {"name": "w"},
    "WorktreeRemove": {"worktree_path": "/w"},
    "PreCompact": {"trigger": "manual", "custom_instructions": ""},
    "PostCompact": {"trigger": "manual", "compact_summary": "s"},
    "Elicitation": {"mcp_server_name": "srv", "message": "m"},
    "ElicitationResult": {"mcp_server_name": "srv", "action": "accept"},
    "SessionEnd": {"reason": "other"},
    "PreModelSwitch": {"to_model": "claude-opus-4-5"},
    "PostModelSwitch": {"to_model": "claude-opus-4-5"},
}


def fire(
    name: str,
    *answers: Any,
    handler: dict[str, Any] | None = None,
    matcher: str | None = None,
    **changes: Any,
) -> tuple[Decision, Scripted]:
    """Return the decision of hooks with prepared answers on an event, and their runner."""
    runner = Scripted(*(each if not isinstance(each, dict) else said(json.dumps(each)) for each in answers))
    group: dict[str, Any] = {"hooks": [{"type": "command", "command": "x", **(handler or {})}]}
    if matcher is not None:
        group["matcher"] = matcher
    engine = HookEngine.load({"hooks": {name: [group]}}, CLAUDE, runner=runner, compat="strict")
    payload = {"session_id": "s", "cwd": "/p", "hook_event_name": name, **PAYLOADS[name], **changes}
    return engine.fire(CLAUDE.event(name, payload)), runner


def specific(name: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": name, **fields}}


def test_there_is_a_payload_of_every_event() -> None:
    assert set(PAYLOADS) == set(ROWS)
    assert len(ROWS) == 33


@pytest.mark.parametrize(
    ("name", "matcher", "changes", "runs"),
    [
        ("FileChanged", ".env|package.json", {}, True),
        ("FileChanged", "env", {}, False),  # plain: the whole base name
        ("FileChanged", "Makefile|Dockerfile", {"file_path": "/p/Dockerfile"}, True),
        ("FileChanged", "my-file", {"file_path": "/p/my-file.txt"}, True),  # a hyphen makes an expression here
        ("FileChanged", "a,b", {"file_path": "/p/a"}, False),  # a comma as well
        ("FileChanged", "a, b", {"file_path": "/p/xa, by"}, True),
        ("StopFailure", "rate_limit", {}, True),
        ("StopFailure", "rate_limit|overloaded", {}, True),
        ("StopFailure", "rate_limit,overloaded", {}, False),
        ("StopFailure", "rate-", {"error": "rate-limited"}, True),
        ("PreToolUse", "rate-", {"tool_name": "rate-limited"}, False),
        ("PreToolUse", "Write, Bash", {}, True),
        ("PreToolUse", "Write ,Edit", {}, False),
        ("PreToolUse", "bash", {}, False),
        ("PreToolUse", "mcp__srv", {"tool_name": "mcp__srv__tool"}, False),
        ("PreToolUse", "mcp__srv__.*", {"tool_name": "mcp__srv__tool"}, True),
        ("PreToolUse", "mcp__plugin_p_srv__tool", {"tool_name": "mcp__plugin_p_srv__tool"}, True),
        ("PreToolUse", "Edit.*", {"tool_name": "NotebookEdit"}, True),
        ("PreToolUse", "^Edit.*", {"tool_name": "NotebookEdit"}, False),
        ("SessionStart", "startup|resume", {"source": "resume"}, True),
        ("SessionStart", "startup", {"source": "fork"}, False),
        ("Setup", "maintenance", {}, False),
        ("SessionEnd", "logout", {}, False),
        ("SessionEnd", "other|clear", {}, True),
        ("Notification", "permission_prompt", {}, False),
        ("Notification", "idle_prompt", {}, True),
        ("SubagentStart", "Explore", {}, True),
        ("SubagentStop", "^plugin:agent$", {"agent_type": "plugin:agent"}, True),
        ("PreCompact", "auto", {}, False),
        ("ConfigChange", "user_settings", {}, False),
        ("ConfigChange", "project_settings", {}, True),
        ("DirectoryAdded", "register_repo_root", {}, False),
        ("InstructionsLoaded", "session_start", {}, True),
        ("UserPromptExpansion", "hey", {}, True),
        ("UserPromptExpansion", "he", {}, False),
        ("Elicitation", "other", {}, False),
        ("ElicitationResult", "srv", {}, True),
        ("PreModelSwitch", "claude-opus-4-5", {}, True),
        ("PostModelSwitch", "claude-opus", {}, False),
        *((name, "never-this", {}, True) for name in (
            "UserPromptSubmit", "PostToolBatch", "Stop", "TeammateIdle", "TaskCreated", "TaskCompleted",
            "WorktreeCreate", "WorktreeRemove", "MessageDisplay", "CwdChanged",
        )),
    ],
)  # fmt: skip
def test_what_a_matcher_looks_at(name: str, matcher: str, changes: dict[str, Any], runs: bool) -> None:
    _, runner = fire(name, said("/w"), matcher=matcher, **changes)
    assert bool(runner.requests) == runs


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_condition_runs_on_events_of_tools_alone(name: str) -> None:
    _, runner = fire(name, said(), handler={"if": "Bash"})
    tools = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied")
    assert bool(runner.requests) == (name in tools)


#: What the exit status 2 does: refuses, makes the agent continue, or nothing.
_STATUS_2 = {
    **dict.fromkeys(("UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PreCompact"), "refuses"),
    **dict.fromkeys(("TaskCreated", "TaskCompleted", "ConfigChange", "WorktreeCreate"), "refuses"),
    **dict.fromkeys(("Elicitation", "ElicitationResult", "PreModelSwitch"), "refuses"),
    **dict.fromkeys(("Stop", "SubagentStop", "TeammateIdle"), "continues"),
}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_exit_status_2_by_event(name: str) -> None:
    decision, _ = fire(name, said("", 2, "no"))
    wanted = _STATUS_2.get(name, "nothing")
    declined = (decision.extras or {}).get("action") == "decline"
    assert (decision.refused or declined, decision.force_continue) == (
        wanted == "refuses" or (name == "PostToolBatch" and decision.halt),
        wanted == "continues",
    )


def test_a_change_of_the_organisations_settings_cannot_be_blocked() -> None:
    decision, _ = fire("ConfigChange", said("", 2, "no"), source="policy_settings")
    assert not decision.refused


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("SessionStart", {"initialUserMessage": "go", "sessionTitle": "t", "watchPaths": ["/a"], "reloadSkills": True}),
        ("UserPromptSubmit", {"sessionTitle": "t", "suppressOriginalPrompt": True}),
        ("MessageDisplay", {"displayContent": "other"}),
        ("PermissionDenied", {"retry": True}),
        ("PostToolUse", {"classifierContext": "c"}),
        ("CwdChanged", {"watchPaths": ["/a"]}),
        ("FileChanged", {"watchPaths": ["/a"]}),
        ("Elicitation", {"action": "accept", "content": {"a": 1}}),
        ("ElicitationResult", {"action": "cancel"}),
    ],
)  # fmt: skip
def test_the_keys_that_an_event_honours_reach_the_caller(name: str, fields: dict[str, Any]) -> None:
    decision, _ = fire(name, specific(name, **fields))
    assert {key: (decision.extras or {}).get(key) for key in fields} == fields


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("Stop", {"sessionTitle": "t"}),
        ("PreToolUse", {"displayContent": "x"}),
        ("Notification", {"additionalContext": "c"}),
        ("PostCompact", {"additionalContext": "c"}),
        ("MessageDisplay", {"watchPaths": ["/a"]}),
    ],
)
def test_a_key_of_another_event_has_no_effect(name: str, fields: dict[str, Any]) -> None:
    decision, _ = fire(name, specific(name, **fields))
    assert not decision.extras and not decision.context
    notes = [note for outcome in decision.outcomes for note in outcome.verdict.diagnostics]
    assert any(next(iter(fields)) in note for note in notes)


def test_the_content_of_an_elicitation_is_dropped_by_the_exit_status_2() -> None:
    output = json.dumps(specific("Elicitation", action="accept", content={"a": 1}))
    decision, _ = fire("Elicitation", said(output, 2, "no"))
    assert "content" not in (decision.extras or {})
    assert (decision.extras or {}).get("action") == "decline"


def test_a_tool_of_a_server_has_its_output_replaced_by_the_older_key() -> None:
    output = specific("PostToolUse", updatedMCPToolOutput="other")
    decision, _ = fire("PostToolUse", output, tool_name="mcp__srv__tool", tool_response="x")
    assert decision.result


@pytest.mark.parametrize("name", sorted(ROWS))
def test_variables_of_a_hook(name: str) -> None:
    _, runner = fire(name, said("/w"))
    (request,) = runner.requests
    assert request.env["CLAUDECODE"] == request.env["CLAUDE_CODE_CHILD_SESSION"] == "1"
    assert (request.env["CLAUDE_CODE_SESSION_ID"], request.env["CLAUDE_PROJECT_DIR"]) == ("s", "/p")
    assert ("CLAUDE_ENV_FILE" in request.env) == (
        name in ("SessionStart", "Setup", "CwdChanged", "FileChanged")
    )


def test_telemetry_variables_are_not_inherited() -> None:
    env = {"OTEL_EXPORTER": "x", "OTHER": "y"}
    runner = Scripted(said())
    hooks = {"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}
    engine = HookEngine.load({"hooks": hooks}, CLAUDE, runner=runner, env=env)
    engine.fire(CLAUDE.event("PreToolUse", {"session_id": "s", "cwd": "/p", **PAYLOADS["PreToolUse"]}))
    assert dict(runner.requests[0].inherited) == {"OTHER": "y"}


@pytest.mark.parametrize(
    ("name", "handler", "seconds"),
    [
        ("PreToolUse", {}, 600),
        ("UserPromptSubmit", {}, 30),
        ("PreModelSwitch", {}, 30),
        ("PostModelSwitch", {}, 30),
        ("MessageDisplay", {}, 10),
        ("SessionEnd", {}, 1.5),
        ("SessionEnd", {"timeout": 10}, 10),
        ("SessionEnd", {"timeout": 300}, 60),
        ("PreToolUse", {"timeout": 0.5}, 0.5),
    ],
)
def test_timeouts_by_event(name: str, handler: dict[str, Any], seconds: float) -> None:
    _, runner = fire(name, said(), handler=handler)
    assert dict(runner.requests[0].limits or {})["wall_seconds"] == seconds


@pytest.mark.parametrize("mode", ["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"])
def test_a_payload_has_the_permission_mode(mode: str) -> None:
    _, runner = fire("PreToolUse", said(), permission_mode=mode)
    assert json.loads(runner.requests[0].stdin)["permission_mode"] == mode


def test_what_a_resumed_session_is_told() -> None:
    more = {"seconds_since_last_response": 5, "context_tokens": 10, "prompt_cache_likely_expired": True}
    _, runner = fire("SessionStart", said(), source="resume", **more)
    payload = json.loads(runner.requests[0].stdin)
    assert {key: payload[key] for key in more} == more


@pytest.mark.parametrize(
    ("words", "permission"),
    [
        (("allow", "ask"), "ask"),
        (("ask", "defer"), "defer"),
        (("defer", "deny"), "deny"),
        (("deny", "allow"), "deny"),
        (("allow", "defer"), "defer"),
    ],
)
def test_the_stronger_word_counts(words: tuple[str, str], permission: str) -> None:
    answers = [said(json.dumps(specific("PreToolUse", permissionDecision=word))) for word in words]
    runner = Scripted(*answers)
    hooks = [{"type": "command", "command": str(i)} for i in range(len(words))]
    engine = HookEngine.load({"hooks": {"PreToolUse": [{"hooks": hooks}]}}, CLAUDE, runner=runner)
    decision = engine.fire(
        CLAUDE.event("PreToolUse", {"session_id": "s", "cwd": "/p", **PAYLOADS["PreToolUse"]})
    )
    found = "defer" if (decision.extras or {}).get("permissionDecision") == "defer" else decision.permission
    assert found == permission


def test_a_model_switch_is_blocked_by_a_hook_that_is_late() -> None:
    decision, _ = fire("PreModelSwitch", said(limit="wall_seconds"))
    assert decision.refused


def test_a_stop_failure_heeds_nothing() -> None:
    decision, _ = fire("StopFailure", {"decision": "block", "reason": "r", "continue": False})
    assert not decision.refused and not decision.halt and not decision.force_continue

"""What a record of GitHub Copilot CLI says."""

from __future__ import annotations

import re

from tools.agents.records import Facts, Object, Record, joined, rounds

CONTRACT = "copilot"
TITLE = "GitHub Copilot CLI"
TOUCH: Object = {"tool": "bash", "input": {"command": "touch marker", "description": "t"}}
LAYERS = {
    "user": "home/.copilot/hooks/hooks.json",
    "user-b": "home/.copilot/hooks/more.json",
    "project": "project/.github/hooks/hooks.json",
    "project-b": "project/.github/hooks/more.json",
    "claude-project": "project/.claude/settings.json",
    "claude-local": "project/.claude/settings.local.json",
    "claude-user": "home/.claude/settings.json",
    "user-settings": "home/.copilot/settings.json",
    "project-settings": "project/.github/copilot/settings.json",
    "project-settings-local": "project/.github/copilot/settings.local.json",
    "managed": "etc/github-copilot/policy.d/hooks.json",
}
EVENTS: dict[str, str] = {}
_UNSEEN = "the recorder does not see where the context of a prompt goes"
INCOMPARABLE: dict[str, str] = {
    "sweep.signals": "the agent starts its hooks with SIGXFSZ ignored",
    "userPromptSubmitted.out.context": _UNSEEN,
    "userPromptSubmitted.out.context-exit1": _UNSEEN,
}

_SHELL = re.compile(r"\n<shellId: \d+ completed with exit code \d+>")
_GUIDANCE = re.compile(r"\n\nTool .* succeeded\. Additional guidance from .*$", re.S)

_DENIED = re.compile(r"Permission denied by a PermissionRequest hook: (.*)$", re.S)


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event, first = record.event, (record.calls or [TOUCH])[0]
    if event == "PreToolUse":
        return [
            {
                "hook_event_name": event,
                "session_id": "s",
                "timestamp": "2026-01-01T00:00:00.000Z",
                "cwd": "@W@/project",
                "tool_name": "Bash",
                "tool_input": first["input"],
            }
        ]
    common: Object = {
        "sessionId": "00000000-0000-4000-8000-000000000000",
        "timestamp": 0,
        "cwd": "@W@/project",
    }
    call: Object = {"toolName": first["tool"], "toolArgs": first["input"]}
    result: Object = {"resultType": "success", "textResultForLlm": "plain-result"}
    own: dict[str, Object] = {
        "preToolUse": call,
        "permissionRequest": call,
        "postToolUse": {**call, "toolResult": result},
        "userPromptSubmitted": {"prompt": "do it"},
        "agentStop": {"transcriptPath": "@W@/home/x", "stopReason": "end_turn", "stop_hook_active": False},
        "sessionStart": {"source": "new", "initialPrompt": "do it"},
    }
    return [{**common, **own.get(event, {})}]


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    event, requests = record.event, record.number("requests")
    results, files = record.texts("tool_results"), record.texts("files")
    result = next(iter(results), "")
    texts = joined(record.texts("said"), record.texts("first"), record.texts("between"), results)
    did: Facts = {"ran": [*sorted(set(record.texts("ran")))], "texts": texts}
    if not requests:  # nobody read anything
        del did["texts"]
    if event in ("permissionRequest", "PermissionRequest"):
        match = _DENIED.match(result)
        did = {"ran": did["ran"], "refused": match is not None or requests == 1}  # an interrupt ends the turn
        if match is not None:
            did["reason"] = match[1]
        if files:
            did["touched"] = list(files)
    elif event in ("preToolUse", "PreToolUse"):
        did["touched"] = list(files)
        asked = "unable to ask user" in result  # which nobody answers in a run without a user
        did["refused"] = not asked and (
            "enied by preToolUse hook" in result or ("hook" in result and not files)
        )
    elif event in ("postToolUse", "PostToolUse"):
        did["result"] = _GUIDANCE.sub("", _SHELL.sub("", result))
    elif event in ("userPromptSubmitted", "UserPromptSubmit", "userPromptTransformed"):
        did["refused"] = requests == 0
        first = record.texts("first")
        if requests:
            did["prompt"] = "do it" if not first or "do it" in first[0] else first[0]
    elif event in ("agentStop", "Stop"):
        did["stops"] = requests
    elif event in ("subagentStop", "SubagentStop"):
        del did["texts"]
        did["refused"] = rounds(record) > 1  # again and again, until the agent is ended
    return did

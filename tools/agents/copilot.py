"""What a record of GitHub Copilot CLI says."""

from __future__ import annotations

from tools.agents.records import Facts, Object, Record, joined

CONTRACT = "copilot"
TITLE = "GitHub Copilot CLI"
TOUCH: Object = {"tool": "bash", "input": {"command": "touch marker", "description": "t"}}
LAYERS = {
    "user": "home/.copilot/hooks/hooks.json",
    "user-b": "home/.copilot/hooks/more.json",
    "project": "project/.github/hooks/hooks.json",
    "claude-project": "project/.claude/settings.json",
}
EVENTS: dict[str, str] = {}
INCOMPARABLE: dict[str, str] = {}


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
    texts = joined(record.texts("said"), record.texts("first"), results)
    did: Facts = {"ran": [*sorted(set(record.texts("ran")))], "texts": texts}
    if not requests:  # nobody read anything
        del did["texts"]
    if event in ("preToolUse", "PreToolUse"):
        did["touched"] = list(files)
        did["refused"] = "enied by preToolUse hook" in result or ("hook" in result and not files)
    elif event == "userPromptSubmitted":
        did["refused"] = requests == 0
    elif event == "agentStop":
        did["stops"] = requests
    return did

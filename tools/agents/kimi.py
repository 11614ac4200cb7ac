"""What a record of Kimi Code says."""

from __future__ import annotations

from tools.agents.records import Facts, Object, Record, what_was_read

CONTRACT = "kimi"
TITLE = "Kimi Code"
TOUCH: Object = {"tool": "Bash", "input": {"command": "touch marker", "description": "t"}}
LAYERS = {"user": "home/.kimi-code/config.toml"}
EVENTS: dict[str, str] = {}
INCOMPARABLE: dict[str, str] = {}


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event, first = record.event, (record.calls or [TOUCH])[0]
    call: Object = {"tool_name": first["tool"], "tool_input": first["input"], "tool_call_id": "call_0_0"}
    own: dict[str, Object] = {
        "PreToolUse": call,
        "PostToolUse": {**call, "tool_output": "plain-result"},
        "UserPromptSubmit": {"prompt": [{"type": "text", "text": record.prompt}], "is_steer": False},
        "Stop": {"stop_hook_active": False},
    }
    common: Object = {"hook_event_name": event, "session_id": "s", "cwd": "@W@/project", "client_type": "cli"}
    return [{**common, **own.get(event, {})}]


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    event, requests = record.event, record.number("requests")
    did = what_was_read(record)
    if event in ("PreToolUse", "PermissionRequest"):
        did["touched"] = list(record.texts("files"))
    elif event == "UserPromptSubmit":
        did["refused"] = requests == 0
    elif event == "Stop":
        did["stops"] = requests
    return did

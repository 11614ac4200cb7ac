"""What a record of Qwen Code says."""

from __future__ import annotations

from tools.agents.records import Facts, Object, Record, rounds, what_was_read

CONTRACT = "qwen"
TITLE = "Qwen Code"
TOUCH: Object = {
    "tool": "run_shell_command",
    "input": {"command": "touch marker", "description": "t", "is_background": False},
}
LAYERS = {"user": "home/.qwen/settings.json", "project": "project/.qwen/settings.json"}
EVENTS: dict[str, str] = {}
INCOMPARABLE: dict[str, str] = {
    "settings.text-null": "the agent does not start with such a file",
    **dict.fromkeys(
        ("spread.stops.two-deny-halt", "spread.stops.two-halt-deny"),
        "the model gets the reason of continue: false alone (L-QWEN-010)",
    ),
}


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event, first = record.event, (record.calls or [TOUCH])[0]
    call: Object = {"tool_name": first["tool"], "tool_input": first["input"], "tool_use_id": "toolu_1"}
    own: dict[str, Object] = {
        "PreToolUse": call,
        "PostToolUse": {**call, "tool_response": {"llmContent": "plain-result"}},
        "UserPromptSubmit": {"prompt": record.prompt},
        "SessionStart": {"source": "startup", "model": "m"},
        "Stop": {"stop_hook_active": False, "last_assistant_message": "done"},
    }
    common: Object = {
        "session_id": "00000000-0000-4000-8000-000000000000",
        "transcript_path": "@W@/home/.qwen/x.jsonl",
        "cwd": "@W@/project",
        "hook_event_name": event,
        "timestamp": "2026-01-01T00:00:00.000Z",
        "permission_mode": "yolo",
    }
    return [{**common, **own.get(event, {})}]


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    event, requests = record.event, record.number("requests")
    did = what_was_read(record)
    if event == "PreToolUse":
        did["touched"] = list(record.texts("files"))
    elif event == "PermissionRequest":  # the user agrees to what no hook refused
        did.update(touched=list(record.texts("files")), refused=not record.texts("files"))
    elif event in ("UserPromptSubmit", "UserPromptExpansion"):
        did["refused"] = requests == 0
    elif event == "SubagentStop":
        did.pop("texts", None)
        did["refused"] = rounds(record) > 1  # again and again, until the agent ends it
    elif event == "PostToolBatch":
        did["refused"] = not record.texts("tool_results")[0].startswith("Command:")
    elif event in ("TodoCreated", "TodoCompleted"):
        did["refused"] = any("hook blocked the operation" in text for text in record.texts("tool_results"))
    elif event == "Stop":
        did["stops"] = requests
    return did

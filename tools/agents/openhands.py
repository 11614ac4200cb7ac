"""What a record of OpenHands says."""

from __future__ import annotations

from tools.agents.records import Facts, Object, Record, joined, what_was_read

CONTRACT = "openhands"
TITLE = "OpenHands"
TOUCH: Object = {"tool": "terminal", "input": {"command": "touch marker"}}
LAYERS = {"user": "home/.openhands/hooks.json", "project": "project/.openhands/hooks.json"}
EVENTS: dict[str, str] = {}
INCOMPARABLE: dict[str, str] = dict.fromkeys(
    (
        *(
            "fault.unknown-event",
            "fault.no-command",
            "fault.twice",
            "limits.fraction",
            "limits.fraction-more",
        ),
        *("limits.list", "limits.text-word"),
    ),
    "the agent does not start with such a file",
)


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event, first = record.event, (record.calls or [TOUCH])[0]
    tools = event in ("PreToolUse", "PostToolUse")
    return [
        {
            "event_type": event,
            "tool_name": first["tool"] if tools else None,
            "tool_input": first["input"] if tools else None,
            "tool_response": {"content": []} if event == "PostToolUse" else None,
            "message": record.prompt if event == "UserPromptSubmit" else None,
            "session_id": "s",
            "working_dir": "@W@/project",
            "metadata": {},
        }
    ]


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    event, requests = record.event, record.number("requests")
    did = what_was_read(record, "tool_results", "said", "first")
    if event == "PreToolUse":
        did["touched"] = [name for name in record.texts("files") if name == "marker"]
    elif event == "UserPromptSubmit":
        did["refused"] = requests == 0
    elif event == "Stop":  # the recorder ends it after some rounds
        return {"ran": did["ran"], "context": joined(record.texts("said"))}
    return did

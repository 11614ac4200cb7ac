"""What a record of Hermes Agent says."""

from __future__ import annotations

import json

from tools.agents.records import Facts, Json, Object, Record, joined, mapping

CONTRACT = "hermes"
TITLE = "Hermes Agent"
TOUCH: Object = {"tool": "terminal", "input": {"command": "touch marker"}}
LAYERS = {"user": "home/.hermes/config.yaml"}
EVENTS: dict[str, str] = {}
_ERROR = '{"error": "'
INCOMPARABLE: dict[str, str] = {
    **dict.fromkeys(("settings.text-tab", "settings.text-tail"), "the agent does not start with such a file"),
    "trust.unapproved": "a hook that nobody approved does not run there, and sandhook leaves the question to its caller",
}


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event, first = record.event, (record.calls or [TOUCH])[0]
    tools = event in ("pre_tool_call", "post_tool_call")
    return [
        {
            "hook_event_name": event,
            "tool_name": first["tool"] if tools else None,
            "tool_input": first["input"] if tools else None,
            "session_id": "s",
            "cwd": "@W@/project",
            "extra": {},
        }
    ]


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    event, results = record.event, record.texts("tool_results")
    texts = joined(results, record.texts("said"), record.texts("first"))
    did: Facts = {"ran": [*sorted(set(record.texts("ran")))], "texts": texts}
    if event == "pre_tool_call":
        did["touched"] = [name for name in record.texts("files") if "." not in name]
        error = _error(str(results[0])) if results else None
        did["refused"] = error is not None
        if error is not None:
            did["message"] = error
    return did


def _error(result: str) -> Json:
    """Return what a result says of a refusal by a hook; the record cuts long ones, which are no JSON any more.

    The agent's own refusal of a command has an exit status, too.
    """
    try:
        read = mapping(json.loads(result))
        return None if "exit_code" in read else read.get("error")
    except ValueError:
        return result.removeprefix(_ERROR) if result.startswith(_ERROR) else None

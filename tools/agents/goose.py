"""What a record of goose says."""

from __future__ import annotations

from tools.agents.records import Facts, Object, Record

CONTRACT = "goose"
TITLE = "goose"
TOUCH: Object = {"tool": "shell", "input": {"command": "touch marker"}}
LAYERS = {
    "user": "home/.agents/plugins/own/hooks/hooks.json",
    "project": "project/.agents/plugins/guards/hooks/hooks.json",
}
EVENTS: dict[str, str] = {}
INCOMPARABLE: dict[str, str] = {}

#: What goose writes before the message of a call that did not run.
_ERROR = "The tool call returned the following error:\n-32603: "


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event, first = record.event, (record.calls or [TOUCH])[0]
    tool, given = str(first["tool"]), first["input"]
    call: Object = {"tool_call_id": "call_0_0", "tool_name": tool, "tool_input": given}
    own: dict[str, Object] = {
        "UserPromptSubmit": {"matcher_context": record.prompt, "message": record.prompt},
        "Stop": {"matcher_context": None, "last_assistant_message": "done"},
        "PreToolUse": {"matcher_context": tool, **call},
    }
    if event in ("BeforeShellExecution", "AfterShellExecution", "AfterFileEdit"):
        context = next(iter(given.values())) if isinstance(given, dict) else None
        own[event] = {"matcher_context": context, "tool_name": tool, "tool_input": given}
    return [{"event": event, "session_id": "s", **own.get(event, {"matcher_context": None})}]


def facts(record: Record) -> Facts:
    """Return what the agent did."""
    event, requests = record.event, record.number("requests")
    results, said = record.texts("tool_results"), record.texts("said")
    did: Facts = {"ran": [*record.texts("ran")]}
    if event == "Stop":
        return {"ran": [*sorted(set(record.texts("ran")))], "stops": requests, "context": "\n".join(said)}
    did["refused"] = any(text.startswith(_ERROR) for text in results)
    if did["refused"]:
        did["message"] = results[0].removeprefix(_ERROR)
    if event == "PreToolUse":
        did["touched"] = list(record.texts("files"))
    return did

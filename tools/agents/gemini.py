"""What a record of Gemini CLI says."""

from __future__ import annotations

from tools.agents.records import Facts, Object, Record, joined

CONTRACT = "gemini"
TITLE = "Gemini CLI"
TOUCH: Object = {"tool": "run_shell_command", "input": {"command": "touch marker", "description": "t"}}
LAYERS = {"user": "home/.gemini/settings.json", "project": "project/.gemini/settings.json"}
EVENTS: dict[str, str] = {}
INCOMPARABLE = {
    "AfterTool.tail": "the hook asks for a further call without end, and the recorder ended the agent",
}


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event, first = record.event, (record.calls or [TOUCH])[0]
    call: Object = {"tool_name": first["tool"], "tool_input": first["input"]}
    response: Object = {"llmContent": "Output: plain-result", "returnDisplay": "plain-result"}
    own: dict[str, Object] = {
        "BeforeTool": call,
        "AfterTool": {**call, "tool_response": response},
        "BeforeAgent": {"prompt": "do it"},
        "AfterAgent": {"prompt": "do it", "prompt_response": "done", "stop_hook_active": False},
        "SessionStart": {"source": "startup"},
    }
    common: Object = {
        "session_id": "00000000-0000-4000-8000-000000000000",
        "transcript_path": "@W@/home/.gemini/x.jsonl",
        "cwd": "@W@/project",
        "hook_event_name": event,
        "timestamp": "2026-01-01T00:00:00.000Z",
    }
    return [{**common, **own[event]}]


def facts(record: Record) -> Facts:
    """Return what the agent did; its results are JSON texts, in which the words of hooks stand."""
    event, requests = record.event, record.number("requests")
    texts = joined(record.texts("said"), record.texts("first"), record.texts("tool_results"))
    did: Facts = {"ran": [*sorted(set(record.texts("ran")))], "texts": texts}
    if not requests:  # nobody read anything
        del did["texts"]
    if event == "BeforeTool":
        did.update(touched=list(record.texts("files")), halt=requests == 1)
    elif event == "BeforeAgent":
        did["refused"] = requests == 0
    elif event == "AfterTool":
        did["halt"] = requests == 1
    elif event == "AfterAgent":
        did["stops"] = requests
    return did

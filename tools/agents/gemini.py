"""What a record of Gemini CLI says."""

from __future__ import annotations

import json
import re

from tools.agents.records import Facts, Object, Record, mapping, objects, what_was_read

CONTRACT = "gemini"
TITLE = "Gemini CLI"
TOUCH: Object = {"tool": "run_shell_command", "input": {"command": "touch marker", "description": "t"}}
LAYERS = {
    "user": "home/.gemini/settings.json",
    "project": "project/.gemini/settings.json",
    "managed": "etc/gemini-cli/settings.json",
    "managed-defaults": "etc/gemini-cli/system-defaults.json",
    "extension": "home/.gemini/extensions/guard/hooks/hooks.json",
}
EVENTS: dict[str, str] = {}
INCOMPARABLE = {
    **{
        f"settings.text-{name}": "the agent does not start with such a file"
        for name in ("blank", "comma", "empty", "inner-comma", "mark", "null", "single", "tail")
    },
    "AfterTool.tail": "the hook asks for a further call without end, and the recorder ended the agent",
}


def payloads(record: Record) -> list[Object]:
    """Return the payloads of the events that the record's hooks wait for."""
    event, first = record.event, (record.calls or [TOUCH])[0]
    call: Object = {"tool_name": first["tool"], "tool_input": first["input"]}
    response: Object = {
        "llmContent": "<untrusted_context>\nOutput: plain-result\n</untrusted_context>",
        "returnDisplay": "plain-result",
    }
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
    did = what_was_read(record)
    if event == "BeforeTool":
        did["touched"] = list(record.texts("files"))
        if requests > 1 or _STOPPED in json.dumps(record.seen.get("shown", "")):
            did["halt"] = requests == 1
    elif event == "BeforeAgent":
        did["refused"] = requests == 0
    elif event == "AfterTool":
        did["halt"] = requests == 1
        if "plain-result" in json.dumps(record.script) and requests > 1:
            did["result"] = _result(record)
    elif event == "BeforeModel":
        did["refused"] = requests == 0
    elif event == "AfterModel":
        did["refused"] = bool(_blocked(record)) or not _answers(record)
        if did["refused"]:  # which the user reads, and the model does not
            did.pop("texts", None)
    elif event == "BeforeToolSelection":
        did["mode"] = next((mapping(each).get("mode") for each in objects(record.seen.get("tools"))), "AUTO")
    elif event == "AfterAgent":
        did["stops"] = requests
    if _blocked(record) and "Hook system message: " not in str(
        record.seen.get("stderr")
    ):  # which is shown instead
        did["reason"] = _blocked(record)
    return did


#: What a user reads when a hook ends the turn; one that ends without it ended at a question, which nobody answers.
_STOPPED = "Agent execution stopped"
_CONTEXT = re.compile(r"\n\n<hook_context>.*</hook_context>$", re.S)
_BLOCKED = re.compile(r"Agent execution blocked: (.*)", re.S)


def _result(record: Record) -> str:
    """Return what the model read as the result of the call, without the context of hooks."""
    result = mapping(json.loads(record.texts("tool_results")[0]))
    return _CONTEXT.sub("", str(result.get("error") or result.get("output")))


def _blocked(record: Record) -> str:
    """Return the reason of a refused request, answer or prompt as the user read it."""
    for each in objects(record.seen.get("shown")):
        match = _BLOCKED.match(str(each.get("message", "")))
        if match is not None:
            return match[1]
    return ""


def _answers(record: Record) -> list[Object]:
    """Return the parts of the model's answer that the user saw."""
    return [each for each in objects(record.seen.get("shown")) if each.get("role") == "assistant"]

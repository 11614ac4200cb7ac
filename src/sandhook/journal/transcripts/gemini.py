"""Transcripts of Gemini CLI: ``~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl``; older versions write one JSON object.

Source: what Gemini CLI 0.61.0 writes. A message is written again when its calls have results.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from sandhook.hooks.event import JsonObject
from sandhook.journal.transcripts import Call, after, joined, member, objects_in, text_in

#: What the error of a call begins with if a hook refused it.
_REFUSAL = "Tool execution blocked: "

_NO_PROMPT = ("<session_context>",)


def recognises(value: JsonObject) -> bool:
    return isinstance(value.get("projectHash"), str) and isinstance(value.get("sessionId"), str)


def calls(values: Iterable[JsonObject], path: str) -> Iterator[Call]:
    common: JsonObject = {"transcript_path": path, "cwd": _directory(path)}
    found: dict[str, Call] = {}
    for value in values:
        if "projectHash" in value:
            common["session_id"] = text_in(value, "sessionId")
        for message in (*objects_in(value, "messages"), *objects_in(value, "$set", "messages"), value):
            for call in _calls_of(message, common):
                found[call.id] = call
    yield from found.values()


def _calls_of(message: JsonObject, common: JsonObject) -> Iterator[Call]:
    for item in objects_in(message, "toolCalls"):
        name, time = text_in(item, "name"), text_in(item, "timestamp")
        payload: JsonObject = {
            **common,
            "hook_event_name": "BeforeTool",
            "timestamp": time,
            "tool_name": name,
            "tool_input": item.get("args"),
        }
        call = Call(text_in(item, "id"), time, "BeforeTool", payload, name)
        decided = _decided(call, item)
        yield decided
        if not decided.refused:
            yield from _afterwards(call, item)
    if message.get("type") == "user":
        text, time = joined(message.get("content")), text_in(message, "timestamp")
        if text and not text.startswith(_NO_PROMPT):
            payload = {**common, "hook_event_name": "BeforeAgent", "timestamp": time, "prompt": text}
            yield Call(text_in(message, "id"), time, "BeforeAgent", payload, refused=False)


def _afterwards(call: Call, item: JsonObject) -> Iterator[Call]:
    """Yield the event after a call that ran; an item has one time, that of its result."""
    if item.get("status") not in ("success", "error"):
        return
    responses = [member(each, "functionResponse", "response") for each in objects_in(item, "result")]
    texts = [text_in(each, "output") or text_in(each, "error") for each in responses]
    answer: JsonObject = {"llmContent": "\n".join(texts), "returnDisplay": item.get("resultDisplay")}
    if item.get("status") == "error":
        answer["error"] = answer["llmContent"]
    yield after(call, call.time, "AfterTool", {"hook_event_name": "AfterTool", "tool_response": answer})


def _decided(call: Call, item: JsonObject) -> Call:
    status = item.get("status")
    for result in objects_in(item, "result"):
        error = text_in(result, "functionResponse", "response", "error")
        if error.startswith(_REFUSAL):
            return call._replace(refused=True, reason=error.removeprefix(_REFUSAL))
    return call._replace(refused=False) if status in ("success", "error", "cancelled") else call


def _directory(path: str) -> str:
    """Return the directory of a transcript's project, which ``projects.json`` has by its name, or ""."""
    parts = path.replace("\\", "/").split("/")
    if len(parts) < 4 or parts[-2] != "chats":
        return ""
    try:
        with open("/".join([*parts[:-4], "projects.json"]), encoding="utf-8") as file:  # noqa: PTH123
            known = json.load(file)["projects"]
        return next((str(place) for place, name in known.items() if name == parts[-3]), "")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""

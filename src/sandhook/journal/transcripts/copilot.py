"""Transcripts of Copilot CLI: ``~/.copilot/session-state/SESSION/events.jsonl``.

Source: what Copilot CLI 1.0.102 writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sandhook.hooks.event import JsonObject
from sandhook.journal.transcripts import Call, after, member, text_in

#: The code of the error of a call that was refused, and what its message begins with if a hook refused it.
_DENIED, _REFUSAL = "denied", "Denied by preToolUse hook"


def recognises(value: JsonObject) -> bool:
    return value.get("type") == "session.start" and isinstance(member(value, "data", "sessionId"), str)


def calls(values: Iterable[JsonObject], path: str) -> Iterator[Call]:
    pending: dict[str, Call] = {}
    common: JsonObject = {}
    for value in values:
        kind, data, time = value.get("type"), value.get("data"), text_in(value, "timestamp")
        if kind == "session.start":
            common = {"sessionId": text_in(data, "sessionId"), "cwd": text_in(data, "context", "cwd")}
        elif kind == "tool.execution_start":
            name, identifier = text_in(data, "toolName"), text_in(data, "toolCallId")
            payload: JsonObject = {
                **common,
                "timestamp": time,
                "toolName": name,
                "toolArgs": member(data, "arguments"),
            }
            pending[identifier] = Call(identifier, time, "preToolUse", payload, name)
        elif kind == "tool.execution_complete":
            call = pending.pop(text_in(data, "toolCallId"), None)
            if call is not None:
                done = data if isinstance(data, dict) else {}
                yield _decided(call, done)
                yield from _afterwards(call, time, done)
        elif kind == "user.message" and text_in(data, "content"):
            payload = {**common, "timestamp": time, "prompt": text_in(data, "content")}
            yield Call(text_in(value, "id"), time, "userPromptSubmitted", payload, refused=False)
    yield from pending.values()


def _afterwards(call: Call, time: str, data: JsonObject) -> Iterator[Call]:
    """Yield the event after a call, unless it was denied."""
    if data.get("success") is True:
        result: JsonObject = {
            "resultType": "success",
            "textResultForLlm": text_in(data, "result", "content"),
        }
        yield after(call, time, "postToolUse", {"timestamp": time, "toolResult": result})
    elif text_in(data, "error", "code") != _DENIED:
        fields: JsonObject = {"timestamp": time, "error": text_in(data, "error", "message")}
        yield after(call, time, "postToolUseFailure", fields)


def _decided(call: Call, data: JsonObject) -> Call:
    message = text_in(data, "error", "message")
    if text_in(data, "error", "code") == _DENIED and message.startswith(_REFUSAL):
        return call._replace(refused=True, reason=message.removeprefix(_REFUSAL).removeprefix(": "))
    return call._replace(refused=False)

"""Transcripts of Claude Code: ``~/.claude/projects/PROJECT/SESSION.jsonl``.

Source: what Claude Code 2.1.330 writes. Older versions lack ``permissionDecision``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sandhook.hooks.event import JsonObject
from sandhook.journal.transcripts import Call, after, joined, member, objects_in, text_in

#: What the result of a call begins with if a hook refused it, in versions that do not name who decided.
_REFUSAL = "PreToolUse:"

#: What the result of a call begins with that did not run: the user refused it, or its input was not valid.
_DID_NOT_RUN = ("The user doesn't want", "<tool_use_error>")

#: What a line of the user begins with that no user wrote.
_NO_PROMPT = ("<command-", "<local-command", "<bash-", "Caveat:")


def recognises(value: JsonObject) -> bool:
    return (
        isinstance(value.get("sessionId"), str)
        and value.get("type") in ("user", "assistant")
        and "message" in value
    )


def calls(values: Iterable[JsonObject], path: str) -> Iterator[Call]:
    pending: dict[str, Call] = {}
    for value in values:
        kind = value.get("type")
        if kind == "assistant":
            for part in objects_in(value, "message", "content"):
                if part.get("type") == "tool_use" and (identifier := text_in(part, "id")):
                    pending[identifier] = _call(value, part, identifier, path)
        elif kind == "user":
            content = member(value, "message", "content")
            results = [
                each for each in objects_in(value, "message", "content") if each.get("type") == "tool_result"
            ]
            for result in results:
                call = pending.pop(text_in(result, "tool_use_id"), None)
                if call is not None:
                    yield _decided(call, value, result)
                    yield from _afterwards(call, value, result)
            text = joined(content)
            if not results and text and not value.get("isMeta") and not text.startswith(_NO_PROMPT):
                payload = {**_common(value, path), "hook_event_name": "UserPromptSubmit", "prompt": text}
                yield Call(
                    text_in(value, "uuid"),
                    text_in(value, "timestamp"),
                    "UserPromptSubmit",
                    payload,
                    refused=False,
                )
    yield from pending.values()


def _common(value: JsonObject, path: str) -> JsonObject:
    return {"session_id": text_in(value, "sessionId"), "transcript_path": path, "cwd": text_in(value, "cwd")}


def _call(value: JsonObject, part: JsonObject, identifier: str, path: str) -> Call:
    name = text_in(part, "name")
    payload: JsonObject = {
        **_common(value, path),
        "hook_event_name": "PreToolUse",
        "tool_name": name,
        "tool_input": part.get("input"),
        "tool_use_id": identifier,
    }
    return Call(identifier, text_in(value, "timestamp"), "PreToolUse", payload, name)


def _afterwards(call: Call, value: JsonObject, result: JsonObject) -> Iterator[Call]:
    """Yield the event after a call, unless it did not run."""
    text = joined(result.get("content"))
    if text_in(value, "permissionDecision", "decision") == "reject" or text.startswith(_DID_NOT_RUN):
        return
    failed = result.get("is_error") is True
    if failed and text.startswith(_REFUSAL):
        return
    name = "PostToolUseFailure" if failed else "PostToolUse"
    answer = value.get("toolUseResult")
    fields: JsonObject = {"error": text} if failed else {"tool_response": text if answer is None else answer}
    yield after(call, text_in(value, "timestamp"), name, {"hook_event_name": name, **fields})


def _decided(call: Call, value: JsonObject, result: JsonObject) -> Call:
    text = joined(result.get("content"))
    source = text_in(value, "permissionDecision", "source")
    if source:
        refused = source == "hook" and text_in(value, "permissionDecision", "decision") == "reject"
    else:
        refused = result.get("is_error") is True and text.startswith(_REFUSAL)
    return call._replace(refused=refused, reason=text.rpartition("]: ")[2].strip() if refused else None)

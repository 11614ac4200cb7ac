"""The event as an input of jcode hooks: one JSON object on standard input, and JCODE_* variables.

Keys whose value is empty are left out, as upstream does; better mode always sends
``stop_hook_active`` on Stop, and ends the text with a newline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._payload import (
    an_object,
    directory,
    go_json,
    kind_of_event,
    text_field,
    variable,
)
from sandhook.hooks.contracts.jcode.names import EVENTS, MAX_OUTPUT, TOOL_EVENTS
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall, ToolResult
from sandhook.hooks.model import Compat, HookSpec, Request

if TYPE_CHECKING:
    from sandhook.hooks.event import EventFields


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    strict = compat == "strict"
    name = spec.native_event
    where = event.cwd or "/workspace"
    transcript = "" if strict else event.transcript_path or ""
    payload: JsonObject = {
        "session_id": event.session_id or "",
        "transcript_path": transcript,
        "cwd": where,
        "hook_event_name": name,
    }
    tool = event.tool if name in TOOL_EVENTS else None
    if tool is not None:
        payload["tool_name"] = tool.name
        if tool.raw_input is None:  # upstream drops what is not JSON and sends the rest
            payload["tool_input"] = tool.input
        if name != "PreToolUse":
            payload["tool_response"] = _response(event.result or ToolResult(), strict)
    if name == "UserPromptSubmit":
        payload["prompt"] = event.prompt or ""
    kept: JsonObject = {key: value for key, value in payload.items() if value not in ("", None)}
    if name == "Stop" and (event.stop_active or not strict):
        kept["stop_hook_active"] = event.stop_active
    if name == "SessionStart" and not strict:
        extras = event.extras or {}
        kept.update({key: extras[key] for key in ("model", "source") if key in extras})
    text = go_json(kept)
    return Request(
        spec=spec,
        env={
            "JCODE_SESSION_ID": variable(event.session_id or ""),
            "JCODE_TOOL_NAME": variable(tool.name if tool is not None else ""),
            "JCODE_CWD": variable(where),
            "JCODE_TRANSCRIPT_PATH": variable(transcript),
            "JCODE_HOOK_EVENT": name,
        },
        stdin=text.encode() + (b"" if strict else b"\n"),
        cwd=directory(event),
        limits={"wall_seconds": spec.timeout, "output_bytes": MAX_OUTPUT},
        payload=text,
        overflow="drop",
    )


def _response(result: ToolResult, strict: bool) -> str:
    """Return the result's text; upstream's failures have the result, which is usually empty."""
    value = result.value
    if value in ("", None) and not strict:
        value = result.error
    if value is None:
        return ""
    return value if isinstance(value, str) else go_json(value)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    kind = kind_of_event(name, EVENTS)
    fields = an_object(payload)
    common: EventFields = {
        "session_id": text_field(fields, "session_id"),
        "cwd": text_field(fields, "cwd"),
        "transcript_path": text_field(fields, "transcript_path"),
    }
    if name in TOOL_EVENTS:
        tool = text_field(fields, "tool_name")
        if tool is None:
            raise ContractError("the payload has no tool_name")
        common["tool"] = ToolCall(tool, fields.get("tool_input", {}))
        if name != "PreToolUse":
            response = text_field(fields, "tool_response") or ""
            common["result"] = ToolResult(response, response if name == "PostToolUseFailure" else None)
    elif name == "UserPromptSubmit":
        common["prompt"] = text_field(fields, "prompt") or ""
    elif name == "Stop":
        common["stop_active"] = fields.get("stop_hook_active") is True
    elif name == "SessionStart":
        common["extras"] = {key: fields[key] for key in ("model", "source") if key in fields}
    return Event(kind, **common)

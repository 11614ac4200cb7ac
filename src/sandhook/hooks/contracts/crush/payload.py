"""The event as an input of Crush hooks: one JSON object on standard input, and CRUSH_* variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._payload import an_object, directory, go_json, text_field, variable
from sandhook.hooks.contracts.crush.names import EVENTS, FIXED_ENV, MAX_OUTPUT, canonical
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall
from sandhook.hooks.model import Compat, HookSpec, Request

if TYPE_CHECKING:
    from sandhook.hooks.event import EventFields


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    strict = compat == "strict"
    where = event.cwd or "/workspace"
    payload: JsonObject = {
        "event": spec.native_event,
        "session_id": event.session_id or "",
        "cwd": where,
    }
    env = {
        **FIXED_ENV,
        "CRUSH_EVENT": spec.native_event,
        "CRUSH_SESSION_ID": variable(event.session_id or ""),
        "CRUSH_CWD": variable(where),
        "CRUSH_PROJECT_DIR": variable(event.project_dir or where),
    }
    if event.tool is not None:
        arguments = event.tool.input if event.tool.raw_input is None else {}
        payload.update(tool_name=event.tool.name, tool_input=arguments)
        env["CRUSH_TOOL_NAME"] = variable(event.tool.name)
        for key in ("command", "file_path"):
            if isinstance(arguments, dict) and key in arguments:
                value = arguments[key]
                text = value if isinstance(value, str) else encode(value)
                env[f"CRUSH_TOOL_INPUT_{key.upper()}"] = variable(text)
    elif spec.native_event == "UserPromptSubmit":
        payload.update(prompt=event.prompt or "", attachments=list(event.attachments))
    if not strict:
        payload["is_sub_agent"] = event.is_sub_agent
    text = go_json(payload)
    return Request(
        spec=spec,
        env=env,
        stdin=text.encode() + (b"" if strict else b"\n"),  # `read -r` with `set -e` wants its newline
        cwd=directory(event),
        limits={"wall_seconds": spec.timeout, "output_bytes": MAX_OUTPUT},
        payload=text,
        overflow="drop",
        dispatches_scripts=True,
    )


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    fields = an_object(payload)
    native = canonical(name)
    common: EventFields = {
        "session_id": text_field(fields, "session_id"),
        "cwd": text_field(fields, "cwd"),
        "is_sub_agent": fields.get("is_sub_agent") is True,
    }
    if native == "UserPromptSubmit":
        attachments = fields.get("attachments") or []
        if not isinstance(attachments, list):
            raise ContractError("the payload's attachments must be an array")
        common["prompt"] = text_field(fields, "prompt") or ""
        common["attachments"] = tuple(attachments)
    else:
        tool = text_field(fields, "tool_name")
        if tool is None:
            raise ContractError("the payload has no tool_name")
        common["tool"] = ToolCall(tool, fields.get("tool_input", {}))
    return Event(EVENTS[native], **common)

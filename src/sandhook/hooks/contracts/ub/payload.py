"""The event as an input of ub hooks: JSON with sorted keys on standard input, and UB_HOOK_* variables."""

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
from sandhook.hooks.contracts.ub.names import EVENTS, MAX_OUTPUT, TOOL_EVENTS
from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall, ToolResult
from sandhook.hooks.model import Compat, HookSpec, Request

if TYPE_CHECKING:
    from sandhook.hooks.event import EventFields


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook.

    Raises:
        DecodeError: A value that is not JSON, such as arguments that the model wrote badly.
    """
    name = spec.native_event
    turn = 0 if compat == "strict" and name in TOOL_EVENTS else event.turn  # upstream does not set it there
    payload: JsonObject = {"event": name}
    env = {
        "UB_HOOK_EVENT": name,
        "UB_HOOK_SESSION_ID": variable(event.session_id or ""),
        "UB_HOOK_TURN": str(turn),
    }
    if name == "post_tool_call":
        result = event.result or ToolResult()
        content = result.value if result.error is None else result.error
        text = content if isinstance(content, str) else "" if content is None else go_json(content)
        payload["result"] = {"content": text, "is_error": not result.ok}
    payload["session_id"] = event.session_id or ""
    if event.tool is not None and event.tool.name and name in TOOL_EVENTS:
        payload["tool"] = _tool(event.tool)
        env["UB_HOOK_TOOL_NAME"] = variable(event.tool.name)
        if event.tool.call_id:
            env["UB_HOOK_TOOL_USE_ID"] = variable(event.tool.call_id)
    payload["turn"] = turn
    text = go_json(payload)
    return Request(
        spec=spec,
        env=env,
        stdin=text.encode() + (b"" if compat == "strict" else b"\n"),
        cwd=event.project_dir
        if (event.project_dir or "")[:1] == "/" and event.project_dir
        else directory(event),
        limits={"wall_seconds": spec.timeout, "output_bytes": MAX_OUTPUT},
        payload=text,
        overflow="drop",
        by_execve=True,
    )


def _tool(call: ToolCall) -> JsonObject:
    if call.raw_input is not None:
        raise DecodeError("the tool's arguments are not JSON")
    tool: JsonObject = {}
    if call.input not in (None, ""):
        tool["args"] = call.input
    tool["name"] = call.name
    tool["use_id"] = call.call_id or ""
    return tool


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    kind = kind_of_event(name, EVENTS)
    fields = an_object(payload)
    common: EventFields = {"session_id": text_field(fields, "session_id")}
    turn = fields.get("turn", 0)
    common["turn"] = turn if isinstance(turn, int) else 0
    if name in TOOL_EVENTS:
        tool = an_object(fields.get("tool") or {})
        called = text_field(tool, "name")
        if called is None:
            raise ContractError("the payload has no tool.name")
        common["tool"] = ToolCall(called, tool.get("args", {}), text_field(tool, "use_id"))
    if name == "post_tool_call":
        result = an_object(fields.get("result") or {})
        content = text_field(result, "content") or ""
        common["result"] = ToolResult(content, content if result.get("is_error") is True else None)
    if name == "post_user_turn":
        common["success"] = True
    return Event(kind, **common)

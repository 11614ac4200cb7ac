"""The event as an input of Everruns hooks: variables, a file, and (in better mode) standard input.

The JSON is compact, because published hooks grep it for ``"tool_name":"..."``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._payload import text_field, variable
from sandhook.hooks.contracts.everruns.names import BASE_ENV, EVENTS, MAX_OUTPUT, TOOL_EVENTS
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall, ToolResult
from sandhook.hooks.model import Compat, HookSpec, Request
from sandhook.lazy import cache_texts

if TYPE_CHECKING:
    from datetime import datetime

    from sandhook.hooks.event import EventFields

#: The limits that strict mode adds: upstream's limits that exist here too. No limit here counts
#: upstream's 200 commands and 2,000 loop turns (L-EVERRUNS-001).
_STRICT_LIMITS = {"script_bytes": 64 << 10, "call_depth": 32, "nesting": 64, "memory_bytes": 10 << 20}


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook.

    Raises:
        DecodeError: A value of the event that is not JSON.
    """
    strict = compat == "strict"
    envelope = _envelope(spec, event, strict)
    text = encode(envelope)
    run, name = uuid7(), _sanitised(spec.id)
    path = f"/workspace/.hooks/{name}-{run}.json"
    call = event.tool.call_id if event.tool is not None else None
    env = {
        **BASE_ENV,
        "EVERRUNS_HOOK_PAYLOAD_JSON": text,
        "EVERRUNS_HOOK_PAYLOAD_PATH": path,
        "EVERRUNS_HOOK_EVENT": spec.native_event,
        "EVERRUNS_HOOK_ID": variable(spec.id),
        "EVERRUNS_HOOK_SESSION_ID": variable(event.session_id or ""),
    }
    if isinstance(turn := envelope["turn_id"], str):
        env["EVERRUNS_HOOK_TURN_ID"] = variable(turn)
    if event.tool is not None and spec.native_event in TOOL_EVENTS:
        env["EVERRUNS_HOOK_TOOL_NAME"] = variable(event.tool.name)
        if event.tool.call_id is not None:
            env["EVERRUNS_HOOK_TOOL_CALL_ID"] = variable(event.tool.call_id)
    env.update(spec.executor.env)
    limits: dict[str, float] = {"wall_seconds": spec.timeout, "output_bytes": MAX_OUTPUT}
    if strict:
        limits.update(_STRICT_LIMITS)
    data = text.encode()
    return Request(
        spec=spec,
        env=env,
        stdin=b"" if strict else data + b"\n",  # `read -r` wants its newline
        files=((path, data),),
        limits=limits,
        payload=text,
        log=f"/workspace/.hooks/{name}/{_sanitised(call or run)}.log",
    )


def _envelope(spec: HookSpec, event: Event, strict: bool) -> JsonObject:
    gap = strict and spec.native_event in TOOL_EVENTS  # upstream sends null there
    return {
        "event": spec.native_event,
        "hook_id": spec.id,
        "session_id": event.session_id,
        "turn_id": None if gap else event.turn_id,
        "org_id": event.org_id,
        "agent_id": None if gap else event.agent_id,
        "ts": timestamp(event.timestamp),
        "data": _data(spec.native_event, event, strict),
    }


def _data(native: str, event: Event, strict: bool) -> JsonObject:
    data: JsonObject
    if native == "session_start":
        return {"agent_id": event.agent_id}
    if native == "session_end":
        return {"reason": event.reason or "deleted"}
    if native == "user_prompt_submit":
        data = {"message": event.prompt or ""}
        if not strict:
            data["attachments"] = list(event.attachments)
        return data
    if native == "turn_end":
        data = {"success": event.success is not False}
        if not strict:
            data["tool_calls"] = list(event.tool_calls)
        return data
    tool = event.tool or ToolCall("")
    data = {"tool_name": tool.name, "tool_call_id": tool.call_id, "arguments": tool.input}
    if native == "post_tool_use":
        result = event.result or ToolResult()
        data.update(result=result.value, error=result.error, success=result.ok)
    return data


def timestamp(when: datetime | str | None) -> str:
    """Return RFC 3339 in UTC, as chrono's ``to_rfc3339`` writes it; a text is returned unchanged."""
    if isinstance(when, str):
        return when
    if when is None:
        return _now()
    from datetime import UTC

    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    text = when.astimezone(UTC).isoformat()
    return (
        text.replace("000+00:00", "+00:00") if "." in text else text
    )  # whole milliseconds have three digits


def _now() -> str:
    seconds, milliseconds = divmod(time.time_ns() // 1_000_000, 1000)
    return time.strftime(f"%Y-%m-%dT%H:%M:%S.{milliseconds:03d}+00:00", time.gmtime(seconds))


def uuid7() -> str:
    """Return a version 7 UUID (RFC 9562 5.7); only its uniqueness matters here."""
    from random import SystemRandom

    getrandbits = SystemRandom().getrandbits  # the host's own generator is not advanced
    bits = (time.time_ns() // 1_000_000 & (1 << 48) - 1) << 80
    bits |= 7 << 76 | getrandbits(12) << 64 | 2 << 62 | getrandbits(62)
    digits = f"{bits:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


@cache_texts(256)
def _sanitised(hook_id: str) -> str:
    """Return a hook's id as a file name: ASCII letters, digits, "_" and "-"; the rest becomes "_"."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in hook_id)[:200]


# From payload to event.


def event(name: str, payload: Json) -> Event:
    """Return the event of a payload: the whole envelope, or its data alone."""
    if not isinstance(payload, dict):
        raise ContractError("the payload must be a JSON object")
    envelope: JsonObject = {}
    data = payload
    inner = payload.get("data")
    if isinstance(inner, dict):
        envelope, data = payload, inner
        if envelope.get("event", name) != name:
            raise ContractError(f"the payload is of the event {envelope['event']!r}, not {name!r}")
    common: EventFields = {
        "session_id": text_field(envelope, "session_id"),
        "turn_id": text_field(envelope, "turn_id"),
        "org_id": text_field(envelope, "org_id"),
        "agent_id": text_field(envelope, "agent_id"),
        "timestamp": text_field(envelope, "ts"),
    }
    if name == "session_start":
        if common["agent_id"] is None:
            common["agent_id"] = text_field(data, "agent_id")
    elif name == "session_end":
        common["reason"] = text_field(data, "reason")
    elif name == "user_prompt_submit":
        common["prompt"] = text_field(data, "message") or ""
        common["attachments"] = tuple(_list(data, "attachments"))
    elif name == "turn_end":
        common["success"] = data.get("success") is not False
        common["tool_calls"] = tuple(_list(data, "tool_calls"))
    elif name in TOOL_EVENTS:
        tool = text_field(data, "tool_name")
        if tool is None:
            raise ContractError("the payload has no tool_name")
        common["tool"] = ToolCall(tool, data.get("arguments"), text_field(data, "tool_call_id"))
        if name == "post_tool_use":
            common["result"] = ToolResult(data.get("result"), text_field(data, "error"))
    return Event(EVENTS[name], **common)


def _list(where: JsonObject, key: str) -> list[Json]:
    value = where.get(key)
    if value is not None and not isinstance(value, list):
        raise ContractError(f"the payload's {key} must be an array")
    return value or []

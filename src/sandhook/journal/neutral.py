"""Neutral events as JSON, for events of which nobody knows the payload of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sandhook.hooks.decode import DecodeError
from sandhook.hooks.event import Event, Json, JsonObject, ToolCall, ToolResult


def event_json(event: Event) -> JsonObject:
    """Return the fields of an event that are set."""
    value: JsonObject = {"kind": event.kind}
    plain = Event(event.kind)
    for name, field, default in zip(Event._fields[1:], event[1:], plain[1:]):
        if field == default:
            continue
        if isinstance(field, ToolCall | ToolResult):
            value[name] = {key: each for key, each in zip(field._fields, field) if each is not None}
        elif isinstance(field, datetime):
            value[name] = field.isoformat()
        elif isinstance(field, Mapping):
            value[name] = dict(field)
        else:
            value[name] = list(field) if isinstance(field, tuple) else field
    return value


def event_of(value: Mapping[str, Json]) -> Event:
    """Return the event that ``event_json`` wrote. Raises DecodeError."""
    fields = {name: each for name, each in value.items() if name in Event._fields}
    try:
        tool, result = fields.get("tool"), fields.get("result")
        if isinstance(tool, Mapping):
            fields["tool"] = ToolCall(**tool)  # type: ignore[arg-type]
        if isinstance(result, Mapping):
            fields["result"] = ToolResult(**result)  # type: ignore[arg-type]
        for name in ("attachments", "tool_calls"):
            if isinstance(listed := fields.get(name), list):
                fields[name] = tuple(listed)
        return Event(**fields)  # type: ignore[arg-type]
    except TypeError as error:
        raise DecodeError(f"the neutral event: {error}") from None

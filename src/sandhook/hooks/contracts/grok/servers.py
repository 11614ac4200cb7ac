"""Calls of a server's tool: Grok Build has one tool for them, ``use_tool``, and hooks see and change its arguments.

Source: recorded runs of version 1.0.41, ``blends.mcp-updated*``.
"""

from __future__ import annotations

from sandhook.hooks.contracts._reading.serde import value_name
from sandhook.hooks.event import Event, JsonObject

_FORMS = (("tool_name", "tool_input"), ("tool_name", "tool_input_file"), ("file",))
_KEYS = ("tool_name", "tool_input", "tool_input_file", "file")
_SCHEMA = "the updatedInput failed the tool's schema: "


def fault_of_changed_call(event: Event, changed: JsonObject) -> str | None:
    """Return why the agent refuses a server's call with changed arguments, or None."""
    before = event.tool.input if event.tool is not None else None
    if event.tool is None or "__" not in event.tool.name or not isinstance(before, dict):
        return None
    if not any(key in before for key in _KEYS):
        return None  # the caller passed the arguments of the server's own tool
    given = tuple(key for key in _KEYS if key in changed)
    if given not in _FORMS:
        return f"{_SCHEMA}use exactly one of {{tool_name,tool_input}}, {{tool_name,tool_input_file}}, or {{file}}"
    name = changed.get("tool_name", "")
    if not isinstance(name, str):
        return f"{_SCHEMA}invalid type: {value_name(name)}, expected a string"
    file = changed.get("file", changed.get("tool_input_file", "-"))
    if not isinstance(file, str) or not file:
        return f"{_SCHEMA}MCP source path must be a nonempty string"
    if given != _FORMS[0] or name != before.get("tool_name"):  # of a file the agent cannot know it
        return "the updatedInput may not change which tool runs"
    return None

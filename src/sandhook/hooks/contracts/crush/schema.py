"""The JSON Schema of the hooks in a crush.json."""

from __future__ import annotations

from sandhook.hooks.contracts.crush.names import DEFAULT_TIMEOUT, EVENTS
from sandhook.hooks.event import JsonObject

_HOOK: JsonObject = {
    "type": "object",
    "required": ["command"],
    "properties": {
        "name": {"type": "string", "description": "Shown in place of the command."},
        "matcher": {
            "type": "string",
            "description": "RE2, found anywhere in the tool's name; all tools when empty.",
        },
        "command": {"type": "string", "minLength": 1, "description": "Shell source."},
        "timeout": {"type": "integer", "default": DEFAULT_TIMEOUT, "description": "Seconds."},
        "include_sub_agents": {"type": "boolean", "description": "Also for calls of sub-agents."},
    },
    "additionalProperties": False,
}

SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Hooks of a crush.json",
    "type": "object",
    "properties": {
        "hooks": {
            "type": "object",
            "properties": {
                "include_sub_agents": {"type": "boolean", "description": "What hooks say that say nothing."},
                **{event: {"type": "array", "items": {"$ref": "#/$defs/hook"}} for event in EVENTS},
            },
        }
    },
    "$defs": {"hook": _HOOK},
}

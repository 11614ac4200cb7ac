"""The JSON Schema of a hooks.json."""

from __future__ import annotations

from sandhook.hooks.contracts.jcode.names import DEFAULT_TIMEOUT, EVENTS
from sandhook.hooks.event import JsonObject

SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "jcode's hooks.json",
    "type": "object",
    "properties": {
        "hooks": {
            "type": "object",
            "properties": {event: {"type": "array", "items": {"$ref": "#/$defs/group"}} for event in EVENTS},
        }
    },
    "$defs": {
        "group": {
            "type": "object",
            "properties": {
                "matcher": {
                    "type": "string",
                    "description": 'Names or RE2 parts joined by "|"; all when empty or "*".',
                },
                "hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}},
            },
        },
        "hook": {
            "type": "object",
            "properties": {
                "type": {"const": "command"},
                "command": {"type": "string", "description": "Shell source."},
                "timeout": {"type": "integer", "default": DEFAULT_TIMEOUT, "description": "Seconds."},
                "async": {
                    "type": "boolean",
                    "default": False,
                    "description": "On events that cannot refuse.",
                },
            },
        },
    },
}

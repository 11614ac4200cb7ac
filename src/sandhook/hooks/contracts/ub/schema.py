"""The JSON Schema of the hooks in a config.yaml."""

from __future__ import annotations

from sandhook.hooks.contracts.ub.names import EVENTS
from sandhook.hooks.event import JsonObject

_HOOK: JsonObject = {
    "type": "object",
    "required": ["command"],
    "properties": {
        "command": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "description": "Program and arguments.",
        },
        "tools": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Exact names; all when empty.",
        },
        "timeout": {
            "type": ["string", "integer"],
            "default": "10s",
            "description": "Go duration; at most 60s.",
        },
        "on_failure": {"enum": ["warn", "block"], "default": "warn"},
        "env": {
            "type": "array",
            "items": {"type": "string"},
            "default": ["PATH"],
            "description": "Names that pass.",
        },
    },
    "additionalProperties": False,
}

SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Hooks of an ub config.yaml",
    "type": "object",
    "properties": {
        "hooks": {
            "type": "object",
            "properties": {name: {"type": "array", "items": {"$ref": "#/$defs/hook"}} for name in EVENTS},
            "additionalProperties": False,
        }
    },
    "$defs": {"hook": _HOOK},
}

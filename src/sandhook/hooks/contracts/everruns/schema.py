"""The JSON Schema of a ``user_hooks`` configuration."""

from __future__ import annotations

from sandhook.hooks.contracts.everruns.names import (
    DEFAULT_TIMEOUT_MS,
    EVENTS,
    MAX_COMMAND_BYTES,
    MAX_ENV,
    MAX_HOOKS,
    MAX_MATCHER_BYTES,
    ON_ERROR,
    TIMEOUT_MS,
)
from sandhook.hooks.event import JsonObject


def _text(description: str) -> JsonObject:
    return {"type": ["string", "null"], "maxLength": MAX_MATCHER_BYTES, "description": description}


_MATCHER: JsonObject = {
    "type": "object",
    "description": "Tool events only; every field that is there must hold.",
    "properties": {
        "tool_name": _text("The tool's name."),
        "tool_name_glob": _text("Names between `|`, each with at most one `*`, at its end."),
        "args_jsonpath": _text("`$.key.key` into the arguments."),
        "match_regex": _text("Rust's regex syntax, found anywhere in that argument."),
        "deny_regex": _text("The same: it fires on a match."),
    },
    "not": {"required": ["match_regex", "deny_regex"]},
    "dependentRequired": {"match_regex": ["args_jsonpath"], "deny_regex": ["args_jsonpath"]},
    "additionalProperties": False,
}

_EXECUTOR: JsonObject = {
    "type": "object",
    "required": ["type", "command"],
    "properties": {
        "type": {"const": "bash"},
        "command": {"type": "string", "minLength": 1, "maxLength": MAX_COMMAND_BYTES},
        "env": {"type": "object", "maxProperties": MAX_ENV, "additionalProperties": {"type": "string"}},
    },
    "additionalProperties": False,
}

_HOOK: JsonObject = {
    "type": "object",
    "required": ["event", "executor"],
    "properties": {
        "id": {"type": ["string", "null"], "description": "Made from event and place when it is not given."},
        "event": {"enum": list(EVENTS)},
        "matcher": {"$ref": "#/$defs/matcher"},
        "executor": {"$ref": "#/$defs/executor"},
        "timeout_ms": {
            "type": "integer",
            "minimum": TIMEOUT_MS.start,
            "maximum": TIMEOUT_MS.stop - 1,
            "default": DEFAULT_TIMEOUT_MS,
        },
        "on_error": {"enum": list(ON_ERROR), "default": "warn"},
        "description": {"type": ["string", "null"]},
        "source": {"type": ["string", "null"]},
    },
    "additionalProperties": False,
}

_NAMES: JsonObject = {"type": "array", "items": {"type": "string"}}

SCHEMA: JsonObject = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "user_hooks of Everruns",
    "type": "object",
    "properties": {
        "$schema": {"type": "string"},
        "hooks": {"type": "array", "maxItems": MAX_HOOKS, "items": {"$ref": "#/$defs/hook"}},
        "disabled": {**_NAMES, "description": "Ids of hooks of weaker layers that do not run."},
        "disabled_contributions": {**_NAMES, "description": "Ids of capabilities' hooks that do not run."},
    },
    "additionalProperties": False,
    "$defs": {"hook": _HOOK, "matcher": _MATCHER, "executor": _EXECUTOR},
}

"""The JSON Schema of the hooks in a settings.json."""

from __future__ import annotations

from collections.abc import Iterable

from sandhook.hooks.contracts.claude_code.names import ROWS, TYPES
from sandhook.hooks.event import JsonObject

_TEXT: JsonObject = {"type": "string"}
_YES: JsonObject = {"type": "boolean"}
_TEXTS: JsonObject = {"type": "array", "items": _TEXT}

_FIELDS: JsonObject = {
    "if": {"type": "string", "description": "One permission rule, such as Bash(git *)."},
    "timeout": {"type": "number", "exclusiveMinimum": 0, "description": "Seconds."},
    "statusMessage": _TEXT,
    "once": {"type": "boolean", "description": "Once in a session; in skills alone."},
    "onFailure": {"enum": ["continue", "block"], "description": "What a hook that fails means."},
    "command": {"type": "string", "minLength": 1, "description": "Shell source, or a program with args."},
    "args": {**_TEXTS, "description": "Exec form: no shell reads them."},
    "async": {"type": "boolean", "description": "Runs in the background."},
    "asyncRewake": {"type": "boolean", "description": "In the background; exit status 2 wakes the model."},
    "shell": {"enum": ["bash", "powershell"]},
    "url": {"type": "string", "minLength": 1},
    "headers": {"type": "object", "additionalProperties": _TEXT},
    "allowedEnvVars": {**_TEXTS, "description": "Variables that headers may name."},
    "server": _TEXT,
    "tool": _TEXT,
    "input": {"type": "object"},
    "prompt": {"type": "string", "minLength": 1, "description": "$ARGUMENTS stands for the payload."},
    "model": _TEXT,
    "continueOnBlock": _YES,
}
_REQUIRED = {
    "command": ["command"],
    "http": ["url"],
    "mcp_tool": ["server", "tool"],
    "prompt": ["prompt"],
    "agent": ["prompt"],
}


def schema(events: Iterable[str]) -> JsonObject:
    """Return the schema for the events of one version."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Hooks of Claude Code",
        "type": "object",
        "properties": {
            "hooks": {"type": "object", "properties": {name: _event(name) for name in events}},
            "disableAllHooks": _YES,
            "allowManagedHooksOnly": _YES,
            "allowedHttpHookUrls": _TEXTS,
            "httpHookAllowedEnvVars": _TEXTS,
        },
        "$defs": {type_: _handler(type_) for type_ in TYPES},
    }


def _event(name: str) -> JsonObject:
    row = ROWS[name]
    group: JsonObject = {
        "hooks": {"type": "array", "items": {"anyOf": [{"$ref": f"#/$defs/{type_}"} for type_ in row.types]}}
    }
    if row.matched:
        group["matcher"] = {"type": "string", "description": f"What {row.matched} must be."}
    return {"type": "array", "items": {"type": "object", "required": ["hooks"], "properties": group}}


def _handler(type_: str) -> JsonObject:
    common = ("if", "timeout", "statusMessage", "once")
    names = (*common, *(("onFailure",) if type_ in ("command", "http") else ()), *TYPES[type_])
    return {
        "type": "object",
        "required": ["type", *_REQUIRED[type_]],
        "properties": {"type": {"const": type_}, **{name: _FIELDS[name] for name in names}},
        "additionalProperties": False,
    }

"""Faults for which Codex drops a whole file, as serde reports them, and as 0.171.0 does in its recorded runs.

Sandhook leaves out the one hook that has a fault, so that the other guards of the file stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.hooks.contracts import Document
from sandhook.hooks.contracts._reading.serde import as_objects, twice_in_struct
from sandhook.hooks.contracts.codex.mcp_tool import has_null
from sandhook.hooks.contracts.codex.names import EVENTS, HOOK_ARRAY, OTHER_TYPES, TYPES
from sandhook.hooks.decode import type_name
from sandhook.hooks.event import Json, JsonObject

#: Keys of a hooks.json; a TOML file has other settings too.
_TOP = ("description", "hooks")

#: Further keys of a command, and their types.
_OPTIONS = {"statusMessage": str, "commandWindows": str, "command_windows": str, "async": bool}


def fault_of(document: Document) -> str | None:
    """Return the first fault of a file for which Codex drops it, or None."""
    value = document.value
    if not isinstance(value, dict):
        return None
    toml = document.name.lower().endswith(".toml")
    twice = None if toml or not document.duplicates else twice_in_struct(document.text, ("hooks",))
    if twice is not None:
        return f"duplicate field {twice}"
    return next(_faults(value, () if toml else [key for key in value if key not in _TOP]), None)


def _faults(value: JsonObject, unknown: tuple[str, ...] | list[str]) -> Iterator[str]:
    for key in unknown:
        yield f"unknown field {key}, expected description or hooks"
    hooks = value.get("hooks")
    for event, groups in as_objects(hooks, hook=HOOK_ARRAY).items() if isinstance(hooks, dict) else ():
        if event not in EVENTS:
            continue
        if not isinstance(groups, list):
            yield f"hooks.{event}: expected an array, got {type_name(groups)}"
            continue
        for index, group in enumerate(groups):
            for fault in _group(group):
                yield f"hooks.{event}[{index}]{fault}"


def _group(group: Json) -> Iterator[str]:
    if not isinstance(group, dict):
        yield f": expected an object, got {type_name(group)}"
        return
    matcher, handlers = group.get("matcher"), group.get("hooks", [])
    if not isinstance(matcher, (str, type(None))):
        yield f".matcher: expected a string, got {type_name(matcher)}"
    if not isinstance(handlers, list):
        yield f".hooks: expected an array, got {type_name(handlers)}"
        return
    for index, handler in enumerate(handlers):
        fault = _handler(handler)
        if fault is not None:
            yield f".hooks[{index}]{fault}"


def _handler(handler: Json) -> str | None:
    if not isinstance(handler, dict):
        return f": expected an object, got {type_name(handler)}"
    type_ = handler.get("type")
    if type_ not in TYPES:
        return None if type_ in OTHER_TYPES else f".type: {type_!r} is no type of a hook"
    for key in ("server", "tool") if type_ == "mcp_tool" else ("command",):
        if not isinstance(handler.get(key), str):
            return f".{key}: expected a string"
    if type_ == "mcp_tool":
        arguments = handler.get("input", {})
        if not isinstance(arguments, dict):
            return f".input: expected a map, got {type_name(arguments)}"
        if has_null(arguments):
            return ".input: has a null"
    for key, wanted in _OPTIONS.items() if type_ == "command" else ():
        if not isinstance(handler.get(key), (wanted, type(None))):
            return f".{key}: is {type_name(handler[key])}"
    timeout = handler.get("timeout")
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, int) or timeout < 0):
        return f".timeout: expected an integer from 0 up, got {type_name(timeout)}"
    return None

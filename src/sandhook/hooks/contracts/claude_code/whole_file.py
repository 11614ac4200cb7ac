"""Faults for which Claude Code drops a whole settings file without a word, as 2.1.332 does.

Sandhook leaves out the one hook that has a fault, so that the other guards of the file stay; these are
further faults, which matter only where the whole file is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.hooks.contracts._fields import Fields, join
from sandhook.hooks.contracts.claude_code.names import COMMON_FIELDS, TYPES
from sandhook.hooks.decode import type_name
from sandhook.hooks.event import Json, JsonObject

_KEYS = frozenset((*COMMON_FIELDS, *(key for keys in TYPES.values() for key in keys)))

#: Settings that are not about hooks, and lists in ``permissions``.
_OTHERS: dict[str, type] = {"permissions": dict, "env": dict, "model": str}
_RULES = ("allow", "deny", "ask")


def report(fields: Fields) -> None:
    """Report the faults of a settings file to its Fields."""
    value = fields.document.value
    if not isinstance(value, dict):
        return
    for path, message in _faults(value):
        fields.problem(path, message)


def _faults(value: JsonObject) -> Iterator[tuple[str, str]]:
    for key, wanted in _OTHERS.items():
        if key in value and not isinstance(value[key], wanted):
            yield key, f"is {type_name(value[key])}"
    permissions = value.get("permissions")
    if isinstance(permissions, dict):
        for key in _RULES:
            if key in permissions and not isinstance(permissions[key], list):
                yield f"permissions.{key}", f"wanted an array, got {type_name(permissions[key])}"
    hooks = value.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for index, group in enumerate(groups if isinstance(groups, list) else ()):
            if isinstance(group, dict):
                yield from _group(group, f"{join('hooks', event)}[{index}]")


def _group(group: JsonObject, path: str) -> Iterator[tuple[str, str]]:
    handlers: Json = group.get("hooks")
    if handlers is None:
        yield path, "hooks is required"
    if "matcher" in group and group["matcher"] is None:
        yield join(path, "matcher"), "is null"
    for index, handler in enumerate(handlers if isinstance(handlers, list) else ()):
        for key in handler if isinstance(handler, dict) else ():
            if key in _KEYS and isinstance(handler, dict) and handler[key] is None:
                yield f"{path}.hooks[{index}].{key}", "is null"

"""How serde, which agents in Rust use, reads a file otherwise than most readers of JSON.

It reads an array in place of an object, its elements in the order of the fields: the agent runs such a hook, and a reader of
the file may overlook it. An object of known fields that has one of them twice is an error, and no hook of the file runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.hooks.contracts._fields import Fields, join
from sandhook.hooks.decode import repeated_keys
from sandhook.hooks.event import Json, JsonObject

_GROUP = ("matcher", "hooks")


def as_objects(
    hooks: JsonObject, *, least: int = 0, hook: Sequence[str] = (), fields: Fields | None = None
) -> JsonObject:
    """Return the lists by event with objects in place of the arrays that an agent reads as such.

    Args:
        least: The number of elements that the array of a group has at least.
        hook: The keys of a hook's array; without them an array is no hook.
        fields: Receives a note for each array.
    """
    return {
        event: [
            _group(group, f"{join('hooks', event)}[{index}]", least, hook, fields)
            for index, group in enumerate(groups)
        ]
        if isinstance(groups, list)
        else groups
        for event, groups in hooks.items()
    }


def twice_in_struct(text: str, structs: Sequence[str] = ()) -> str | None:
    """Return the first key that an object of known fields has twice, or None: the outermost, a group, or a hook.

    Args:
        structs: Keys of the outermost object whose values have known fields, too.
    """
    for path, key in repeated_keys(text):
        if len(path) in (0, 3, 5) or (len(path) == 1 and path[0] in structs):
            return key
    return None


def _group(group: Json, path: str, least: int, hook: Sequence[str], fields: Fields | None) -> Json:
    if isinstance(group, list) and least <= len(group) <= len(_GROUP):
        if fields is not None:
            fields.note(path, "is an array: the agent reads it as the object of a group")
        group = dict(zip(_GROUP, group))
    if not isinstance(group, dict) or not isinstance(group.get("hooks"), list) or not hook:
        return group
    handlers: list[Json] = []
    for index, each in enumerate(group["hooks"]):
        if isinstance(each, list) and len(each) == len(hook):
            if fields is not None:
                fields.note(
                    f"{path}.hooks[{index}]", "is an array: the agent reads it as the object of a hook"
                )
            each = dict(zip(hook, each))
        handlers.append(each)
    return {**group, "hooks": handlers}


def value_name(value: Json) -> str:
    """Return the name of a value as serde writes it in "invalid type: ..."."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"boolean `{str(value).lower()}`"
    if isinstance(value, int):
        return f"integer `{value}`"
    if isinstance(value, float):
        return f"floating point `{value}`"
    if isinstance(value, str):
        return f'string "{value}"'
    return "sequence" if isinstance(value, list) else "map"

"""The nested form that Claude Code introduced and others share: event, groups with a matcher, handlers.

{"hooks": {"<Event>": [{"matcher": "...", "hooks": [{"type": "command", ...}]}]}}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sandhook.hooks.contracts._fields import Fields, join, similar
from sandhook.hooks.decode import type_name
from sandhook.hooks.event import JsonObject
from sandhook.record import Record

#: Keys that a handler has and a group does not.
_HANDLER_KEYS = frozenset({"type", "command", "url", "prompt"})


class Handler(Record):
    """One handler as it stands in a file.

    Attributes:
        event: The event's name as it is written.
        matcher: The group's matcher, "" when it has none.
        raw: The handler's own fields.
        path: Where it stands.
        group: The group's fields.
        group_path: Where the group stands.
    """

    event: str
    matcher: str
    raw: JsonObject
    path: str
    group: JsonObject
    group_path: str


def handlers(fields: Fields, hooks: JsonObject, path: str = "hooks") -> Iterator[Handler]:
    """Yield the handlers of a ``hooks`` object in the order of the file; faults go to ``fields``."""
    for event in hooks:
        for index, group in enumerate(fields.get(hooks, event, list, path) or ()):
            where = f"{join(path, event)}[{index}]"
            if not isinstance(group, dict):
                fields.problem(where, f"wanted an object, got {type_name(group)}")
                continue
            if group.get("hooks") is None and _HANDLER_KEYS & set(group):
                message = 'has no list "hooks": a handler belongs in {"hooks": [...]}, and here it never runs'
                fields.problem(where, message)
                continue
            before = len(fields.problems)
            matcher = fields.get(group, "matcher", str, where) or ""
            entries = fields.get(group, "hooks", list, where) or ()
            if len(fields.problems) > before:
                continue
            for number, raw in enumerate(entries):
                place = f"{where}.hooks[{number}]"
                if isinstance(raw, dict):
                    yield Handler(event, matcher, raw, place, group, where)
                else:
                    fields.problem(place, f"wanted an object, got {type_name(raw)}")


def report_outside(fields: Fields, value: JsonObject, events: Iterable[str], top: str = "hooks") -> None:
    """Report what hides the hooks of a file: lists of events that are outside of ``hooks``, and this key misspelt.

    Args:
        top: The key that has the hooks; "" if the keys are names of the user.
    """
    if top:
        report_misspelt(fields, value, top, "")
    for name in events:
        if isinstance(value.get(name), list):
            fields.problem(name, 'is outside of "hooks": its hooks never run; put it in {"hooks": {...}}')


def report_misspelt(fields: Fields, value: JsonObject, key: str, path: str) -> None:
    """Report a field that was meant to be the key of the hooks, in an object that does not have this key."""
    if key in value:
        return
    # Most files of settings have no hooks: only names that begin like the key are compared.
    for name in value:
        if name[:1].lower() == key[0] and similar(name, (key,)):
            fields.note(join(path, name), f"unknown field: its hooks never run; did you mean {key}?")

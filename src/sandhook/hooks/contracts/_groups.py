"""The nested form that Claude Code introduced and others share: event, groups with a matcher, handlers.

{"hooks": {"<Event>": [{"matcher": "...", "hooks": [{"type": "command", ...}]}]}}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandhook.hooks.contracts import Document, Loaded
from sandhook.hooks.contracts._fields import Fields, join, similar
from sandhook.hooks.decode import object_of, type_name
from sandhook.hooks.diagnostic import Diagnostic
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


def unusable_events(documents: Iterable[Document], events: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the events of which a group has a matcher that is no text, and for each the file and the group's place.

    An agent in JavaScript fails when it compares such a matcher, and then runs no hook of the event.
    """
    found: dict[str, tuple[str, str]] = {}
    for document in documents:
        hooks = object_of(document.value, "hooks") if isinstance(document.value, dict) else {}
        for event in events:
            groups = hooks.get(event)
            for index, group in enumerate(groups if isinstance(groups, list) else ()):
                matcher = group.get("matcher") if isinstance(group, dict) else None
                if (matcher is not None and not isinstance(matcher, (str, bool, int, float))) or (
                    isinstance(matcher, (bool, int, float)) and matcher
                ):
                    found.setdefault(event, (document.name, f"hooks.{event}[{index}].matcher"))
    return found


def without_unusable(
    loaded: Loaded, documents: Sequence[Document], events: Iterable[str], agent: str, *, strict: bool
) -> Loaded:
    """Return the hooks without those of unusable events; in better mode they stay, and a note says so."""
    found = unusable_events(documents, events)
    if not found:
        return loaded
    why = f"is no text: {agent} fails on it, and runs no hook of the event"
    notes = tuple(Diagnostic(why, place, file) for file, place in found.values())
    loaded = loaded._replace(diagnostics=(*loaded.diagnostics, *notes))
    if not strict:
        return loaded
    lost = [spec for spec in loaded.specs if spec.native_event in found]
    return loaded._replace(
        specs=tuple(spec for spec in loaded.specs if spec.native_event not in found),
        withheld=(*loaded.withheld, *((spec, f"{found[spec.native_event][1]} {why}") for spec in lost)),
    )


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

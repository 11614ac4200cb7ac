"""Antigravity's hooks.json: bundles by name, each with lists of groups or of hooks per event."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._convert import Target, grouped
from sandhook.hooks.contracts._fields import Fields, did_you_mean, join, unknown_keys
from sandhook.hooks.contracts._groups import Handler, handlers
from sandhook.hooks.contracts._loader import (
    SHELL_SOURCE,
    entries,
    foreign_hook,
    gather,
    gather_faultless,
    home,
    hook_spec,
    schema,
    shell_text,
)
from sandhook.hooks.contracts.antigravity.names import (
    DEFAULT_TIMEOUT,
    DIRECTORIES,
    EVENTS,
    FIELDS,
    FOLDED,
    ROWS,
)
from sandhook.hooks.decode import type_name
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Matcher, Never, Regex, ToolName
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError
from sandhook.record import Record


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the user's file and those of the project, weakest first."""
    return [
        Layer("user", f"{home(env, platform)}/.gemini/config/hooks.json"),
        *(Layer("project", f"{cwd}/{name}/hooks.json") for name in DIRECTORIES),
    ]


class _Bundles(Record):
    """What the loader found in all files.

    Attributes:
        strict: Faults that sandhook tolerates are problems.
        off: Positions of hooks that are switched off, by file.
    """

    strict: bool
    off: set[tuple[str, str]]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    bundles = _Bundles(options.compat == "strict", set())

    def read(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
        return _document(fields, value, bundles)

    if bundles.strict:
        loaded = gather_faultless(documents, EVENTS, read, "Antigravity drops the whole file", top="")
    else:
        loaded = gather(documents, EVENTS, read, top="")
    kept = [spec for spec in loaded.specs if (spec.file, spec.path) not in bundles.off]
    withheld = [
        (spec, "its bundle is switched off (enabled: false)")
        for spec in loaded.specs
        if (spec.file, spec.path) in bundles.off
    ]
    return loaded._replace(specs=tuple(kept), withheld=tuple(withheld))


#: What Antigravity does for a fault that sandhook tolerates.
_DROPS = "Antigravity drops the whole file for it"


def _tolerated(fields: Fields, path: str, message: str, bundles: _Bundles) -> None:
    """Report a fault that drops the file in strict mode, and that is a note otherwise."""
    (fields.problem if bundles.strict else fields.note)(path, f"{message}: {_DROPS}")


def _document(fields: Fields, value: JsonObject, bundles: _Bundles) -> Iterator[HookSpec]:
    for name, bundle in value.items():
        if not isinstance(bundle, dict):
            what = "a switch stands in a bundle" if name == "enabled" else "wanted a bundle"
            _tolerated(fields, name, f"{what}, got {type_name(bundle)}", bundles)
            continue
        enabled = fields.get(bundle, "enabled", bool, name)
        known: dict[str, Json] = {}
        for event, several in bundle.items():
            if event.lower() in FOLDED:
                known[event] = several
            elif event != "enabled":
                hint = did_you_mean(event, EVENTS)
                fields.note(join(name, event), f"is not an event of Antigravity: its hooks never run{hint}")
        for handler in _handlers(fields, known, name):
            before = len(fields.problems)
            spec = _hook(fields, handler, bundles)
            if spec is None or len(fields.problems) > before:
                continue
            if enabled is False:
                bundles.off.add((spec.file, spec.path))
            yield spec


def _handlers(fields: Fields, events: JsonObject, name: str) -> Iterator[Handler]:
    for event, several in events.items():
        native = FOLDED[event.lower()]
        if ROWS[native].matched:
            found = handlers(fields, {event: several}, name)
        else:
            found = entries(fields, {event: several}, event, name)
        for handler in found:
            yield handler._replace(event=native)


def _hook(fields: Fields, handler: Handler, bundles: _Bundles) -> HookSpec | None:
    raw, path = handler.raw, handler.path
    for key, hint in unknown_keys(raw, FIELDS):
        fields.note(join(path, key), f"unknown field: Antigravity drops it without a word{hint}")
    type_ = fields.get(raw, "type", str, path)
    if type_ == "prompt":
        matcher = _matcher(fields, handler, bundles)
        return foreign_hook(fields, handler, EVENTS[handler.event], type_, matcher=matcher)
    if type_ not in ("command", None):  # a hook without a type is a command
        fields.problem(f"{path}.type", f"unknown type {type_!r}; known are command, prompt")
    where = posixpath.dirname(fields.document.name.replace("\\", "/"))
    return hook_spec(
        fields,
        handler,
        EVENTS[handler.event],
        Executor("bash", shell_text(fields, raw, path)),
        matcher=_matcher(fields, handler, bundles),
        timeout=_timeout(fields, raw, path, bundles),
        on_error="block" if handler.event == "PreToolUse" else "warn",
        entry={**raw, "matcher": handler.matcher},
        extras={"cwd": where} if where else None,  # approvals and checks look there, too
    )


def _timeout(fields: Fields, raw: JsonObject, path: str, bundles: _Bundles) -> float:
    number = fields.get(raw, "timeout", float, path)
    if number is None:
        return DEFAULT_TIMEOUT
    if not 0 < number < float("inf"):
        fields.problem(f"{path}.timeout", f"wanted a whole number above zero, got {number:g}")
        return DEFAULT_TIMEOUT
    if number != int(number):
        _tolerated(fields, f"{path}.timeout", f"wanted a whole number of seconds, got {number:g}", bundles)
    return float(number)


def _matcher(fields: Fields, handler: Handler, bundles: _Bundles) -> Matcher:
    if handler.matcher in ("", "*") or not ROWS[handler.event].matched:
        return ALWAYS
    try:
        return ToolName(Regex(handler.matcher, "go", compile_search(handler.matcher, "go")))
    except PatternError as error:
        fields.note(
            f"{handler.group_path}.matcher", f"does not compile ({error}): Antigravity does not report it"
        )
        return Never("the matcher does not compile") if bundles.strict else ALWAYS


TARGET = Target(
    "Antigravity", EVENTS, matched=("PreToolUse", "PostToolUse"), default=DEFAULT_TIMEOUT, always_closes=True
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a hooks.json with one bundle, and a line for each thing that it cannot express."""
    value, lost = grouped(specs, TARGET)
    bundle: dict[str, Json] = {}
    for native, groups in _lists(value).items():
        if ROWS[native].matched:
            bundle[native] = groups
        else:
            bundle[native] = [each for group in groups for each in _lists(group)["hooks"]]
    return {"sandhook": bundle}, lost


def _lists(value: Json) -> dict[str, list[Json]]:
    inner = value["hooks"] if isinstance(value, dict) and isinstance(value.get("hooks"), dict) else value
    items = inner.items() if isinstance(inner, dict) else ()
    return {key: list(each) for key, each in items if isinstance(each, list)}


_HOOKS: Json = {"type": "array", "items": {"$ref": "#/$defs/hook"}}
_GROUPS: Json = {"type": "array", "items": {"$ref": "#/$defs/group"}}

SCHEMA: JsonObject = {
    **schema(
        "Antigravity's hooks.json",
        {},
        {
            "bundle": {
                "type": "object",
                "properties": {
                    "enabled": {"type": "boolean", "default": True},
                    **{name: _GROUPS if row.matched else _HOOKS for name, row in ROWS.items()},
                },
            },
            "group": {
                "type": "object",
                "properties": {
                    "matcher": {"type": "string", "description": "A regular expression on the tool's name."},
                    "hooks": _HOOKS,
                },
            },
            "hook": {
                "type": "object",
                "properties": {
                    "type": {"enum": ["command", "prompt"], "default": "command"},
                    "command": SHELL_SOURCE,
                    "timeout": {
                        "type": "integer",
                        "minimum": 1,
                        "default": DEFAULT_TIMEOUT,
                        "description": "Seconds.",
                    },
                },
            },
        },
    ),
    "additionalProperties": {"$ref": "#/$defs/bundle"},
}

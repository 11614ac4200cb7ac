"""Gemini CLI's settings.json: the project's hooks come first, then the user's, the system's, extensions'."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._agent import gather, home, look, seconds
from sandhook.hooks.contracts._claude_shape import Value
from sandhook.hooks.contracts._convert import Target, grouped
from sandhook.hooks.contracts._fields import Fields, join
from sandhook.hooks.contracts._groups import Handler, handlers
from sandhook.hooks.contracts.gemini.names import DEFAULT_TIMEOUT, EVENTS, FIELDS, ROWS, SETTINGS
from sandhook.hooks.event import Event, Json
from sandhook.hooks.flavour import compile_search
from sandhook.hooks.matcher import ALWAYS, Exact, Matcher, Regex, TextTest, ToolName, as_text
from sandhook.hooks.model import Executor, HookSpec
from sandhook.pattern.errors import PatternError


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the settings that Gemini CLI reads, weakest first."""
    system = {
        "win32": "C:/ProgramData/gemini-cli/settings.json",
        "darwin": "/Library/Application Support/GeminiCli/settings.json",
    }.get(platform, "/etc/gemini-cli/settings.json")
    return [
        Layer("managed", env.get("GEMINI_CLI_SYSTEM_SETTINGS_PATH") or system),
        Layer("user", f"{home(env, platform)}/.gemini/settings.json"),
        Layer("project", f"{cwd}/.gemini/settings.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; hooks of the strongest run first."""
    off: set[str] = set()
    stopped = False
    for document in documents:
        names, enabled = _switched_off(document.value)
        off |= names
        stopped = stopped or not enabled
    loaded = gather(tuple(reversed(documents)), EVENTS, _document)
    kept: list[HookSpec] = []
    withheld: list[tuple[HookSpec, str]] = []
    for spec in loaded.specs:
        if stopped:
            withheld.append((spec, "hooks are switched off (enabled: false)"))
        elif off & {spec.description or "", spec.executor.text}:
            withheld.append((spec, "is listed as disabled"))
        else:
            kept.append(spec)
    return loaded._replace(specs=tuple(kept), withheld=tuple(withheld))


def _switched_off(value: Json) -> tuple[set[str], bool]:
    """Return the names of hooks that a file switches off, and whether it leaves hooks on at all."""
    off: set[str] = set()
    enabled = True
    for key in ("hooks", "hooksConfig"):
        settings = value.get(key) if isinstance(value, dict) else None
        if isinstance(settings, dict):
            names = settings.get("disabled")
            off.update(name for name in names if isinstance(name, str)) if isinstance(names, list) else None
            enabled = enabled and settings.get("enabled") is not False
    return off - {""}, enabled


def _document(fields: Fields, value: dict[str, Any]) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", dict, "") or {}
    settings = fields.get(value, "hooksConfig", dict, "") or {}
    for place, found in (("hooks", hooks), ("hooksConfig", settings)):
        fields.get(found, "enabled", bool, place)
        fields.strings(found, "disabled", place)
    for name in hooks:
        if name not in EVENTS and name not in SETTINGS:
            fields.note(join("hooks", name), "is no event of Gemini CLI: its hooks never run")
    known = {name: each for name, each in hooks.items() if name in EVENTS}
    groups: dict[str, tuple[Matcher, bool, bool]] = {}
    for handler in handlers(fields, known):
        before = len(fields.problems)
        if handler.group_path not in groups:
            sequential = fields.get(handler.group, "sequential", bool, handler.group_path)
            good = len(fields.problems) == before
            groups[handler.group_path] = (_matcher(fields, handler), bool(sequential), good)
        matcher, sequential, good = groups[handler.group_path]
        spec = _hook(fields, handler, matcher, sequential)
        if good and len(fields.problems) == before:
            yield spec


def _hook(fields: Fields, handler: Handler, matcher: Matcher, sequential: bool) -> HookSpec:
    raw, path, event = handler.raw, handler.path, handler.event
    fields.unknown(raw, FIELDS, path)
    type_ = fields.get(raw, "type", str, path)
    if type_ != "command" and ("type" not in raw or type_ is not None):
        fields.problem(f"{path}.type", f"wanted command, got {type_!r}" if type_ else "type is required")
    command = fields.get(raw, "command", str, path)
    if not (command or "").strip() and ("command" not in raw or command is not None):
        fields.problem(f"{path}.command", "is empty: there is nothing to run")
    name = fields.get(raw, "name", str, path)
    fields.get(raw, "description", str, path)
    given = fields.get(raw, "env", dict, path) or {}
    for key, value in given.items():
        if not isinstance(value, str):
            fields.problem(f"{path}.env.{key}", "wanted a string")
    document = fields.document
    return HookSpec(
        id="",
        event=EVENTS[event],
        native_event=event,
        executor=Executor(
            "bash",
            command or "",
            env=tuple((key, value) for key, value in given.items() if isinstance(value, str)),
        ),
        matcher=matcher,
        timeout=seconds(fields, raw, "timeout", path, default=DEFAULT_TIMEOUT, unit=0.001),
        env_policy="inherit",
        description=name,
        source=name or "user",
        path=path,
        file=document.name,
        layer=document.layer,
        entry={"matcher": handler.matcher, **raw},
        extras={"sequential": sequential},
    )


def _matcher(fields: Fields, handler: Handler) -> Matcher:
    pattern, row = handler.matcher, ROWS[handler.event]
    if pattern in ("", "*"):
        return ALWAYS
    if not row.matched:
        fields.note(f"{handler.group_path}.matcher", f"has no meaning on {handler.event}: all match")
        return ALWAYS
    if row.matched == "tool_name":
        test: TextTest
        try:
            test = Regex(pattern, "js", compile_search(pattern, "js"))
        except PatternError as error:
            fields.note(f"{handler.group_path}.matcher", f"does not compile ({error}): taken as a name")
            test = Exact(pattern)
        return ToolName(test)
    key = row.matched
    place = "reason" if key == "reason" else f"extra.{key}"

    def value(event: Event) -> str:
        return as_text(look(event, place))

    return Value(key, value, Exact(pattern))


TARGET = Target(
    "Gemini CLI",
    EVENTS,
    default=DEFAULT_TIMEOUT,
    units=1000,
    name="name",
    env="env",
    matched=tuple(name for name, row in ROWS.items() if row.matched),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return the hooks of a settings.json, and one line for everything that is lost."""
    return grouped(specs, TARGET)


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Hooks in Gemini CLI's settings.json",
    "type": "object",
    "properties": {
        "hooks": {
            "type": "object",
            "properties": {name: {"type": "array", "items": {"$ref": "#/$defs/group"}} for name in EVENTS},
        },
        "hooksConfig": {
            "type": "object",
            "properties": {
                "enabled": {"type": "boolean", "default": True},
                "disabled": {"type": "array", "items": {"type": "string"}, "description": "Names of hooks."},
            },
        },
    },
    "$defs": {
        "group": {
            "type": "object",
            "properties": {
                "matcher": {
                    "type": "string",
                    "description": "JavaScript's RegExp on the tool's name; elsewhere a text.",
                },
                "sequential": {"type": "boolean", "default": False, "description": "One by one, chained."},
                "hooks": {"type": "array", "items": {"$ref": "#/$defs/hook"}},
            },
        },
        "hook": {
            "type": "object",
            "required": ["type", "command"],
            "properties": {
                "type": {"const": "command"},
                "command": {"type": "string", "minLength": 1, "description": "Shell source."},
                "name": {"type": "string"},
                "timeout": {"type": "number", "default": 60000, "description": "Milliseconds."},
                "description": {"type": "string"},
                "env": {"type": "object", "additionalProperties": {"type": "string"}},
            },
        },
    },
}

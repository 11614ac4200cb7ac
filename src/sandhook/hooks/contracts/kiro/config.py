"""Kiro's two forms, told apart by the document: an object of lists, or a list of hooks beside ``version: "v1"``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._agent import gather, home, look, seconds
from sandhook.hooks.contracts._claude_shape import Value
from sandhook.hooks.contracts._convert import Target, converted
from sandhook.hooks.contracts._fields import Fields
from sandhook.hooks.contracts.kiro.names import (
    AGENT_TIMEOUT,
    EVENTS,
    FIELDS,
    FILE_TIMEOUT,
    HOOK_FIELDS,
    ROWS,
    TRIGGERS,
)
from sandhook.hooks.decode import type_name
from sandhook.hooks.event import Event, Json
from sandhook.hooks.matcher import ALWAYS, Exact, Glob, Matcher, OneOf, ToolName, as_text
from sandhook.hooks.model import Executor, HookSpec


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the files of the default agent and the directory of hooks, weakest first."""
    own = home(env, platform)
    return [
        Layer("user", f"{own}/.kiro/agents/default.json"),
        Layer("project", f"{cwd}/.kiro/agents/default.json"),
        Layer("project", f"{cwd}/.kiro/hooks/*.json"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    return gather(documents, EVENTS, _document)


def _document(fields: Fields, value: dict[str, Any]) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", (dict, list), "")
    if isinstance(hooks, list):
        version = value.get("version")
        if version != "v1":
            fields.problem("version", f'wanted "v1", got {version!r}')
        for index, raw in enumerate(hooks):
            yield from _of_file(fields, raw, f"hooks[{index}]")
    for name in hooks if isinstance(hooks, dict) else ():
        if name not in EVENTS:
            fields.note(f"hooks.{name}", "is no event of Kiro: its hooks never run")
        for index, raw in enumerate(fields.get(hooks, name, list, "hooks") or ()):
            yield from _of_agent(fields, raw, name, f"hooks.{name}[{index}]")


def _of_agent(fields: Fields, raw: Any, name: str, path: str) -> Iterator[HookSpec]:
    before = len(fields.problems)
    if not isinstance(raw, dict):
        fields.problem(path, f"wanted an object, got {type_name(raw)}")
        return
    fields.unknown(raw, FIELDS, path)
    command = _command(fields, raw, path)
    if fields.get(raw, "cache_ttl_seconds", float, path):
        fields.note(f"{path}.cache_ttl_seconds", "has no meaning here: the hook runs every time")
    timeout = seconds(fields, raw, "timeout_ms", path, default=AGENT_TIMEOUT, unit=0.001)
    if name in EVENTS:
        matcher = _matcher(fields, raw, name, path)
        if len(fields.problems) == before:
            yield _spec(fields, raw, name, command, path, matcher, timeout)


def _of_file(fields: Fields, raw: Any, path: str) -> Iterator[HookSpec]:
    before = len(fields.problems)
    if not isinstance(raw, dict):
        fields.problem(path, f"wanted an object, got {type_name(raw)}")
        return
    fields.unknown(raw, HOOK_FIELDS, path)
    trigger = fields.get(raw, "trigger", str, path)
    if trigger is None and "trigger" not in raw:
        fields.problem(path, "trigger is required")
    name = TRIGGERS.get((trigger or "").lower())
    enabled = fields.get(raw, "enabled", bool, path)
    timeout = seconds(fields, raw, "timeout", path, default=FILE_TIMEOUT)
    title = fields.get(raw, "name", str, path)
    action = fields.get(raw, "action", dict, path)
    if action is None:
        if "action" not in raw:
            fields.problem(path, "action is required")
        return
    place = f"{path}.action"
    type_ = fields.get(action, "type", str, place)
    if type_ == "agent":
        fields.note(f"{place}.type", "an action of the type agent needs the agent: it does not run")
        return
    if type_ != "command" and ("type" not in action or type_ is not None):
        fields.problem(f"{place}.type", f"unknown type {type_!r}; known are command, agent")
    command = _command(fields, action, place)
    if trigger is not None and name is None:
        fields.note(f"{path}.trigger", f"{trigger!r} is not known here: the hook never runs")
    if name is None:
        return
    matcher = _matcher(fields, raw, name, path)
    if enabled is False:
        fields.note(path, "is switched off")
    elif len(fields.problems) == before:
        spec = _spec(fields, raw, name, command, path, matcher, timeout)
        yield spec._replace(description=title, extras={"file": True})


def _command(fields: Fields, raw: dict[str, Any], path: str) -> str:
    command = fields.get(raw, "command", str, path)
    if not (command or "").strip() and ("command" not in raw or command is not None):
        fields.problem(path if "command" not in raw else f"{path}.command", "command is required")
    return command or ""


def _spec(
    fields: Fields,
    raw: dict[str, Any],
    name: str,
    command: str,
    path: str,
    matcher: Matcher,
    timeout: float,
) -> HookSpec:
    document = fields.document
    return HookSpec(
        id="",
        event=EVENTS[name],
        native_event=name,
        executor=Executor("bash", command),
        matcher=matcher,
        timeout=timeout,
        env_policy="inherit",
        path=path,
        file=document.name,
        layer=document.layer,
        entry=raw,
    )


def _matcher(fields: Fields, raw: dict[str, Any], name: str, path: str) -> Matcher:
    pattern, key = fields.get(raw, "matcher", str, path), ROWS[name].matched
    if pattern in (None, "", "*"):
        return ALWAYS
    if not key:
        fields.note(f"{path}.matcher", f"has no meaning on {name}: all match")
        return ALWAYS
    test = Glob(pattern) if set(pattern) & set("*?[") else Exact(pattern)
    if key == "tool_name":
        return ToolName(test)

    def value(event: Event) -> str:
        return as_text(look(event, f"extra.{key}"))

    return Value(key, value, test)


TARGET = Target(
    "Kiro",
    EVENTS,
    timeout="timeout_ms",
    default=AGENT_TIMEOUT,
    units=1000,
    name="description",
    matched=("preToolUse", "postToolUse"),
)


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return the hooks of an agent's JSON, and one line for everything that is lost."""
    hooks: dict[str, list[Json]] = {}
    lost: list[str] = []
    for spec in specs:
        patterns = _patterns(spec.matcher)
        if not patterns:
            lost.append(f"{spec.id}: its matcher is no pattern of names: the hook runs for every tool")
        for native, _, fields in converted([spec._replace(matcher=ALWAYS)], TARGET, lost):
            for pattern in patterns or ("",):
                entry = {**fields, "matcher": pattern} if pattern and ROWS[native].matched else dict(fields)
                hooks.setdefault(native, []).append(entry)
    return {"hooks": hooks}, tuple(lost)


def _patterns(matcher: Matcher) -> tuple[str, ...]:
    """Return the shell patterns that a matcher comes to, ("",) for every tool, or none."""
    if matcher == ALWAYS:
        return ("",)
    test = matcher.test if isinstance(matcher, ToolName) else None
    if isinstance(test, Exact):
        return (test.wanted,)
    if isinstance(test, OneOf):
        return test.wanted
    return (test.pattern,) if isinstance(test, Glob) else ()


_LIST: dict[str, Any] = {"type": "array", "items": {"$ref": "#/$defs/hook"}}

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Hooks of a Kiro agent, or of a file of .kiro/hooks",
    "type": "object",
    "properties": {
        "version": {"const": "v1"},
        "hooks": {
            "anyOf": [
                {"type": "object", "properties": dict.fromkeys(EVENTS, _LIST)},
                {"type": "array", "items": {"$ref": "#/$defs/entry"}},
            ]
        },
    },
    "$defs": {
        "hook": {
            "type": "object",
            "required": ["command"],
            "properties": {
                "command": {"type": "string", "minLength": 1, "description": "Shell source."},
                "matcher": {"type": "string", "description": "A shell pattern on the tool's name."},
                "timeout_ms": {"type": "number", "default": 30_000},
                "cache_ttl_seconds": {"type": "number"},
            },
        },
        "entry": {
            "type": "object",
            "required": ["trigger", "action"],
            "properties": {
                "name": {"type": "string"},
                "trigger": {"type": "string"},
                "matcher": {"type": "string"},
                "timeout": {"type": "number", "default": FILE_TIMEOUT, "description": "Seconds."},
                "enabled": {"type": "boolean", "default": True},
                "action": {
                    "type": "object",
                    "required": ["type"],
                    "properties": {"type": {"enum": ["command", "agent"]}, "command": {"type": "string"}},
                },
            },
        },
    },
}

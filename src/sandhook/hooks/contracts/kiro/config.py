"""Kiro's two forms: an object of lists, or ``version: "v1"`` with a list of hooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sandhook.hooks.contracts import Document, Layer, Loaded, LoadOptions
from sandhook.hooks.contracts._convert import Target, converted
from sandhook.hooks.contracts._fields import Fields, did_you_mean
from sandhook.hooks.contracts._groups import Handler
from sandhook.hooks.contracts._loader import (
    SHELL_SOURCE,
    entries,
    gather,
    home,
    hook_of,
    hook_spec,
    lists_of,
    matcher_on,
    schema,
    seconds,
    shell_text,
)
from sandhook.hooks.contracts.kiro.names import (
    AGENT_TIMEOUT,
    EVENTS,
    FIELDS,
    FILE_TIMEOUT,
    HOOK_FIELDS,
    ROWS,
    TRIGGERS,
)
from sandhook.hooks.decode import text_of
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import ALWAYS, Exact, Glob, Matcher, OneOf, ToolName
from sandhook.hooks.model import Executor, HookSpec


def layers(cwd: str, env: Mapping[str, str], platform: str) -> Sequence[Layer]:
    """Return the files of the default agent and the directory of hooks, weakest first."""
    own = home(env, platform)
    return [
        Layer("user", f"{own}/.kiro/agents/default.json"),
        Layer("project", f"{cwd}/.kiro/agents/default.json"),
        Layer("project", f"{cwd}/.kiro/hooks/*.json", "wrap"),
    ]


def load(documents: Sequence[Document], options: LoadOptions) -> Loaded:
    """Read configurations, weakest layer first; every fault is in the result, with its path."""
    return gather(documents, EVENTS, _document)


def _document(fields: Fields, value: JsonObject) -> Iterator[HookSpec]:
    hooks = fields.get(value, "hooks", (dict, list), "")
    if isinstance(hooks, list):
        version = value.get("version")
        if version != "v1":
            fields.problem("version", f'wanted "v1", got {version!r}')
        for handler in entries(fields, value, "hooks", ""):
            yield from _of_file(fields, handler)
    if isinstance(hooks, dict):
        for name in hooks:
            if name not in EVENTS:
                hint = did_you_mean(name, EVENTS)
                fields.note(f"hooks.{name}", f"is not an event of Kiro: its hooks never run{hint}")
            for handler in entries(fields, hooks, name, "hooks"):
                yield from _of_agent(fields, handler)


def _of_agent(fields: Fields, handler: Handler) -> Iterator[HookSpec]:
    raw, path = handler.raw, handler.path
    before = len(fields.problems)
    fields.unknown(raw, FIELDS, path)
    command = shell_text(fields, raw, path, required=True)
    if fields.get(raw, "cache_ttl_seconds", float, path):
        fields.note(f"{path}.cache_ttl_seconds", "has no meaning here: the hook runs every time")
    timeout = seconds(fields, raw, "timeout_ms", path, default=AGENT_TIMEOUT, unit=0.001)
    if handler.event in EVENTS:
        matcher = _matcher(fields, handler)
        if len(fields.problems) == before:
            executor = Executor("bash", command)
            yield hook_spec(
                fields,
                handler,
                EVENTS[handler.event],
                executor,
                matcher=matcher,
                timeout=timeout,
                entry=raw,
            )


def _of_file(fields: Fields, handler: Handler) -> Iterator[HookSpec]:
    raw, path = handler.raw, handler.path
    before = len(fields.problems)
    fields.unknown(raw, HOOK_FIELDS, path)
    trigger = fields.get(raw, "trigger", str, path)
    if trigger is None and "trigger" not in raw:
        fields.problem(path, "trigger is required")
    name = TRIGGERS.get((trigger or "").lower())
    enabled = fields.get(raw, "enabled", bool, path)
    timeout = seconds(fields, raw, "timeout", path, default=FILE_TIMEOUT)
    title = fields.get(raw, "name", str, path)
    executor = _action(fields, raw, path)
    if executor is None:
        return
    if trigger is not None and name is None:
        fields.note(f"{path}.trigger", f"{trigger!r} is not known here: the hook never runs")
    if name is None:
        return
    handler = handler._replace(event=name)
    matcher = _matcher(fields, handler)
    if enabled is False:
        fields.note(path, "is switched off")
    elif len(fields.problems) == before:
        yield hook_spec(
            fields,
            handler,
            EVENTS[name],
            executor,
            matcher=matcher,
            timeout=timeout,
            description=title,
            entry=raw,
            extras={"file": True},
        )


def _action(fields: Fields, raw: JsonObject, path: str) -> Executor | None:
    """Return what a hook's action runs, or None, and a fault."""
    action = fields.get(raw, "action", dict, path)
    if action is None:
        if "action" not in raw:
            fields.problem(path, "action is required")
        return None
    place = f"{path}.action"
    type_ = fields.get(action, "type", str, place)
    if type_ == "agent":
        fields.note(
            f"{place}.type",
            "an action of the type agent needs an executor of the host, and cannot run without one",
        )
        return Executor(type_, text_of(action, "prompt") or "", config=action)
    if type_ != "command" and ("type" not in action or type_ is not None):
        fields.problem(f"{place}.type", f"unknown type {type_!r}; known are command, agent")
    return Executor("bash", shell_text(fields, action, place, required=True))


def _matcher(fields: Fields, handler: Handler) -> Matcher:
    path = handler.path
    pattern, key = fields.get(handler.raw, "matcher", str, path), ROWS[handler.event].matched
    if pattern in (None, "", "*"):
        return ALWAYS
    if not key:
        fields.note(f"{path}.matcher", f"has no meaning on {handler.event}: all match")
        return ALWAYS
    return matcher_on(key, Glob(pattern) if set(pattern) & set("*?[") else Exact(pattern))


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
    """Return the hooks of an agent's JSON, and a line for each thing that it cannot express."""
    hooks: dict[str, list[Json]] = {}
    lost: list[str] = []
    for spec in specs:
        patterns = _patterns(spec.matcher)
        if not patterns:
            lost.append(f"{spec.id}: its matcher is not a pattern of names: the hook runs for every tool")
        for native, _, fields in converted([spec._replace(matcher=ALWAYS)], TARGET, lost):
            for pattern in patterns or ("",):
                entry = {**fields, "matcher": pattern} if pattern and ROWS[native].matched else dict(fields)
                hooks.setdefault(native, []).append(entry)
    return {"hooks": hooks}, tuple(lost)


def _patterns(matcher: Matcher) -> tuple[str, ...]:
    """Return the shell patterns of a matcher: ("",) for every tool, () when it has none."""
    if matcher == ALWAYS:
        return ("",)
    test = matcher.test if isinstance(matcher, ToolName) else None
    if isinstance(test, Exact):
        return (test.wanted,)
    if isinstance(test, OneOf):
        return test.wanted
    return (test.pattern,) if isinstance(test, Glob) else ()


SCHEMA = schema(
    "Hooks of a Kiro agent, or of a file of .kiro/hooks",
    {
        "version": {"const": "v1"},
        "hooks": {
            "anyOf": [lists_of("hook", EVENTS), {"type": "array", "items": {"$ref": "#/$defs/entry"}}],
        },
    },
    {
        "hook": hook_of(
            {
                "command": SHELL_SOURCE,
                "matcher": {"type": "string", "description": "A shell pattern on the tool's name."},
                "timeout_ms": {"type": "number", "default": 30_000},
                "cache_ttl_seconds": {"type": "number"},
            },
            "command",
        ),
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
)

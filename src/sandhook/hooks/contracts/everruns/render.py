"""Hooks of any contract as a ``user_hooks`` configuration, and what it cannot express of them."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.hooks.contracts._render import command_of, sayable
from sandhook.hooks.contracts.everruns.names import EVENTS, MAX_HOOKS, TIMEOUT_MS, TOOL_EVENTS
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import (
    All,
    Always,
    Argument,
    Exact,
    Matcher,
    NotEmpty,
    OneOf,
    Prefixes,
    Regex,
    TextTest,
    ToolName,
)
from sandhook.hooks.model import HookSpec


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a configuration, and a line for each thing that it cannot express."""
    hooks: list[Json] = []
    lost: list[str] = []
    for event, spec in sayable(specs, EVENTS, "Everruns", lost):
        if len(hooks) == MAX_HOOKS:
            lost.append(f"{spec.id}: a configuration has at most {MAX_HOOKS} hooks")
        else:
            hooks.append(_hook(spec, event, lost))
    return {"hooks": hooks}, tuple(lost)


def _hook(spec: HookSpec, event: str, lost: list[str]) -> Json:
    hook: JsonObject = {"event": event}
    if spec.source == "user" and spec.id.startswith("user:"):
        hook["id"] = spec.id.removeprefix("user:")
    if spec.description:
        hook["description"] = spec.description
    matcher = _matcher(spec.matcher) if event in TOOL_EVENTS else {}
    if matcher is None:
        lost.append(f"{spec.id}: its matcher cannot be said here: the hook runs for every call")
    elif matcher:
        hook["matcher"] = matcher
    if event not in TOOL_EVENTS and not isinstance(spec.matcher, Always):
        lost.append(f"{spec.id}: matchers are for tool events alone here: the hook runs every time")
    executor: JsonObject = {"type": "bash", "command": command_of(spec)}
    if spec.executor.env:
        executor["env"] = dict(spec.executor.env)
    hook["executor"] = executor
    milliseconds = round(spec.timeout * 1000)
    bounded = min(max(milliseconds, TIMEOUT_MS.start), TIMEOUT_MS.stop - 1)
    hook["timeout_ms"] = bounded
    if bounded != milliseconds:
        lost.append(f"{spec.id}: its timeout of {spec.timeout:g} s becomes {bounded / 1000:g} s")
    hook["on_error"] = spec.on_error
    if spec.background:
        lost.append(f"{spec.id}: it runs in the background; Everruns waits for it")
    if spec.once:
        lost.append(f"{spec.id}: it runs once in a session; Everruns runs it every time")
    if spec.env_policy != "fresh":
        lost.append(f"{spec.id}: it inherits variables of the agent; Everruns passes none")
    return hook


def _matcher(matcher: Matcher) -> JsonObject | None:
    """Return the equivalent fields, {} for every call, or None when the format has no equivalent."""
    if isinstance(matcher, Always):
        return {}
    if isinstance(matcher, All):
        joined: JsonObject = {}
        for part in matcher.parts:
            fields = _matcher(part)
            if fields is None or set(fields) & set(joined):
                return None
            joined |= fields
        return joined
    if isinstance(matcher, ToolName) and not matcher.aliases:
        return _name(matcher.test)
    if isinstance(matcher, Argument):
        path = "$." + ".".join(matcher.keys)
        if isinstance(matcher.test, NotEmpty):
            return {"args_jsonpath": path}
        if isinstance(matcher.test, Regex):
            return {"args_jsonpath": path, "match_regex": matcher.test.pattern}
    return None


def _name(test: TextTest) -> JsonObject | None:
    if isinstance(test, Exact):
        return {"tool_name": test.wanted}
    if isinstance(test, OneOf):
        names: tuple[str, ...] = test.wanted
    elif isinstance(test, Prefixes):
        names = test.alternatives
    elif isinstance(test, Regex):
        literal = _alternatives(test.pattern)
        if literal is None:
            return None
        names = literal
    else:
        return None
    if not names or any(not name.strip() or set(name[:-1]) & set("*?[]{}|") for name in names):
        return None
    return {"tool_name_glob": "|".join(names)}


def _alternatives(pattern: str) -> tuple[str, ...] | None:
    """Return the names of ``^(a|b)$`` or ``^a$``, which is how plain names are often written."""
    if not (pattern.startswith("^") and pattern.endswith("$")):
        return None
    inner = pattern[1:-1]
    if inner.startswith("(") and inner.endswith(")"):
        inner = inner[1:-1]
    elif "|" in inner:
        return None  # `^a|b$` anchors each name at one end only
    names = tuple(inner.split("|"))
    return names if all(name and name.replace("_", "").replace("-", "").isalnum() for name in names) else None

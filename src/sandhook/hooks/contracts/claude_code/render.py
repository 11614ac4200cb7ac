"""Hooks of any contract as a settings.json, and what it cannot express of them."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.hooks.contracts._claude_shape import WIDE
from sandhook.hooks.contracts._convert import plain_number
from sandhook.hooks.contracts.claude_code.names import EVENT_TIMEOUTS, ROWS, TIMEOUTS
from sandhook.hooks.contracts.claude_code.rule import Rule
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import All, Always, AnyOf, Exact, Matcher, OneOf, Regex, ToolName, regex_of
from sandhook.hooks.model import HookSpec


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a configuration, and a line for each thing that it cannot express."""
    native = {row.kind: name for name, row in ROWS.items()}
    hooks: dict[str, list[Json]] = {}
    lost: list[str] = []
    for spec in specs:
        event = native.get(spec.event)
        if event is None:
            lost.append(f"{spec.id}: Claude Code has no event {spec.event} ({spec.native_event})")
            continue
        own = _own(spec, event)
        handler = own if own is not None else _handler(spec, event, lost)
        if handler is None:
            continue
        group: JsonObject = {"hooks": [handler]}
        entry = spec.entry if isinstance(spec.entry, dict) else {}
        pattern = str(entry.get("matcher") or "") if own is not None else _matcher(spec, event, lost)
        hooks.setdefault(event, []).append({"matcher": pattern, **group} if pattern else group)
    return {"hooks": hooks}, tuple(lost)


def _own(spec: HookSpec, event: str) -> JsonObject | None:
    """Return the original handler when it is Claude Code's already."""
    entry = spec.entry
    if spec.native_event != event or not isinstance(entry, dict) or "type" not in (spec.extras or {}):
        return None
    return {key: value for key, value in entry.items() if key != "matcher"}


def _handler(spec: HookSpec, event: str, lost: list[str]) -> JsonObject | None:
    executor = spec.executor
    handler: JsonObject
    if executor.type == "argv":
        handler = {"type": "command", "command": executor.argv[0], "args": list(executor.argv[1:])}
    elif executor.type == "bash":
        handler = {"type": "command", "command": executor.text}
    else:
        lost.append(f"{spec.id}: Claude Code has no hooks of the type {executor.type}")
        return None
    condition = _condition(spec.matcher)
    if condition:
        handler["if"] = condition
    if spec.timeout != (EVENT_TIMEOUTS.get(event) or TIMEOUTS["command"]):
        handler["timeout"] = plain_number(spec.timeout)
    if spec.background:
        handler["async"] = True
    if spec.description:
        handler["statusMessage"] = spec.description
    if spec.on_error == "block":
        handler["onFailure"] = "block"
    if spec.once:
        lost.append(f"{spec.id}: it runs once in a session; in settings every time")
    if executor.env:
        lost.append(f"{spec.id}: its own variables ({', '.join(name for name, _ in executor.env)})")
    return handler


def _matcher(spec: HookSpec, event: str, lost: list[str]) -> str:
    if not ROWS[event].matched:
        if not isinstance(spec.matcher, Always):
            lost.append(f"{spec.id}: {event} has no matcher: the hook runs every time")
        return ""
    pattern = _pattern(spec.matcher)
    if pattern is None:
        lost.append(
            f"{spec.id}: its matcher is more than a pattern on the tool's name: the hook runs for all"
        )
    return pattern or ""


def _pattern(matcher: Matcher) -> str | None:
    if isinstance(matcher, All):
        parts = [part for part in matcher.parts if not isinstance(part, Rule)]
        return _pattern(parts[0]) if len(parts) == 1 else None
    if isinstance(matcher, Rule):
        return ""
    if isinstance(matcher, AnyOf):
        several = [_pattern(part) for part in matcher.parts]
        names = [each for each in several if each]
        return "|".join(names) if len(names) == len(several) else None
    if isinstance(matcher, ToolName):
        test = matcher.test
        names = [test.wanted] if isinstance(test, Exact) else []
        names = list(test.wanted) if isinstance(test, OneOf) else names
        text = "|".join(names)
        if names and WIDE.issuperset(text) and not {",", " "} & set(text):
            return text
        if isinstance(test, Regex) and WIDE.issuperset(test.pattern):
            return f"(?:{test.pattern})"  # else it would be read as a name
    return regex_of(matcher)


def _condition(matcher: Matcher) -> str | None:
    parts = matcher.parts if isinstance(matcher, All) else (matcher,)
    rules = [part for part in parts if isinstance(part, Rule)]
    if len(rules) != 1:
        return None
    return rules[0].tool + (f"({rules[0].what})" if rules[0].what is not None else "")

"""Hooks of any contract as a hooks.json, and what it cannot express of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sandhook.hooks.contracts._render import command_of, common_losses, sayable
from sandhook.hooks.contracts.jcode.names import DEFAULT_TIMEOUT, EVENTS
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import AnyOf, Matcher, regex_of
from sandhook.hooks.model import HookSpec


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a configuration, and a line for each thing that it cannot express."""
    hooks: dict[str, list[Json]] = {}
    lost: list[str] = []
    for event, spec in sayable(specs, EVENTS, "jcode", lost):
        hooks.setdefault(event, []).append(_group(spec, lost))
    return {"hooks": hooks}, tuple(lost)


def _group(spec: HookSpec, lost: list[str]) -> Json:
    hook: JsonObject = {"type": "command", "command": command_of(spec)}
    if spec.timeout != DEFAULT_TIMEOUT:
        hook["timeout"] = max(1, math.ceil(spec.timeout))
    if spec.background:
        hook["async"] = True
    lost.extend(common_losses(spec, "jcode", background=True))
    pattern = _pattern(spec.matcher)
    if pattern is None:
        lost.append(
            f"{spec.id}: its matcher is more than a pattern on the tool's name: the hook runs for all"
        )
    group: JsonObject = {"hooks": [hook]}
    return {"matcher": pattern, **group} if pattern else group


def _pattern(matcher: Matcher) -> str | None:
    """Return the matcher in jcode's format: parts joined by "|"."""
    if isinstance(matcher, AnyOf):
        parts = [_pattern(part) for part in matcher.parts]
        return None if any(not part for part in parts) else "|".join(part for part in parts if part)
    return regex_of(matcher)

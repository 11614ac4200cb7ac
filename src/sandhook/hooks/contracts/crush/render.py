"""Hooks of any contract as a crush.json, and what it cannot express of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sandhook.hooks.contracts._render import command_of, common_losses, sayable
from sandhook.hooks.contracts.crush.names import DEFAULT_TIMEOUT, EVENTS
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import regex_of
from sandhook.hooks.model import HookSpec


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a configuration, and a line for each thing that it cannot express."""
    hooks: dict[str, list[Json]] = {}
    lost: list[str] = []
    for event, spec in sayable(specs, EVENTS, "Crush", lost):
        hooks.setdefault(event, []).append(_hook(spec, lost))
    return {"hooks": hooks}, tuple(lost)


def _hook(spec: HookSpec, lost: list[str]) -> Json:
    hook: JsonObject = {}
    if spec.description:
        hook["name"] = spec.description
    pattern = regex_of(spec.matcher)
    if pattern is None:
        lost.append(f"{spec.id}: its matcher cannot be written as a regular expression on the tool's name")
    elif pattern:
        hook["matcher"] = pattern
    hook["command"] = command_of(spec)
    if spec.timeout != DEFAULT_TIMEOUT:
        hook["timeout"] = max(1, math.ceil(spec.timeout))
        if hook["timeout"] != spec.timeout:
            lost.append(f"{spec.id}: its timeout of {spec.timeout:g} seconds is rounded up")
    lost.extend(common_losses(spec, "Crush"))
    return hook

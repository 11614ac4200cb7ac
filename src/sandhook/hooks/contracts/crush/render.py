"""Hooks of any contract as a crush.json, and what of them it cannot say."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sandhook.hooks.contracts.crush.names import DEFAULT_TIMEOUT, EVENTS
from sandhook.hooks.event import Json
from sandhook.hooks.matcher import regex_of
from sandhook.hooks.model import HookSpec


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a configuration, and one line for everything that is lost."""
    native = {kind: name for name, kind in EVENTS.items()}
    hooks: dict[str, list[Json]] = {}
    lost: list[str] = []
    for spec in specs:
        event = native.get(spec.event)
        if event is None:
            lost.append(f"{spec.id}: Crush has no event {spec.event} ({spec.native_event})")
            continue
        if spec.executor.type not in ("bash", "argv"):
            lost.append(f"{spec.id}: Crush has no hooks of the type {spec.executor.type}")
            continue
        hooks.setdefault(event, []).append(_hook(spec, lost))
    return {"hooks": hooks}, tuple(lost)


def _hook(spec: HookSpec, lost: list[str]) -> Json:
    hook: dict[str, Json] = {}
    if spec.description:
        hook["name"] = spec.description
    pattern = regex_of(spec.matcher)
    if pattern is None:
        lost.append(f"{spec.id}: its matcher cannot be written as a regular expression on the tool's name")
    elif pattern:
        hook["matcher"] = pattern
    hook["command"] = spec.executor.text or " ".join(map(_quoted, spec.executor.argv))
    if spec.timeout != DEFAULT_TIMEOUT:
        hook["timeout"] = max(1, math.ceil(spec.timeout))
        if hook["timeout"] != spec.timeout:
            lost.append(f"{spec.id}: its timeout of {spec.timeout:g} seconds is rounded up")
    if spec.detached:
        lost.append(f"{spec.id}: it runs beside the agent; Crush waits for it")
    if spec.on_error == "block":
        lost.append(f"{spec.id}: it refuses when it cannot run; Crush lets the call pass")
    if spec.executor.env:
        lost.append(f"{spec.id}: its own variables ({', '.join(name for name, _ in spec.executor.env)})")
    return hook


def _quoted(word: str) -> str:
    if word and all(c.isalnum() or c in "_-./:=@%+," for c in word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"

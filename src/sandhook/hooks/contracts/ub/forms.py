"""ub's other forms: a decision as a hook says it, the schema, and other contracts' hooks as YAML values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandhook.hooks.contracts import Answer
from sandhook.hooks.contracts.ub.names import DEFAULT_TIMEOUT, EVENTS, MAX_TIMEOUT
from sandhook.hooks.event import Event, Json
from sandhook.hooks.matcher import Always, Exact, OneOf, ToolName
from sandhook.hooks.model import Decision, HookSpec


def answer(decision: Decision, event: Event) -> Answer:
    """Return what to print and to exit with; the hook's entry needs ``on_failure: block`` to refuse."""
    if decision.refused:
        return Answer(stderr=(decision.reason or "refused").encode("utf-8", "replace") + b"\n", exit_status=1)
    return Answer()


_HOOK: dict[str, Any] = {
    "type": "object",
    "required": ["command"],
    "properties": {
        "command": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "description": "Program and arguments.",
        },
        "tools": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Exact names; all when empty.",
        },
        "timeout": {
            "type": ["string", "integer"],
            "default": "10s",
            "description": "Go duration; at most 60s.",
        },
        "on_failure": {"enum": ["warn", "block"], "default": "warn"},
        "env": {
            "type": "array",
            "items": {"type": "string"},
            "default": ["PATH"],
            "description": "Names that pass.",
        },
    },
    "additionalProperties": False,
}

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Hooks of an ub config.yaml",
    "type": "object",
    "properties": {
        "hooks": {
            "type": "object",
            "properties": {name: {"type": "array", "items": {"$ref": "#/$defs/hook"}} for name in EVENTS},
            "additionalProperties": False,
        }
    },
    "$defs": {"hook": _HOOK},
}


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a configuration, and one line for everything that is lost."""
    native = {kind: name for name, kind in EVENTS.items()}
    hooks: dict[str, list[Json]] = {}
    lost: list[str] = []
    for spec in specs:
        name = native.get(spec.event)
        if name is None:
            lost.append(f"{spec.id}: ub has no event {spec.event} ({spec.native_event})")
        elif spec.executor.type not in ("bash", "argv"):
            lost.append(f"{spec.id}: ub has no hooks of the type {spec.executor.type}")
        else:
            hooks.setdefault(name, []).append(_hook(spec, lost))
    return {"hooks": hooks}, tuple(lost)


def _hook(spec: HookSpec, lost: list[str]) -> Json:
    argv = list(spec.executor.argv) or ["bash", "-c", spec.executor.text]
    hook: dict[str, Json] = {"command": argv}
    matcher = spec.matcher
    if isinstance(matcher, ToolName) and isinstance(matcher.test, Exact):
        hook["tools"] = [matcher.test.wanted]
    elif isinstance(matcher, ToolName) and isinstance(matcher.test, OneOf):
        hook["tools"] = list(matcher.test.wanted)
    elif not isinstance(matcher, Always):
        lost.append(f"{spec.id}: its matcher is more than a list of tools: the hook runs for all")
    if spec.timeout != DEFAULT_TIMEOUT:
        hook["timeout"] = f"{min(spec.timeout, MAX_TIMEOUT):g}s"
        if spec.timeout > MAX_TIMEOUT:
            lost.append(f"{spec.id}: its timeout of {spec.timeout:g} seconds becomes {MAX_TIMEOUT:g}")
    if spec.event == "tool.pre":
        hook["on_failure"] = "block"
    hook["env"] = list(spec.env_names) if spec.env_policy == "allow" else ["PATH", "HOME"]
    if spec.env_policy == "inherit":
        lost.append(f"{spec.id}: it had the agent's whole environment; PATH and HOME are left")
    if spec.detached:
        lost.append(f"{spec.id}: it runs beside the agent; ub waits for it")
    lost.append(f"{spec.id}: ub reads its exit status alone, and not what it prints")
    return hook

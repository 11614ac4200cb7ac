"""Hooks of any contract as the values of a config.yaml, and what it cannot express of them."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.hooks.contracts._render import sayable
from sandhook.hooks.contracts.ub.names import DEFAULT_TIMEOUT, EVENTS, MAX_TIMEOUT
from sandhook.hooks.event import Json, JsonObject
from sandhook.hooks.matcher import Always, Exact, OneOf, ToolName
from sandhook.hooks.model import HookSpec


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a configuration, and a line for each thing that it cannot express."""
    hooks: dict[str, list[Json]] = {}
    lost: list[str] = []
    for event, spec in sayable(specs, EVENTS, "ub", lost):
        hooks.setdefault(event, []).append(_hook(spec, lost))
    return {"hooks": hooks}, tuple(lost)


def _hook(spec: HookSpec, lost: list[str]) -> Json:
    argv = list(spec.executor.argv) or ["bash", "-c", spec.executor.text]
    hook: JsonObject = {"command": argv}
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
    if spec.background:
        lost.append(f"{spec.id}: it runs in the background; ub waits for it")
    lost.append(f"{spec.id}: ub reads its exit status alone, and not what it prints")
    return hook

"""jcode's other forms: a decision as a hook says it, and other contracts' hooks as a hooks.json."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sandhook.hooks.contracts import Answer
from sandhook.hooks.contracts.jcode.names import DEFAULT_TIMEOUT, EVENTS, KEEP_WORKING
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, Json
from sandhook.hooks.matcher import AnyOf, Matcher, regex_of
from sandhook.hooks.model import Decision, HookSpec


def answer(decision: Decision, event: Event) -> Answer:
    """Return what to print and to exit with."""
    if decision.refused or (event.kind == "stop" and decision.force_continue):
        reason = decision.reason or (KEEP_WORKING if event.kind == "stop" else "refused")
        return Answer(stderr=reason.encode("utf-8", "replace") + b"\n", exit_status=2)
    specific: dict[str, Json] = {}
    if event.kind == "tool.pre":
        if decision.permission in ("allow", "ask"):
            specific["permissionDecision"] = decision.permission
        if decision.input and event.tool is not None:
            specific["updatedInput"] = decision.apply_to(event.tool.input)
    if decision.result and event.result is not None:
        changed = decision.apply_to_result(event.result).value
        specific["modifiedResult"] = changed if isinstance(changed, str) else encode(changed)
    if decision.context:
        specific["additionalContext"] = "\n".join(text for text, _ in decision.context)
    said: dict[str, Json] = {}
    if decision.system_message:
        said["systemMessage"] = decision.system_message
    if specific:
        native = next((name for name, kind in EVENTS.items() if kind == event.kind), "")
        said["hookSpecificOutput"] = {"hookEventName": native, **specific}
    return Answer(stdout=encode(said).encode() + b"\n" if said else b"")


def render(specs: Sequence[HookSpec]) -> tuple[Json, tuple[str, ...]]:
    """Return a configuration, and one line for everything that is lost."""
    native = {kind: name for name, kind in EVENTS.items()}
    hooks: dict[str, list[Json]] = {}
    lost: list[str] = []
    for spec in specs:
        event = native.get(spec.event)
        if event is None:
            lost.append(f"{spec.id}: jcode has no event {spec.event} ({spec.native_event})")
        elif spec.executor.type not in ("bash", "argv"):
            lost.append(f"{spec.id}: jcode has no hooks of the type {spec.executor.type}")
        else:
            hooks.setdefault(event, []).append(_group(spec, event, lost))
    return {"hooks": hooks}, tuple(lost)


def _group(spec: HookSpec, event: str, lost: list[str]) -> Json:
    command = spec.executor.text or " ".join(
        "'" + word.replace("'", "'\\''") + "'" for word in spec.executor.argv
    )
    hook: dict[str, Json] = {"type": "command", "command": command}
    if spec.timeout != DEFAULT_TIMEOUT:
        hook["timeout"] = max(1, math.ceil(spec.timeout))
    if spec.detached:
        hook["async"] = True
    if spec.on_error == "block":
        lost.append(f"{spec.id}: it refuses when it cannot run; jcode lets the call pass")
    if spec.executor.env:
        lost.append(f"{spec.id}: its own variables ({', '.join(name for name, _ in spec.executor.env)})")
    pattern = _pattern(spec.matcher)
    if pattern is None:
        lost.append(
            f"{spec.id}: its matcher is more than a pattern on the tool's name: the hook runs for all"
        )
    group: dict[str, Json] = {"hooks": [hook]}
    return {"matcher": pattern, **group} if pattern else group


def _pattern(matcher: Matcher) -> str | None:
    """Return the matcher in jcode's words: parts joined by "|"."""
    if isinstance(matcher, AnyOf):
        parts = [_pattern(part) for part in matcher.parts]
        return None if any(not part for part in parts) else "|".join(part for part in parts if part)
    return regex_of(matcher)

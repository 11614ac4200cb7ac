"""The objects that Grok Build hooks print, by event."""

from __future__ import annotations

import posixpath
import re

from sandhook.hooks.contracts._claude_shape import wrong_types
from sandhook.hooks.contracts._outcome import GOES_ON, refusal
from sandhook.hooks.contracts.grok.names import MAX_TEXT, snake
from sandhook.hooks.contracts.grok.servers import fault_of_changed_call
from sandhook.hooks.decode import encode, object_of, text_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import HookSpec, Operation, Permission, Verdict

WORDS: dict[str, Permission] = {
    "allow": "allow",
    "approve": "allow",
    "ask": "ask",
    "deny": "deny",
    "block": "deny",
}

_TEXT = (str, type(None))
_TYPES = {"decision": _TEXT, "reason": _TEXT, "stopReason": _TEXT, "hookSpecificOutput": (dict, type(None))}
_OWN_TYPES = {
    "permissionDecision": _TEXT,
    "permissionDecisionReason": _TEXT,
    "additionalContext": _TEXT,
    "updatedInput": (dict, type(None)),
}


#: What is read of the output of a hook before a call.
_OF_CALLS = ("decision", "reason", "hookSpecificOutput", "permissionDecision", "permissionDecisionReason")


def fault_of(value: JsonObject, *, call: bool = False) -> str | None:
    """Return why upstream does not read an object at all, or None.

    Args:
        call: It is the output of a hook before a call.
    """
    specific = object_of(value, "hookSpecificOutput")
    if call:
        read = {key: value[key] for key in _OF_CALLS if key in value}
        own = {key: specific[key] for key in _OF_CALLS if key in specific}
        return wrong_types(read, _TYPES) or wrong_types(own, _OWN_TYPES, "hookSpecificOutput.")
    return wrong_types(value, _TYPES) or wrong_types(specific, _OWN_TYPES, "hookSpecificOutput.")


_PLACE = re.compile(r"\[(\d+)\]\.hooks\[(\d+)\]$")


def name_of(spec: HookSpec) -> str:
    """Return what the agent calls a hook: the scope, the file, the event and the position."""
    file = posixpath.splitext(posixpath.basename(spec.file.replace("\\", "/")))[0]
    scope = f"{'project' if spec.layer == 'project' else 'global'}/{file}"
    if spec.file.endswith(".toml"):
        scope = {"config": "user", "managed_config": "system_managed"}.get(file, "requirements/system")
    place = _PLACE.search(spec.path)
    where = f"[{place[1]}].hooks[{place[2]}]" if place else ""
    return f"{scope}:{snake(spec.native_event)}{where}"


def generic(spec: HookSpec, status: int | None) -> str:
    """Return the reason of a refusal that has none."""
    last = " (exit code 2)" if status == 2 else ""
    if spec.native_event == "PreToolUse":
        return f"denied by hook '{name_of(spec)}'{last}"
    kind = "stop" if spec.native_event in ("Stop", "SubagentStop") else snake(spec.native_event)
    return f"Blocked by {kind} hook '{name_of(spec)}'{last}"


def verdict_of(
    spec: HookSpec,
    event: Event,
    value: JsonObject,
    ended: tuple[int | None, str],
    notes: list[str],
    *,
    better: bool,
) -> Verdict:
    """Return what an object means on an event; a status of 2 is looked at elsewhere.

    Args:
        ended: The exit status, and the first line of standard error, which is the reason of a refused call without one.
    """
    native = spec.native_event
    specific = object_of(value, "hookSpecificOutput")
    if native == "PreToolUse":
        return _of_call(spec, event, value, specific, ended, notes, better=better)
    status, _ = ended
    word = value.get("decision")
    refuses = word == "block" or (better and word == "deny")
    known = word in (None, "block", "approve", "allow", "deny")
    odd = None if known else f"decision {encode(word)} is not known"
    reason = text_of(value, "reason") or generic(spec, None)
    context = _clipped(text_of(specific, "additionalContext"), notes)
    if event.kind in GOES_ON:
        if value.get("continue") is False and word != "allow":  # which is the stop itself
            return Verdict("block", True, halt=True, reason=text_of(value, "stopReason", "reason"))
        if refuses:
            return refusal(event.kind, _clipped(reason, notes))
        return refusal(event.kind, context) if context else Verdict("none", undecodable=odd)
    if native == "UserPromptSubmit":
        if context:
            notes.append("additionalContext is not looked at on UserPromptSubmit: Grok Build drops it")
        if refuses or (better and value.get("continue") is False):
            return refusal(event.kind, text_of(value, "reason", "stopReason") or generic(spec, None))
        return Verdict("none", undecodable=odd)
    if native not in ("PostToolUse", "PostToolUseFailure"):
        return Verdict("none")
    texts = [context] if context and not status else []
    if refuses and native == "PostToolUse":
        texts.append(_clipped(reason, notes) or "")
    replaced = None if status or native != "PostToolUse" else _replaced(event, specific, notes)
    label = "block" if refuses else "mutate" if replaced else "none"
    return Verdict(
        label,
        bool(texts or replaced),
        context=tuple((text, "result") for text in texts),
        result=replaced,
        undecodable=odd,
    )


def _word(value: Json) -> Json:
    """Return a decision, or None for one of blanks alone, which is no decision to Grok Build."""
    return None if isinstance(value, str) and not value.strip() else value


def _of_call(
    spec: HookSpec,
    event: Event,
    value: JsonObject,
    specific: JsonObject,
    ended: tuple[int | None, str],
    notes: list[str],
    *,
    better: bool,
) -> Verdict:
    """Return the verdict on a tool call; a ``permissionDecision`` is stronger than a ``decision``."""
    status, words = ended
    inner, outer = (_word(each) for each in (specific.get("permissionDecision"), value.get("decision")))
    word, key = (outer, "decision") if inner is None else (inner, "permissionDecision")
    reason = text_of(specific, "permissionDecisionReason") or text_of(value, "reason")
    reason = reason.strip() if reason else None  # upstream trims it
    permission = WORDS.get(word.strip()) if isinstance(word, str) else None
    if better and permission != "deny":
        if outer in ("deny", "block"):
            notes.append("decision refuses, and permissionDecision does not: upstream lets that pass")
            permission = "deny"
        elif value.get("continue") is False:
            notes.append("continue is not looked at on PreToolUse: Grok Build wants decision deny")
            permission, reason = "deny", text_of(value, "stopReason", "reason")
    if permission == "deny":
        return refusal("tool.pre", reason or words or generic(spec, None))
    if word is not None and permission is None and word != "defer":
        odd = f"unknown decision value {str(word)!r} in {key!r}"
        notes.append(f"{odd}: the hook failed, and the action proceeds")
        return Verdict("error", undecodable=odd)
    if status:
        return Verdict("none")  # what else it says is dropped
    if word == "defer":
        notes.append("decision defer: upstream ignores whatever else the hook says")
        return Verdict("none", True)
    changed = specific.get("updatedInput")
    if isinstance(changed, dict) and (why := fault_of_changed_call(event, changed)) is not None:
        return refusal("tool.pre", why)
    context = _clipped(text_of(specific, "additionalContext"), notes)
    return Verdict(
        "allow" if permission == "allow" else "mutate" if changed is not None else "none",
        permission is not None or changed is not None,
        permission="ask" if permission == "ask" else "none",  # an allow leaves the agent's own question
        reason=reason if permission else None,
        input=Operation("replace", changed) if isinstance(changed, dict) else None,
        context=((context, "result"),) if context else (),
    )


def _clipped(text: str | None, notes: list[str]) -> str | None:
    if text is None or len(text) <= MAX_TEXT:
        return text
    notes.append(f"a text for the model is cut at {MAX_TEXT} characters")
    return text[:MAX_TEXT]


def _replaced(event: Event, specific: JsonObject, notes: list[str]) -> Operation | None:
    """Return the operation on a tool's result: any value for a server's tool, the tool's own shape for another."""
    name = event.tool.name if event.tool is not None else ""
    if "__" in name:
        key = "updatedMCPToolOutput" if "updatedMCPToolOutput" in specific else "updatedToolOutput"
        return Operation("replace", specific[key]) if key in specific else None
    changed = specific.get("updatedToolOutput")
    if "updatedMCPToolOutput" in specific:
        notes.append("updatedMCPToolOutput has no effect on a built-in tool")
    if changed is None:
        return None
    result = event.result.value if event.result is not None else None
    if isinstance(changed, dict) and isinstance(result, dict) and set(result) <= set(changed):
        return Operation("replace", changed)
    notes.append(
        f"updatedToolOutput {encode(changed)[:60]} does not have the shape of the tool's result: upstream drops it"
    )
    return None

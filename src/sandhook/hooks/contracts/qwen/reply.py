"""The objects that Qwen Code hooks print, by event."""

from __future__ import annotations

from sandhook.hooks.contracts._outcome import GOES_ON, counts_in_javascript, in_javascript, refusal
from sandhook.hooks.contracts.qwen.names import NO_REASON
from sandhook.hooks.decode import encode, object_of, text_of, type_name
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Operation, Permission, Placement, Verdict

#: How often a hook may keep the agent from stopping.
STOPS = 7

#: Characters of context after a slash command expanded.
MAX_EXPANSION = 10_000

#: Where context goes, by event; on others nothing reads it.
_CONTEXTS: dict[str, Placement] = {
    "SessionStart": "session",
    "UserPromptSubmit": "prompt",
    "UserPromptExpansion": "prompt",
    "PostToolUse": "result",
    "PostToolUseFailure": "result",
    "PostToolBatch": "result",
}

_WORDS: dict[str, Permission] = {
    "allow": "allow",
    "approve": "allow",
    "ask": "ask",
    "deny": "deny",
    "block": "deny",
}

#: Events whose outputs Qwen Code joins by looking into each ``hookSpecificOutput``.
_JOINED = (
    *(
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "Stop",
        "UserPromptSubmit",
        "UserPromptExpansion",
    ),
    *("SubagentStop", "TodoCreated", "TodoCompleted"),
)


def verdict_of(name: str, event: Event, value: JsonObject, notes: list[str], *, better: bool) -> Verdict:
    """Return what an object means on an event."""
    if name == "StopFailure":
        return Verdict("none")
    specific = object_of(value, "hookSpecificOutput")
    odd = value.get("hookSpecificOutput")
    fails = not better and isinstance(odd, (str, bool, int, float)) and bool(odd)
    if fails and name == "PreToolUse":
        return _void(odd, notes)
    if name == "PreToolUse":
        verdict = _of_call(event, value, specific, notes, better=better)
    elif name == "PermissionRequest":
        verdict = _of_request(event, value, specific, better=better)
    else:
        verdict = _of_others(name, event, value, notes, better=better)
    context = text_of(specific, "additionalContext")
    if context is not None and name in _CONTEXTS:
        verdict = verdict._replace(context=((_escaped(name, context, notes), _CONTEXTS[name]),))
    elif context is not None:
        notes.append(f"additionalContext is not looked at on {name}: Qwen Code drops it")
    if fails and name in _JOINED and not verdict.intervenes:
        return _void(odd, notes)
    extras = {key: specific[key] for key in ("artifacts",) if key in specific}
    if name == "PermissionRequest" and verdict.refuses:
        decision = object_of(specific, "decision")
        extras.update({key: decision[key] for key in ("interrupt",) if key in decision})
    return verdict._replace(system_message=text_of(value, "systemMessage"), extras=extras or None)


def _void(odd: Json, notes: list[str]) -> Verdict:
    """Return the verdict of an output on which Qwen Code fails, so that no hook of the event has an effect."""
    why = f"hookSpecificOutput: wanted an object, got {type_name(odd)}"
    notes.append(f"{why}: Qwen Code fails on it, and lets pass")
    return Verdict("void", undecodable=why)


def _escaped(name: str, context: str, notes: list[str]) -> str:
    if name != "UserPromptExpansion":
        return context.replace("<", "&lt;").replace(">", "&gt;")
    text = context.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if len(text) > MAX_EXPANSION:
        notes.append(f"additionalContext is cut at {MAX_EXPANSION} characters")
    return text[:MAX_EXPANSION]


def _said(value: JsonObject) -> Json:
    """Return what is written as the reason, None for nothing that counts."""
    written = (value.get(key) for key in ("stopReason", "reason"))
    return next((each for each in written if counts_in_javascript(each)), None)


def _stop_reason(value: JsonObject) -> str:
    said = _said(value)
    return NO_REASON if said is None else in_javascript(said) or ""


def _of_call(
    event: Event, value: JsonObject, specific: JsonObject, notes: list[str], *, better: bool
) -> Verdict:
    """Return the verdict on a tool call; a ``permissionDecision`` is stronger than a ``decision``."""
    for key in ("updatedInput", "tool_input"):
        if key in specific:
            notes.append(f"{key} has no effect on the call: Qwen Code runs the original input")
    inner, outer = specific.get("permissionDecision"), value.get("decision")
    own = _WORDS.get(inner) if isinstance(inner, str) and inner in ("allow", "ask", "deny") else None
    permission = own or (_WORDS.get(outer) if isinstance(outer, str) else None)
    reason = specific.get("permissionDecisionReason")
    if not isinstance(reason, str):
        reason = text_of(value, "reason")
    if better and outer in ("deny", "block") and permission != "deny":
        notes.append("decision refuses, and permissionDecision does not: upstream lets that pass")
        return refusal(event.kind, text_of(value, "reason") or NO_REASON)
    if permission == "deny":
        denied = refusal(event.kind, reason or _stop_reason(value))
        return denied._replace(overrides=own is not None, block=value.get("continue") is False)
    if value.get("continue") is False and (better or permission != "ask"):
        return refusal(event.kind, _stop_reason(value))._replace(block=True)
    if permission is not None:
        return Verdict(permission, True, permission=permission, reason=reason, overrides=own is not None)
    for key, word in (("permissionDecision", inner), ("decision", outer)):
        if word is not None:
            notes.append(f"{key} {encode(word)} is not an opinion (allow, ask and deny are known)")
            overrides = key == "permissionDecision"
            return Verdict("none", overrides=overrides, undecodable=f"{key} {encode(word)} is not known")
    return Verdict("none")


def _of_request(event: Event, value: JsonObject, specific: JsonObject, *, better: bool) -> Verdict:
    """Return the verdict on a permission dialog; a decision that does not allow denies."""
    decision = specific.get("decision")
    outer = value.get("decision") in ("deny", "block") or value.get("continue") is False
    if better and outer:
        return refusal(event.kind, _stop_reason(value))
    if not isinstance(decision, dict):
        odd = None if decision is None else f"decision: wanted an object, got {type_name(decision)}"
        return Verdict("none", undecodable=odd)
    if decision.get("behavior") != "allow":
        return refusal(event.kind, text_of(decision, "message") or NO_REASON)
    changed: Json = decision.get("updatedInput")
    return Verdict(
        "allow",
        True,
        permission="allow",
        input=Operation("replace", changed) if isinstance(changed, dict) else None,
    )


def _of_others(name: str, event: Event, value: JsonObject, notes: list[str], *, better: bool) -> Verdict:
    blocks = value.get("decision") in ("deny", "block")
    halts = value.get("continue") is False
    over = halts and counts_in_javascript(value.get("stopReason"))
    if event.kind in GOES_ON and (blocks or halts):
        count = (event.extras or {}).get("stop_count")
        if isinstance(count, int) and count >= STOPS:
            notes.append(f"the agent was kept from stopping {STOPS} times already: it stops")
            return Verdict("none", True)
        said = _said(value)
        if isinstance(said, dict) and isinstance(said.get("text"), str):  # the form of a part of a prompt
            return refusal(event.kind, said["text"])._replace(overrides=over)
        kept = refusal(event.kind, _stop_reason(value))._replace(overrides=over)
        if better or said is None or isinstance(said, str):
            return kept
        notes.append("the reason is no text: Qwen Code fails to send it, and the turn ends")
        return kept._replace(label="unsent", force_continue=False, halt=True)
    if name in ("UserPromptSubmit", "UserPromptExpansion", "PostToolBatch") and (blocks or halts):
        return refusal(event.kind, _stop_reason(value))._replace(overrides=over)
    if name in ("TodoCreated", "TodoCompleted") and (blocks or (halts and better)):
        if not better and value.get("decision") != "block":
            notes.append("decision deny is not looked at here: Qwen Code wants block")
            return Verdict("none")
        return refusal(event.kind, text_of(value, "reason") or _stop_reason(value))
    if name == "PostToolUse" and (halts or (blocks and better)):
        if not halts:
            notes.append("decision refuses, and not continue: upstream lets the result pass")
        return refusal(event.kind, _stop_reason(value))
    if blocks or halts:
        notes.append(f"a refusal is ignored on {name}: there is nothing to refuse")
    said = in_javascript(value.get("reason")) if counts_in_javascript(value.get("reason")) else None
    return Verdict("none", undecodable=_odd(value), reason=said)


def _odd(value: JsonObject) -> str | None:
    """Return why a decision is not known, or None."""
    word, goes_on = value.get("decision"), value.get("continue")
    if word is not None and (not isinstance(word, str) or word not in _WORDS):
        return f"decision {encode(word)} is not known"
    if goes_on is not None and not isinstance(goes_on, bool):
        return f"continue: wanted a boolean, got {type_name(goes_on)}"
    return None

"""The payloads and outputs of Codex hooks. Upstream drops an invalid output whole, even a refusal.

In better mode a refusal counts in any form: an output with deny, block, ask or stop never allows a
call.
"""

from __future__ import annotations

from sandhook.hooks.contracts._agent import SNAKE, agent_event, asking, payload
from sandhook.hooks.contracts._claude_shape import read_output, wrong_types
from sandhook.hooks.contracts._outcome import GOES_ON, accidents, broken, refusal, unreadable, words_of
from sandhook.hooks.contracts.codex.names import ABSENT, COMMON, EVENTS, ROWS, TEXT
from sandhook.hooks.decode import encode, object_of, text_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Operation, Request, RunResult, Verdict


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    row = ROWS[spec.native_event]
    keys = [key for key in COMMON if (spec.native_event, key) != ("SessionEnd", "model")]
    own = [key for key in row.fields if key != "turn_id"]
    if "turn_id" in row.fields:  # which stands after the session
        keys.insert(1, "turn_id")
    fields = payload(event, (*keys, *own), SNAKE, ABSENT)
    fields["hook_event_name"] = spec.native_event
    text = encode(fields)
    return asking(spec, event, text, compat)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    return agent_event(name, payload, EVENTS, SNAKE)


#: What the model reads in place of a result for which a hook says ``continue: false`` without a reason.
STOPPED = "PostToolUse hook stopped execution"

#: What the model reads for a permission that a hook denied without a message.
DENIED = "PermissionRequest hook denied approval"

#: Events on which the status 2 and ``decision: block`` refuse.
BLOCKABLE = ("PreToolUse", "PermissionRequest", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop")

_TYPES: dict[str, type | frozenset[str]] = {
    "continue": bool,
    "stopReason": str,
    "systemMessage": str,
    "suppressOutput": bool,
    "decision": frozenset({"block", "approve"}),
    "reason": str,
    "hookSpecificOutput": dict,
}
_CONTEXT: dict[str, type | frozenset[str]] = {"hookEventName": str, "additionalContext": str}
_SPECIFIC: dict[str, dict[str, type | frozenset[str]]] = {
    "PreToolUse": {
        **_CONTEXT,
        "permissionDecision": frozenset({"allow", "deny", "ask"}),
        "permissionDecisionReason": str,
        "updatedInput": dict,
    },
    "PermissionRequest": {"hookEventName": str, "decision": dict},
    "PostToolUse": _CONTEXT,
    "SessionStart": _CONTEXT,
    "SubagentStart": _CONTEXT,
    "UserPromptSubmit": _CONTEXT,
}


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    name, notes, words = spec.native_event, list(ran.diagnostics), words_of(ran)
    if ran.exit_status == 2 and ran.limit is None and ran.failure is None:
        if name not in BLOCKABLE:
            notes.append(f"exit status 2 is ignored on {name}: there is nothing to refuse")
            return Verdict("error", could_not_run=ran.could_not_run, diagnostics=tuple(notes))
        notes += accidents(ran, words, 2)
        if words or compat != "strict":
            if not words:
                notes.append("exit status 2 without a reason on standard error: Codex lets that pass")
            return refusal(event.kind, words or "blocked by hook", notes)
        notes.append("exit status 2 without a reason on standard error: the run failed")
        return Verdict("error", could_not_run=ran.could_not_run, diagnostics=tuple(notes))
    if (why := broken(ran)) is not None:
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    if ran.exit_status:
        notes.append(f"exit status {ran.exit_status} is not a decision (2 refuses)")
        return Verdict("error", diagnostics=tuple(notes))
    return _verdict_of(name, event, ran, notes, better=compat != "strict")


def _verdict_of(name: str, event: Event, ran: RunResult, notes: list[str], *, better: bool) -> Verdict:
    printed = read_output(ran.stdout, whole=False)
    notes.extend(printed.notes)
    value = printed.value
    if value is None:
        if not printed.text:
            return Verdict("none", diagnostics=tuple(notes))
        if printed.text.startswith("["):
            notes.append("standard output begins like JSON and is not an object: Codex drops it")
            return Verdict("none", undecodable="an array", diagnostics=tuple(notes))
        if name in TEXT and printed.broken is None:
            return Verdict("none", context=((printed.text, TEXT[name]),), diagnostics=tuple(notes))
        if event.kind not in GOES_ON and printed.broken is None:
            notes.append("standard output is plain text: it has no effect")
        odd = printed.broken or "standard output is not a JSON object"
        return unreadable(odd, notes, exceeded_bound=printed.exceeded_bound)
    specific = object_of(value, "hookSpecificOutput")
    dropped = _odd(name, value, specific)
    if dropped is not None:
        notes.append(f"the whole output is dropped by Codex: {dropped}")
        meant = _refused(name, event, value, specific, notes) if better else None
        return meant or Verdict("none", undecodable=dropped, diagnostics=tuple(notes))
    meant = _refused(name, event, value, specific, notes)
    if meant is not None and _without_effect(name, meant, specific, better=better):
        notes.append(f"Codex does not look at this field on {name}: the hook decided nothing")
        meant = None
    verdict = meant or Verdict("none")
    if verdict.halt and name == "PostToolUse":
        reason = text_of(value, "stopReason") or text_of(value, "reason") or STOPPED
        verdict = verdict._replace(halt=better, reason=reason, result=Operation("replace", reason))
    if specific.get("permissionDecision") == "allow" and not (better and verdict.refuses):
        replaced = Operation("replace", specific["updatedInput"])
        verdict = Verdict("allow", True, permission="allow", input=replaced)
    elif name == "PermissionRequest" and verdict.permission == "none" and specific.get("decision"):
        verdict = Verdict("allow", True, permission="allow")
    context = specific.get("additionalContext")
    if context:
        verdict = verdict._replace(context=((context, TEXT.get(name, "result")),))
    return verdict._replace(system_message=value.get("systemMessage") or None, diagnostics=tuple(notes))


def _refused(
    name: str, event: Event, value: JsonObject, specific: JsonObject, notes: list[str]
) -> Verdict | None:
    """Return the refusal that an output means, or None."""
    word = str(specific.get("permissionDecision") or "").lower()
    reason = text_of(specific, "permissionDecisionReason") or text_of(value, "reason")
    if value.get("continue") is False:
        reason = text_of(value, "stopReason") or reason or "stopped by hook"
        return Verdict("halt", True, halt=True, reason=reason, diagnostics=tuple(notes))
    decision = object_of(specific, "decision")
    if name == "PermissionRequest" and (decision.get("behavior") == "deny" or _reserved(decision)):
        return refusal(event.kind, text_of(decision, "message") or DENIED, notes)
    if (name == "PreToolUse" and word == "deny") or (name in BLOCKABLE and value.get("decision") == "block"):
        return refusal(event.kind, reason or "blocked by hook", notes)
    if name == "PreToolUse" and word == "ask":
        return Verdict("ask", True, permission="ask", reason=reason, diagnostics=tuple(notes))
    return None


def _without_effect(name: str, meant: Verdict, specific: JsonObject, *, better: bool) -> bool:
    """Return whether a refusal is in a field that Codex does not look at on this event."""
    if name == "SessionEnd":
        return True
    if better:
        return False
    behavior = object_of(specific, "decision").get("behavior")
    return (name == "PermissionRequest" and behavior != "deny") or (name == "SubagentStart" and meant.halt)


def _reserved(decision: JsonObject) -> list[str]:
    """Return the reserved fields of a permission's decision, which deny."""
    kept = ("updatedInput", "updatedPermissions", "interrupt")
    return [key for key in kept if decision.get(key) not in (None, False)]


def _odd(name: str, value: JsonObject, specific: JsonObject) -> str | None:
    """Return why Codex drops an output whole, or None."""
    for key in value:
        if key not in _TYPES:
            return f"unknown field {key}"
    types = _SPECIFIC.get(name, {})
    for key in specific:
        if key not in types:
            return f"unknown field hookSpecificOutput.{key}"
    wrong = wrong_types(value, _TYPES) or wrong_types(specific, types, "hookSpecificOutput.")
    if wrong is not None:
        return wrong
    if "hookSpecificOutput" in value and specific.get("hookEventName") not in EVENTS:
        return "hookSpecificOutput.hookEventName must be the name of an event"
    if "permissionDecision" not in specific:  # which Codex reads first
        if value.get("decision") == "approve":
            return "decision approve is not supported"
        if value.get("decision") == "block" and not (text_of(value, "reason") or "").strip():
            return "decision block needs a reason"
    if name == "PermissionRequest":
        return _odd_permission(value, specific)
    return _odd_call(value, specific) if name == "PreToolUse" else None


def _odd_call(value: JsonObject, specific: JsonObject) -> str | None:
    for key in ("continue", "stopReason", "suppressOutput"):
        if value.get(key) not in (None, key == "continue"):
            return f"{key} is not supported on PreToolUse"
    word = specific.get("permissionDecision")
    if word == "ask":
        return "permissionDecision ask is not supported"
    if word == "deny" and not (text_of(specific, "permissionDecisionReason") or "").strip():
        return "permissionDecision deny needs a permissionDecisionReason"
    if word == "allow" and "updatedInput" not in specific:
        return "permissionDecision allow needs updatedInput"
    if word != "allow" and "updatedInput" in specific:
        return "updatedInput needs permissionDecision allow"
    return None


def _odd_permission(value: JsonObject, specific: JsonObject) -> str | None:
    behavior = object_of(specific, "decision").get("behavior")
    if "decision" in specific and behavior not in ("allow", "deny"):
        return "hookSpecificOutput.decision.behavior: wanted one of allow, deny"
    for key in _reserved(object_of(specific, "decision")):
        return f"hookSpecificOutput.decision.{key} is not supported"
    return None if value.get("continue") is not False else "continue is not supported on PermissionRequest"

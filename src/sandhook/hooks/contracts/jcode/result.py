"""The meaning of a run of a jcode hook. Upstream every failure is an allow; here it is too, with a diagnostic.

``continue: false`` and ``decision: block`` count on UserPromptSubmit and Stop; an agent whose Stop is
blocked continues. PreToolUse has ``hookSpecificOutput.permissionDecision`` alone.
"""

from __future__ import annotations

from sandhook.hooks.contracts._exit_2_heuristic import NOTE, looks_accidental
from sandhook.hooks.contracts._outcome import DroppedOutput, unreadable
from sandhook.hooks.contracts._reading.go import folded, go_duration
from sandhook.hooks.contracts._reading.languages import as_trimmed
from sandhook.hooks.contracts.jcode.names import BLOCKABLE, KEEP_WORKING
from sandhook.hooks.decode import BoundExceeded, DecodeError, decode_object, object_of, text_of, type_name
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Compat, Decision, HookSpec, Operation, Placement, RunResult, Verdict

_TYPES: dict[str, type] = {
    "continue": bool,
    "decision": str,
    "reason": str,
    "systemMessage": str,
    "suppressOutput": bool,
    "hookSpecificOutput": dict,
}
_SPECIFIC: dict[str, type] = {
    "permissionDecision": str,
    "permissionDecisionReason": str,
    "updatedInput": object,
    "modifiedResult": str,
    "additionalContext": str,
}


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    strict = compat == "strict"
    return as_trimmed(ran, "unicode", lambda each: _decode(spec, event, each, strict=strict), strict=strict)


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, strict: bool) -> Verdict:
    name = spec.native_event
    notes = list(ran.diagnostics)
    words = ran.stderr.decode("utf-8", "replace").strip()
    if ran.exit_status == 2 and ran.limit is None and ran.failure is None:
        return _two(name, ran, words, notes)
    if ran.timed_out:
        notes.append(f"hooks: {name} hook timed out after {go_duration(spec.timeout)} (treated as allow)")
    if ran.could_not_run is not None:
        message = f"hook failed to run: {ran.failure}" if ran.failure is not None else words or None
        return Verdict(
            "error",
            could_not_run=ran.could_not_run,
            system_message=None if ran.limit is not None else message,
            diagnostics=tuple(notes),
        )
    if ran.exit_status:
        notes.append(f"exit status {ran.exit_status} is not a decision (2 refuses)")
        return Verdict("error", system_message=words or None, diagnostics=tuple(notes))
    text = ran.stdout.decode("utf-8", "replace").strip()
    if not text.startswith("{"):
        if text:
            notes.append("standard output is plain text: it has no effect")
        return Verdict(
            "none",
            undecodable="standard output is not a JSON object" if text else None,
            diagnostics=tuple(notes),
        )
    try:
        return _output(name, event, text, notes)
    except DroppedOutput as odd:
        notes.append(f"the whole output is ignored: {odd}")
        return unreadable(str(odd), notes, exceeded_bound=odd.exceeded_bound)


def _two(name: str, ran: RunResult, words: str, notes: list[str]) -> Verdict:
    if name not in BLOCKABLE:
        notes.append(f"exit status 2 is ignored on {name}: there is nothing to refuse")
        return Verdict("error", could_not_run=ran.could_not_run, diagnostics=tuple(notes))
    if ran.syntax_error is not None or looks_accidental(words):
        notes.append(NOTE)
    return _refusing(name, words or None, notes)


def _refusing(name: str, reason: str | None, notes: list[str]) -> Verdict:
    if name == "PreToolUse":
        return Verdict("deny", True, permission="deny", reason=reason, diagnostics=tuple(notes))
    if name == "Stop":
        return Verdict("block", True, force_continue=True, reason=reason, diagnostics=tuple(notes))
    return Verdict("block", True, block=True, reason=reason, diagnostics=tuple(notes))


def _output(name: str, event: Event, text: str, notes: list[str]) -> Verdict:
    try:
        decoded = decode_object(text)
    except DecodeError as error:
        exceeded = isinstance(error, BoundExceeded)
        raise DroppedOutput(f"standard output is not JSON: {error}", exceeded_bound=exceeded) from None
    notes.extend(decoded.diagnostics)
    value = _checked(decoded.value, _TYPES, "")
    specific = _checked(object_of(value, "hookSpecificOutput"), _SPECIFIC, "hookSpecificOutput.")
    verdict = _decided(name, value, specific, notes)
    replacement = specific.get("updatedInput")
    if name == "PreToolUse" and replacement is not None:
        verdict = verdict._replace(input=Operation("replace", replacement), label=_label(verdict, "rewrite"))
    result = specific.get("modifiedResult")
    if name in ("PostToolUse", "PostToolUseFailure") and result is not None:
        verdict = verdict._replace(result=Operation("replace", result), label=_label(verdict, "rewrite"))
    context = text_of(specific, "additionalContext")
    if context is not None:
        verdict = verdict._replace(context=((context, _PLACES.get(name, "result")),))
    return verdict._replace(system_message=text_of(value, "systemMessage"), diagnostics=tuple(notes))


def _label(verdict: Verdict, label: str) -> str:
    return label if verdict.label == "none" else verdict.label


_PLACES: dict[str, Placement] = {"SessionStart": "session", "UserPromptSubmit": "prompt"}


def _decided(name: str, value: JsonObject, specific: JsonObject, notes: list[str]) -> Verdict:
    blocks = value.get("continue") is False or value.get("decision") == "block"
    if name in ("UserPromptSubmit", "Stop"):
        if blocks:
            return _refusing(name, text_of(value, "reason"), notes)
        return Verdict("none", decided="decision" in value or value.get("continue") is True)
    if blocks:
        notes.append(
            f"decision and continue are ignored on {name}; hookSpecificOutput.permissionDecision decides"
        )
    if name != "PreToolUse":
        return Verdict("none")
    word = specific.get("permissionDecision") or ""
    if word == "deny":
        return _refusing(name, text_of(specific, "permissionDecisionReason"), notes)
    if word == "allow" or word == "ask":
        return Verdict(word, True, permission=word)
    if word:
        notes.append(f"permissionDecision {word!r} is not an opinion (allow, ask and deny are known)")
    return Verdict("none")


def _checked(value: JsonObject, types: dict[str, type], prefix: str) -> JsonObject:
    """Return the object with the names of its known fields, which have their types or are null."""
    value = folded(value, types)
    for key, wanted in types.items():
        item = value.get(key)
        if item is not None and not isinstance(item, wanted):
            raise DroppedOutput(f"{prefix}{key}: got {type_name(item)}")
    return value


def message(decision: Decision, event: Event) -> str:
    """Return what jcode shows instead of what was refused."""
    reason = decision.reason or ""
    if decision.kind == "prompt.submit":
        return f"Your message was blocked by a hook policy. Reason: {reason}"
    if decision.kind == "stop":
        return reason or KEEP_WORKING
    return (
        f"Tool execution was blocked by a hook policy. Reason: {reason} IMPORTANT: this is a policy decision; "
        "do not retry the call or look for a way around it."
    )

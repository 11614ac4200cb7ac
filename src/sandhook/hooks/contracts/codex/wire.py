"""The payloads and outputs of Codex hooks. Upstream drops an invalid output whole, even a refusal.

In better mode a refusal counts in any form: an output with deny, block, ask or stop never allows a
call.
"""

from __future__ import annotations

from sandhook.hooks.contracts._agent import SNAKE, agent_event, asking, payload
from sandhook.hooks.contracts._claude_shape import read_output
from sandhook.hooks.contracts._outcome import (
    GOES_ON,
    accidents,
    broken,
    refusal,
    unreadable,
    with_misfit,
    words_of,
)
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.codex.accepted_fields import BLOCKABLE, fault_of, reserved, without_nulls
from sandhook.hooks.contracts.codex.mcp_tool import filled
from sandhook.hooks.contracts.codex.names import ABSENT, COMMON, EVENTS, INSERTED, ROWS, TEXT
from sandhook.hooks.decode import encode, object_of, text_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Operation, Request, RunResult, Verdict


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    fields = payload(event, _keys(spec.native_event), SNAKE, ABSENT)
    fields["hook_event_name"] = spec.native_event
    if spec.executor.type == "mcp_tool":
        spec = spec._replace(executor=filled(spec.executor, fields))
    return asking(spec, event, encode(fields), compat)


def _keys(name: str) -> list[str]:
    """Return the keys of an event's payload, in Codex's order."""
    keys = [key for key in COMMON if (name, key) != ("SessionEnd", "model")]
    own: list[str] = []
    for key in ROWS[name].fields:
        if key in INSERTED:
            keys.insert(keys.index(INSERTED[key]) + 1, key)
        else:
            own.append(key)
    return keys + own


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    return agent_event(name, payload, EVENTS, SNAKE)


#: What the model reads in place of a result for which a hook says ``continue: false`` without a reason.
STOPPED = "PostToolUse hook stopped execution"

#: What the model reads for a permission that a hook denied without a message.
DENIED = "PermissionRequest hook denied approval"

#: Events after which nothing goes on that a hook could end.
_LAST = ("SessionEnd", "Interrupt")


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
    strict = compat == "strict"

    def verdict_of(each: RunResult) -> Verdict:
        return _verdict_of(name, event, each, list(notes), better=not strict)

    return as_read(ran, "rust", verdict_of, strict=strict)


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
    value = without_nulls(name, value)
    specific = object_of(value, "hookSpecificOutput")
    dropped = fault_of(name, value, specific)
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
        changed = specific["updatedInput"]
        verdict = Verdict("allow", True, permission="allow")
        if isinstance(changed, dict):
            verdict = verdict._replace(input=Operation("replace", changed))
        else:
            verdict = with_misfit(verdict, "updatedInput", changed, notes, better=better)
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
    if name in _LAST:
        return None
    word = str(specific.get("permissionDecision") or "").lower()
    reason = text_of(specific, "permissionDecisionReason") or text_of(value, "reason")
    if value.get("continue") is False:
        reason = text_of(value, "stopReason") or reason or "stopped by hook"
        return Verdict("halt", True, halt=True, reason=reason, diagnostics=tuple(notes))
    decision = object_of(specific, "decision")
    if name == "PermissionRequest" and (decision.get("behavior") == "deny" or reserved(decision)):
        return refusal(event.kind, text_of(decision, "message") or DENIED, notes)
    if (name == "PreToolUse" and word == "deny") or (name in BLOCKABLE and value.get("decision") == "block"):
        return refusal(event.kind, reason or "blocked by hook", notes)
    if name == "PreToolUse" and word == "ask":
        return Verdict("ask", True, permission="ask", reason=reason, diagnostics=tuple(notes))
    return None


def _without_effect(name: str, meant: Verdict, specific: JsonObject, *, better: bool) -> bool:
    """Return whether a refusal is in a field that Codex does not look at on this event."""
    if better:
        return False
    behavior = object_of(specific, "decision").get("behavior")
    return (name == "PermissionRequest" and behavior != "deny") or (name == "SubagentStart" and meant.halt)

"""The payloads and outputs of Mistral Vibe hooks: one JSON object with the status 0; all else is a failure."""

from __future__ import annotations

from sandhook.hooks.contracts._agent import agent_event, asking, payload
from sandhook.hooks.contracts._outcome import refusal, words_of
from sandhook.hooks.contracts._reading.languages import as_trimmed
from sandhook.hooks.contracts.mistral_vibe.names import (
    COMMON,
    EVENTS,
    FORMER,
    NO_REASON,
    PLACES,
    RETRIES,
    ROWS,
)
from sandhook.hooks.decode import (
    BoundExceeded,
    DecodeError,
    decode_object,
    encode,
    object_of,
    text_of,
    type_name,
)
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Operation, Permission, Request, RunResult, Verdict


def request(spec: HookSpec, event: Event, compat: Compat, *, names_agent: bool = True) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON.

    Args:
        names_agent: With ``agent_name`` of a turn's end, which 3.0.2 does not have.
    """
    absent: JsonObject = {"transcript_path": "", "tool_call_id": "", "duration_ms": 0}
    if spec.native_event == "post_tool" and event.result is not None:
        value = event.result.value
        absent["tool_status"] = "success" if event.result.ok else "failure"
        absent["tool_output_text"] = (
            value if isinstance(value, str) else "" if value is None else encode(value)
        )
    fields = payload(event, (*COMMON, *ROWS[spec.native_event].fields), PLACES, absent)
    fields["hook_event_name"] = spec.native_event
    if not names_agent:
        fields.pop("agent_name", None)
    text = encode(fields)
    return asking(spec, event, text, compat)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    return agent_event(FORMER.get(name, name), payload, EVENTS, PLACES)


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    strict = compat == "strict"
    return as_trimmed(ran, "python", lambda each: _decode(spec, event, each, strict=strict), strict=strict)


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, strict: bool) -> Verdict:
    notes = list(ran.diagnostics)
    if ran.could_not_run is not None:
        return _failed(spec, event, ran, ran.could_not_run, notes)
    if ran.exit_status:
        if ran.exit_status == 2:
            notes.append("exit status 2 is a failure as any other: print a decision, or set strict")
        return _failed(spec, event, ran, f"exit status {ran.exit_status}", notes)
    text = ran.stdout.decode("utf-8", "replace").strip()
    if not text:
        return Verdict("none", diagnostics=tuple(notes))
    try:
        decoded = decode_object(text)
    except DecodeError as error:
        odd = f"{_UNREAD}{error}"
        verdict = _failed(spec, event, ran, odd, notes, unread=True)._replace(undecodable=odd)
        if isinstance(error, BoundExceeded):
            verdict = verdict._replace(could_not_run=odd, exceeded_bound=True)
        return verdict
    notes.extend(decoded.diagnostics)
    verdict = _verdict_of(event, decoded.value, notes)
    fault = None if strict or verdict.intervenes else _fault(decoded.value)
    if fault is None:
        return verdict
    odd = f"{_UNREAD}{fault}"  # upstream takes an odd value for none
    failed = _failed(spec, event, ran, odd, notes, unread=True)._replace(undecodable=odd)
    return failed if failed.refuses else failed._replace(input=verdict.input, context=verdict.context)


def _failed(
    spec: HookSpec, event: Event, ran: RunResult, why: str, notes: list[str], *, unread: bool = False
) -> Verdict:
    """Return the verdict of a failure: a refusal or no result for a strict hook, a warning for others.

    Args:
        unread: The output cannot be read; otherwise the reason is what the hook wrote.
    """
    printed = ran.stdout.decode("utf-8", "replace").strip()
    reason = why if unread else words_of(ran) or printed or why
    message = f"hook {spec.description or spec.id} failed: {reason}"
    if spec.on_error == "block" and event.kind == "tool.post":
        cleared = Operation("replace", "")
        return Verdict(
            "block", result=cleared, could_not_run=ran.could_not_run, diagnostics=(*notes, message)
        )
    if spec.on_error == "block" and event.kind != "stop":
        verdict = refusal(event.kind, reason, notes)._replace(decided=ran.could_not_run is None)
        return verdict._replace(could_not_run=ran.could_not_run)
    return Verdict(
        "error",
        could_not_run=ran.could_not_run,
        warnings=(message,),
        diagnostics=(*notes, f"failed: {reason}"),
    )


#: What the agent says of an output that it cannot read.
_UNREAD = "stdout did not match the hook response schema: "
_TYPES: dict[str, type] = {
    "decision": str,
    "reason": str,
    "system_message": str,
    "hook_specific_output": dict,
}
_SPECIFIC: dict[str, type] = {"tool_input": dict, "additional_context": str}


def _fault(value: JsonObject) -> str | None:
    """Return which known field has another type or value, or None; unknown fields are ignored."""
    for fields, types in ((value, _TYPES), (object_of(value, "hook_specific_output"), _SPECIFIC)):
        for key, wanted in types.items():
            item = fields.get(key)
            if item is not None and not isinstance(item, wanted):
                return f"{key}: got {type_name(item)}"
    if value.get("decision") not in (None, "allow", "deny"):
        return f"decision: wanted allow or deny, got {value['decision']!r}"
    return None


def _verdict_of(event: Event, value: JsonObject, notes: list[str]) -> Verdict:
    specific = object_of(value, "hook_specific_output")
    word, written = value.get("decision"), value.get("reason")
    reason = _in_python(written) if written else None
    if word == "deny" and event.kind == "stop" and _tries(event) >= RETRIES:
        notes.append(f"the agent went on {RETRIES} times already: it stops")
        verdict = Verdict("none", True)
    elif word == "deny":
        verdict = refusal(event.kind, reason or NO_REASON.get(event.kind, ""))
    elif word == "allow":
        permission: Permission = "allow" if event.kind == "tool.pre" else "none"
        verdict = Verdict("allow", True, permission=permission, reason=reason)
    else:
        verdict = Verdict("none")
    changed = specific.get("tool_input")
    if event.kind == "tool.pre" and isinstance(changed, dict) and word != "deny":
        verdict = verdict._replace(input=Operation("replace", changed))
    context = text_of(specific, "additional_context")
    if context and event.kind == "tool.post":
        verdict = verdict._replace(context=((context, "result"),))
    return verdict._replace(system_message=text_of(value, "system_message"), diagnostics=tuple(notes))


def _in_python(value: Json) -> str:
    """Return a value as Python puts it into a message."""
    return value if isinstance(value, str) else repr(value)


def _tries(event: Event) -> int:
    retries = (event.extras or {}).get("retries")
    return retries if isinstance(retries, int) else 0

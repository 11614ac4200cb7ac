"""The payloads and outputs of Mistral Vibe hooks: one JSON object with the status 0; all else is a failure."""

from __future__ import annotations

from sandhook.hooks.contracts._agent import agent_event, asking, payload
from sandhook.hooks.contracts._outcome import refusal, words_of
from sandhook.hooks.contracts._reading.languages import as_trimmed
from sandhook.hooks.contracts.mistral_vibe.names import COMMON, EVENTS, PLACES, RETRIES, ROWS
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


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    absent: JsonObject = {"transcript_path": "", "tool_call_id": "", "duration_ms": 0}
    if spec.native_event == "after_tool" and event.result is not None:
        value = event.result.value
        absent["tool_status"] = "success" if event.result.ok else "failure"
        absent["tool_output_text"] = (
            value if isinstance(value, str) else "" if value is None else encode(value)
        )
    fields = payload(event, (*COMMON, *ROWS[spec.native_event].fields), PLACES, absent)
    fields["hook_event_name"] = spec.native_event
    text = encode(fields)
    return asking(spec, event, text, compat)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    return agent_event(name, payload, EVENTS, PLACES)


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
        words = words_of(ran)
        why = f"exit status {ran.exit_status}" + (f": {words}" if words else "")
        return _failed(spec, event, ran, why, notes)
    text = ran.stdout.decode("utf-8", "replace").strip()
    if not text:
        return Verdict("none", diagnostics=tuple(notes))
    try:
        decoded = decode_object(text)
        notes.extend(decoded.diagnostics)
        _check(decoded.value)
    except DecodeError as error:
        odd = f"standard output is not a decision: {error}"
        verdict = _failed(spec, event, ran, odd, notes)._replace(undecodable=odd)
        if isinstance(error, BoundExceeded):
            verdict = verdict._replace(could_not_run=odd, exceeded_bound=True)
        return verdict
    return _verdict_of(event, decoded.value, notes)


def _failed(spec: HookSpec, event: Event, ran: RunResult, why: str, notes: list[str]) -> Verdict:
    """Return the verdict of a failure: a refusal for a strict hook, a warning for others."""
    message = f"hook {spec.description or spec.id} failed: {why}"
    if spec.on_error == "block" and event.kind != "stop":
        verdict = refusal(event.kind, message, notes)._replace(decided=ran.could_not_run is None)
        return verdict._replace(could_not_run=ran.could_not_run)
    return Verdict(
        "error", could_not_run=ran.could_not_run, warnings=(message,), diagnostics=(*notes, f"failed: {why}")
    )


_TYPES: dict[str, type] = {
    "decision": str,
    "reason": str,
    "system_message": str,
    "hook_specific_output": dict,
}
_SPECIFIC: dict[str, type] = {"tool_input": dict, "additional_context": str}


def _check(value: JsonObject) -> None:
    """Raise DecodeError for a known field of another type; unknown fields are ignored."""
    for fields, types in ((value, _TYPES), (object_of(value, "hook_specific_output"), _SPECIFIC)):
        for key, wanted in types.items():
            item = fields.get(key)
            if item is not None and not isinstance(item, wanted):
                raise DecodeError(f"{key}: got {type_name(item)}")
    if value.get("decision") not in (None, "allow", "deny"):
        raise DecodeError(f"decision: wanted allow or deny, got {value['decision']!r}")


def _verdict_of(event: Event, value: JsonObject, notes: list[str]) -> Verdict:
    specific = object_of(value, "hook_specific_output")
    word, reason = value.get("decision"), text_of(value, "reason")
    if word == "deny" and event.kind == "stop" and _tries(event) >= RETRIES:
        notes.append(f"the agent went on {RETRIES} times already: it stops")
        verdict = Verdict("none", True)
    elif word == "deny":
        verdict = refusal(event.kind, reason or "denied by hook")
    elif word == "allow":
        permission: Permission = "allow" if event.kind == "tool.pre" else "none"
        verdict = Verdict("allow", True, permission=permission, reason=reason)
    else:
        verdict = Verdict("none")
    if event.kind == "tool.pre" and specific.get("tool_input") is not None and word != "deny":
        verdict = verdict._replace(input=Operation("replace", specific["tool_input"]))
    if specific.get("additional_context"):
        verdict = verdict._replace(context=((specific["additional_context"], "result"),))
    return verdict._replace(system_message=value.get("system_message") or None, diagnostics=tuple(notes))


def _tries(event: Event) -> int:
    retries = (event.extras or {}).get("retries")
    return retries if isinstance(retries, int) else 0

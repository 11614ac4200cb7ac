"""The payloads and outputs of Kimi Code hooks: an exit status 2, or an object that denies with the status 0."""

from __future__ import annotations

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._agent import asking, event_of, payload
from sandhook.hooks.contracts._outcome import (
    accidents,
    broken,
    printed,
    refusal,
    unreadable,
    words_of,
)
from sandhook.hooks.contracts._payload import an_object
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.kimi.names import BLOCKABLE, COMMON, EVENTS, MAX_TOOL_OUTPUT, ROWS
from sandhook.hooks.decode import (
    encode,
    object_of,
    text_of,
)
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Request, RunResult, Verdict
from sandhook.text.nearest import hint

PLACES = {
    "session_id": "session_id",
    "cwd": "cwd",
    "tool_name": "tool.name",
    "tool_input": "tool.input",
    "tool_call_id": "tool.call_id",
    "tool_output": "result.value",
    "error": "result.error",
    "prompt": "prompt",
    "stop_hook_active": "stop_active",
    "reason": "reason",
}

_ABSENT: JsonObject = {
    "tool_call_id": "",
    "is_steer": False,
    "source": "startup",
    "reason": "",
    "trigger": "auto",
    "agent_name": "",
    "origin_kind": "user",
    "turn_id": 0,
    "notification_type": "",
}

#: What the agent adds to the message of a tool that failed.
_ERROR: JsonObject = {"code": "internal", "message": "", "retryable": False}


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    native = spec.native_event
    fields = payload(event, (*COMMON, *ROWS[native].fields), PLACES, _ABSENT)
    fields["hook_event_name"] = native
    if native == "SessionEnd" and "session_title" in fields:  # as the agent writes it
        fields["session_title"] = fields.pop("session_title")
    if "tool_input" in fields and not isinstance(fields["tool_input"], dict):
        fields["tool_input"] = {}
    if native == "PostToolUse":
        output = fields["tool_output"]
        text = output if isinstance(output, str) else "" if output is None else encode(output)
        fields["tool_output"] = text[:MAX_TOOL_OUTPUT]
    if native == "PostToolUseFailure":
        error = event.result.error if event.result is not None else None
        details = object_of(event.extras or {}, "error_details")
        fields["error"] = {**_ERROR, **details, "message": error or ""}
    if native in ("UserPromptSubmit", "UserPromptQueued"):
        fields["prompt"] = [{"type": "text", "text": event.prompt or ""}]
    return asking(spec, event, encode(fields), compat)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes; a prompt in parts is its texts, with blanks between them."""
    if name not in EVENTS:
        raise ContractError(f"unknown event {name!r}; {hint(name, EVENTS)}")
    fields = dict(an_object(payload))
    prompt = fields.get("prompt")
    if isinstance(prompt, list):
        texts = [object_of({"part": part}, "part").get("text") for part in prompt]
        fields["prompt"] = " ".join(text for text in texts if isinstance(text, str))
    if isinstance(fields.get("error"), dict):
        fields["error_details"] = object_of(fields, "error")
        fields["error"] = text_of(object_of(fields, "error"), "message") or ""
    return event_of(EVENTS[name], fields, PLACES, ignored=("hook_event_name",))


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    strict = compat == "strict"
    return as_read(ran, "javascript", lambda each: _decode(spec, event, each, compat), strict=strict)


def _decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    native, notes = spec.native_event, list(ran.diagnostics)
    why = broken(ran)
    if ran.exit_status == 2 and (why is None or (ran.truncated and ran.limit is None and ran.signal is None)):
        words = words_of(ran)
        verdict = _refused(native, event, words or f"Blocked by {native} hook", notes)
        return verdict._replace(
            diagnostics=(*notes, *(accidents(ran, words, 2) if native in BLOCKABLE else ()))
        )
    if ran.could_not_run is not None:
        return Verdict("error", could_not_run=ran.could_not_run, diagnostics=tuple(notes))
    if ran.exit_status:
        notes.append(f"exit status {ran.exit_status} refuses nothing (2 does), and the output is not read")
        return Verdict("error", diagnostics=tuple(notes))
    text = ran.stdout.decode("utf-8", "replace").strip()
    return _printed(native, event, text, notes, better=compat != "strict") if text else Verdict("none")


def _refused(native: str, event: Event, reason: str, notes: list[str]) -> Verdict:
    if native not in BLOCKABLE:
        notes.append(f"a refusal is ignored on {native}: hooks only observe it")
        return Verdict("error", diagnostics=tuple(notes))
    if native == "Stop" and event.stop_active:
        notes.append("a hook made the agent continue already: Kimi Code stops")
        return Verdict("none", True, diagnostics=tuple(notes))
    return refusal(event.kind, reason, notes)


def _printed(native: str, event: Event, text: str, notes: list[str], *, better: bool) -> Verdict:
    """Return the verdict of an output with the exit status 0."""
    output = printed(text)
    value, odd = output.value, output.odd
    notes += output.diagnostics
    if odd is not None and text.startswith("{"):
        notes.append(odd)
        if output.exceeded_bound:
            return unreadable(odd, notes, exceeded_bound=True)
    elif native == "UserPromptSubmit":  # plain text is context
        odd = None
    specific = object_of(value, "hookSpecificOutput")
    if specific.get("permissionDecision") == "deny":
        reason = specific.get("permissionDecisionReason")
        written = reason.strip() if isinstance(reason, str) else ""
        if native == "UserPromptSubmit":
            written = text_of(value, "message") or text_of(specific, "message") or written
        return _refused(native, event, written or f"Blocked by {native} hook", notes)
    for key, item in (("decision", value.get("decision")), ("continue", value.get("continue"))):
        if item in ("block", "deny") or item is False:
            notes.append(f"{key} is not looked at: Kimi Code wants permissionDecision, or exit status 2")
            if better and not (key == "continue" and native == "Stop"):  # the agent stops, as was meant
                return _refused(native, event, text_of(value, "reason", "stopReason") or "refused", notes)
    if native != "UserPromptSubmit":
        unknown = specific.get("permissionDecision")
        if unknown is not None and native in BLOCKABLE:
            notes.append(f"permissionDecision {encode(unknown)} is not an opinion (deny is known)")
            odd = odd or (None if unknown in ("allow", "ask") else "permissionDecision is not known")
        return Verdict("none", undecodable=odd if native in BLOCKABLE else None, diagnostics=tuple(notes))
    context = text_of(value, "message") or text_of(specific, "message") or text
    return Verdict("none", context=((context, "prompt"),), undecodable=odd, diagnostics=tuple(notes))

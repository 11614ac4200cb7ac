"""The payloads and outputs of Hermes Agent's shell hooks: one JSON object, and the exit status 2."""

from __future__ import annotations

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._agent import asking, event_of, payload
from sandhook.hooks.contracts._outcome import accidents, is_utf8, refusal, words_of
from sandhook.hooks.contracts._payload import an_object
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.hermes.names import BLOCKED, EVENTS, MAX_REASON, ROWS
from sandhook.hooks.decode import (
    DATA_DEPTH,
    BoundExceeded,
    DecodeError,
    encode,
    object_of,
    text_of,
    type_name,
)
from sandhook.hooks.decode import decode as decode_json
from sandhook.hooks.event import Event, Json, JsonObject, ToolResult
from sandhook.hooks.model import Compat, HookSpec, Operation, Request, RunResult, Verdict
from sandhook.text.nearest import hint

PLACES = {
    "session_id": "session_id",
    "cwd": "cwd",
    "turn_id": "turn_id",
    "tool_name": "tool.name",
    "tool_input": "tool.input",
    "tool_call_id": "tool.call_id",
    "user_message": "prompt",
}

#: The same for events that name a call and not its tool.
_OF_APPROVALS = {key: place for key, place in PLACES.items() if key != "tool_call_id"}

_ABSENT: JsonObject = {
    "task_id": "",
    "tool_call_id": "",
    "turn_id": "",
    "api_request_id": "",
    "model": "",
    "platform": "cli",
    "status": "ok",
    "duration_ms": 0,
    "completed": True,
    "interrupted": False,
    "command": "",
    "description": "",
}


def request(spec: HookSpec, event: Event, compat: Compat, *, released: bool = False) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON.

    Args:
        released: Without ``profile``, which the newest release does not have.
    """
    native = spec.native_event
    extra = payload(event, ROWS[native].fields, _places(native), _ABSENT)
    if native == "post_tool_call":
        result = event.result or ToolResult()
        value = result.error if result.value is None else result.value
        extra["result"] = value if isinstance(value, str) else "" if value is None else encode(value)
        if "status" not in (event.extras or {}):  # the agent also has "blocked", for a call that was refused
            extra["status"] = "ok" if result.error is None else "error"
        extra.setdefault("error_type", None)
        extra["error_message"] = result.error
    rest = {key: item for key, item in (event.extras or {}).items() if key not in extra and key != "profile"}
    tool_input = payload(event, ("tool_input",), PLACES)["tool_input"] if event.tool is not None else None
    fields: JsonObject = {
        "hook_event_name": native,
        "tool_name": event.tool.name if event.tool is not None else None,
        "tool_input": tool_input if isinstance(tool_input, dict) else None,
        "session_id": event.session_id or "",
        "cwd": event.cwd or "/workspace",
        "profile": (event.extras or {}).get("profile", "default"),
        "extra": {**extra, **rest},
    }
    if released:
        del fields["profile"]
    return asking(spec, event, encode(fields), compat)._replace(by_execve=spec.executor.type == "argv")


def _places(name: str) -> dict[str, str]:
    return _OF_APPROVALS if "approval" in name else PLACES


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes; the keys of ``extra`` count as its own."""
    if name not in EVENTS:
        raise ContractError(f"unknown event {name!r}; {hint(name, EVENTS)}")
    fields = dict(an_object(payload))
    extra = object_of(fields, "extra")
    fields = {**extra, **{key: item for key, item in fields.items() if key != "extra" and item is not None}}
    if name != "post_tool_call":
        return event_of(EVENTS[name], fields, _places(name), ignored=("hook_event_name",))
    places = {**PLACES, "result": "result.value", "error_message": "result.error"}
    return event_of(EVENTS[name], fields, places, ignored=("hook_event_name",))


def decode(
    spec: HookSpec, event: Event, ran: RunResult, compat: Compat, *, released: bool = False
) -> Verdict:
    """Return what a run means for this event.

    Args:
        released: As the newest release does: nothing replaces the input, and in strict mode only an object that
            blocks refuses.
    """
    better = compat != "strict"

    def read(each: RunResult) -> Verdict:
        return _decode(spec, event, each, better=better, released=released)

    return as_read(ran, "python", read, strict=not better)


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, better: bool, released: bool) -> Verdict:
    native, notes = spec.native_event, list(ran.diagnostics)
    ended = ran.limit is None and ran.failure is None
    value, odd, exceeded = _object(ran if ended else None)
    if not better and not is_utf8(ran.stdout, ran.stderr):
        value, odd = {}, "the output is not UTF-8: upstream takes the hook for failed"
    if odd is not None:
        notes.append(odd)
    if native != "pre_tool_call":
        verdict = _of_others(native, value, notes, better=better)
        label = (
            "error" if (ran.exit_status or ran.could_not_run) and not verdict.intervenes else verdict.label
        )
        return verdict._replace(label=label, could_not_run=ran.could_not_run, diagnostics=tuple(notes))
    words = words_of(ran)
    reason = _refuses(value, notes, better=better)
    if reason is not None:
        why = ran.could_not_run if ran.exit_status is None or ran.missing else None
        return refusal("tool.pre", reason, notes)._replace(could_not_run=why)
    if released and "modify" in (value.get("action"), value.get("decision")):
        notes.append("modify has no effect in the newest release")
        value = {key: item for key, item in value.items() if item != "modify"}
    if released and not better:
        return _released(ran, odd, notes)
    if ran.exit_status == 2 and ended and ran.signal is None:
        printed = text_of(value, "message", "reason") or words[:MAX_REASON] or BLOCKED
        return refusal("tool.pre", printed, [*notes, *accidents(ran, words, 2)])
    why = ran.could_not_run or (f"its output cannot be read: {odd}" if exceeded else None)
    if spec.on_error == "block" and (failure := _failure(ran, why, odd, value, better=better)):
        message = f"hook {spec.id} failed: {failure} (fail_closed)"
        verdict = refusal("tool.pre", message, notes)._replace(could_not_run=why, decided=why is None)
        return verdict._replace(undecodable=odd, exceeded_bound=exceeded)
    if why is not None:
        return Verdict(
            "error", could_not_run=why, exceeded_bound=exceeded, undecodable=odd, diagnostics=tuple(notes)
        )
    if ran.exit_status:
        notes.append(f"exit status {ran.exit_status} is a warning (2 refuses)")
    verdict = _of_call(value, notes, better=better)
    if ran.exit_status and not verdict.decided:
        verdict = verdict._replace(label="error")
    return verdict._replace(undecodable=verdict.undecodable or odd, diagnostics=tuple(notes))


def _released(ran: RunResult, odd: str | None, notes: list[str]) -> Verdict:
    """Return the verdict of an output that does not refuse, as the newest release has it."""
    if ran.exit_status == 2:
        notes.append("exit status 2 refuses nothing in the newest release: print an object that blocks")
    why = ran.could_not_run
    label = "error" if why is not None or ran.exit_status else "none"
    return Verdict(label, could_not_run=why, undecodable=odd, diagnostics=tuple(notes))


def _object(ran: RunResult | None) -> tuple[JsonObject, str | None, bool]:
    """Return the object that a run printed, why it is not one, and whether a bound of sandhook is the reason."""
    text = "" if ran is None or ran.truncated else ran.stdout.decode("utf-8", "replace").strip()
    if not text:
        return {}, None, False
    try:
        value = decode_json(text, max_depth=DATA_DEPTH).value
    except DecodeError as error:
        exceeded = isinstance(error, BoundExceeded) and text.startswith("{")
        return {}, f"standard output is not JSON: {error}", exceeded
    if isinstance(value, dict):
        return value, None, False
    return {}, f"standard output is not an object: it is {type_name(value)}", False


def _failure(
    ran: RunResult, why: str | None, odd: str | None, value: JsonObject, *, better: bool
) -> str | None:
    """Return the failure for which ``fail_closed`` refuses, or None."""
    if better:
        status = f"exit status {ran.exit_status}" if ran.exit_status and not value else None
        return why or odd or status
    spawned = ran.missing is None and ran.failure is None and not ran.timed_out
    return odd if spawned else why


def _refuses(value: JsonObject, notes: list[str], *, better: bool) -> str | None:
    """Return the reason of an output that refuses a call, or None."""
    if value.get("action") == "block":
        return _text(value, "message", "reason")
    if value.get("decision") == "block":
        return _text(value, "reason", "message")
    specific = object_of(value, "hookSpecificOutput")
    foreign = {
        "decision": value.get("decision") == "deny",
        "action": value.get("action") == "deny",
        "continue": value.get("continue") is False,
        "permissionDecision": specific.get("permissionDecision") == "deny",
    }
    for key, refuses in foreign.items():
        if refuses:
            notes.append(f"{key} is not looked at: Hermes Agent wants action block, or decision block")
            if better:
                return text_of(specific, "permissionDecisionReason") or _text(value, "reason", "message")
    return None


def _text(value: JsonObject, first: str, second: str) -> str:
    """Return the first of two fields that is not empty, if it is a text."""
    item = value.get(first) or value.get(second)
    return item if isinstance(item, str) and item else BLOCKED


def _of_call(value: JsonObject, notes: list[str], *, better: bool) -> Verdict:
    """Return the verdict of an output that does not refuse a call."""
    changed: Json = None
    if value.get("action") == "modify":
        changed = value.get("args")
    elif value.get("decision") == "modify":
        changed = value.get("tool_input")
    if isinstance(changed, dict):
        return Verdict("modify", True, input=Operation("replace", changed))
    if value.get("action") == "approve":
        notes.append("action approve asks a human, as the guide says; the code does not read it")
        if better:
            return Verdict("ask", True, permission="ask", reason=text_of(value, "message", "reason"))
        return Verdict("none")
    for key in ("action", "decision"):
        word = value.get(key)
        if word is not None and word not in ("allow", "approve"):
            notes.append(f"{key} {encode(word)} is not known (block and modify are)")
            return Verdict("none", undecodable=f"{key} {encode(word)} is not known")
    return Verdict("none")


def _of_others(native: str, value: JsonObject, notes: list[str], *, better: bool) -> Verdict:
    if native == "pre_verify":
        word = str(value.get("action") or value.get("decision") or "").strip().lower()
        text = (text_of(value, "message") or text_of(value, "reason") or "").strip()
        if word in ("continue", "block") and (text or better):
            return refusal("stop", text or "go on")
        if word in ("continue", "block"):
            notes.append(f"{word} without a message has no effect: the turn ends")
        return Verdict("none")
    context = text_of(value, "context")
    if context is None or not context.strip():
        return Verdict("none")
    if native != "pre_llm_call":
        notes.append(f"context is not looked at on {native}")
        return Verdict("none")
    return Verdict("none", context=((context, "prompt"),))

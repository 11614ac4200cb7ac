"""The payloads and outputs of OpenHands' hooks: an exit status 2, or one JSON object."""

from __future__ import annotations

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._agent import asking, event_of, payload
from sandhook.hooks.contracts._outcome import Printed, accidents, broken, is_utf8, printed, refusal, words_of
from sandhook.hooks.contracts._payload import directory, variable
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.openhands.names import EVENTS, GENERIC, NAMES
from sandhook.hooks.decode import encode, object_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Request, RunResult, Verdict
from sandhook.text.nearest import hint

PLACES = {
    "tool_name": "tool.name",
    "tool_input": "tool.input",
    "tool_response": "result.value",
    "message": "prompt",
    "session_id": "session_id",
    "working_dir": "cwd",
}

#: The keys of all payloads, after the event's.
_KEYS = ("tool_name", "tool_input", "tool_response", "message", "session_id", "working_dir", "metadata")

#: Events that a hook can refuse, or on which it makes the agent continue.
BLOCKABLE = ("PreToolUse", "UserPromptSubmit", "Stop")


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    native = spec.native_event
    fields: JsonObject = {"event_type": native}
    fields.update(payload(event, _KEYS, PLACES, {"metadata": {}}))
    if event.tool is None:
        fields.update(tool_name=None, tool_input=None)
    if native != "PostToolUse":
        fields["tool_response"] = None
    if native != "UserPromptSubmit":
        fields["message"] = None
    env = {
        "OPENHANDS_PROJECT_DIR": variable(directory(event)),
        "OPENHANDS_SESSION_ID": variable(event.session_id or ""),
        "OPENHANDS_EVENT_TYPE": native,
    }
    if event.tool is not None:
        env["OPENHANDS_TOOL_NAME"] = variable(event.tool.name)
    return asking(spec, event, encode(fields), compat, env=env)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    native = NAMES.get(name)
    if native is None:
        raise ContractError(f"unknown event {name!r}; {hint(name, EVENTS)}")
    if isinstance(payload, dict):
        payload = {key: value for key, value in payload.items() if value is not None}
    return event_of(EVENTS[native], payload, PLACES, ignored=("event_type",))


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    better = compat != "strict"
    return as_read(
        ran,
        "python",
        lambda each: _decode(spec, event, each, better=better),
        strict=not better,
        trimmer="json",
    )


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, better: bool) -> Verdict:
    native, notes = spec.native_event, list(ran.diagnostics)
    why = broken(ran)
    if why is not None and (ran.limit is not None or ran.failure is not None):
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    output = _printed(ran)
    value, odd = output.value, output.odd
    notes += output.diagnostics
    readable = better or is_utf8(ran.stdout, ran.stderr)
    if not readable:
        value, odd = {}, "the output is not UTF-8: upstream takes the hook for failed"
    reason = _written(value, "reason")
    words = words_of(ran)
    if native not in BLOCKABLE:
        verdict = _context(native, value, notes)
        failed = ran.could_not_run is not None or ran.exit_status
        label = "error" if failed else verdict.label
        return verdict._replace(label=label, could_not_run=ran.could_not_run, diagnostics=tuple(notes))
    by_status = ran.exit_status == 2 and ran.signal is None and readable
    if _refuses(value, notes, better=better) or by_status:
        if by_status:
            notes += accidents(ran, words, 2)
        feedback = _written(value, "additionalContext") if native == "Stop" else ""
        text = feedback or reason or words or GENERIC
        return refusal(event.kind, text, notes)._replace(could_not_run=why if ran.signal else None)
    why = ran.could_not_run or output.could_not_run
    if ran.exit_status and why is None:
        notes.append(f"exit status {ran.exit_status} refuses nothing (2 does)")
    word = value.get("decision")
    allows = isinstance(word, str) and word.lower() == "allow" and not ran.exit_status and why is None
    verdict = _context(native, value, notes)
    failed = why is not None or ran.exit_status
    return verdict._replace(
        label="error" if failed else "allow" if allows else verdict.label,
        decided=allows,
        could_not_run=why,
        undecodable=odd or _unknown(word),
        exceeded_bound=output.exceeded_bound,
        diagnostics=tuple(notes),
    )


def _printed(ran: RunResult) -> Printed:
    return printed("" if ran.truncated else ran.stdout.decode("utf-8", "replace").strip())


def _written(value: JsonObject, key: str) -> str:
    """Return a field as Python writes its value, null and objects too; "" without the field."""
    return str(value[key]) if key in value else ""


def _unknown(word: Json) -> str | None:
    """Return why a decision is not known, or None."""
    if word is None or (isinstance(word, str) and word.lower() in ("allow", "deny")):
        return None
    return f"decision {encode(word)} is not known (allow and deny are)"


def _refuses(value: JsonObject, notes: list[str], *, better: bool) -> bool:
    """Return whether an object refuses."""
    word = value.get("decision")
    if isinstance(word, str) and word.lower() == "deny":
        return True
    if "continue" in value and not value["continue"]:
        return True
    specific = object_of(value, "hookSpecificOutput")
    if word == "block" or specific.get("permissionDecision") == "deny":
        notes.append("OpenHands wants decision deny: it lets this pass")
        return better
    return False


def _context(native: str, value: JsonObject, notes: list[str]) -> Verdict:
    text = _written(value, "additionalContext")
    if not text:
        return Verdict("none")
    if native == "UserPromptSubmit":
        return Verdict("none", context=((text, "prompt"),))
    if native == "SessionStart":
        return Verdict("none", context=((text, "session"),))
    notes.append(f"additionalContext is not looked at on {native}")
    return Verdict("none")

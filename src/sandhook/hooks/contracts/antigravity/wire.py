"""The payloads and outputs of Antigravity hooks: one JSON object with a decision; before a call all else denies."""

from __future__ import annotations

import posixpath

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._agent import asking, event_of, payload
from sandhook.hooks.contracts._outcome import accidents, printed, refusal, unreadable, words_of
from sandhook.hooks.contracts._payload import an_object, directory
from sandhook.hooks.contracts._reading.languages import as_trimmed
from sandhook.hooks.contracts.antigravity.names import COMMON, EVENTS, ROWS
from sandhook.hooks.decode import encode, text_of, type_name
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Request, RunResult, Verdict
from sandhook.text.nearest import hint

PLACES = {
    "conversationId": "session_id",
    "transcriptPath": "transcript_path",
    "cwd": "cwd",
    "name": "tool.name",
    "args": "tool.input",
}

_ABSENT: JsonObject = {
    "transcriptPath": "",
    "artifactDirectoryPath": "",
    "modelName": "",
    "stepIdx": 0,
    "executionNum": 0,
    "terminationReason": "",
    "fullyIdle": True,
}


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    native = spec.native_event
    fields = payload(event, (*COMMON, *ROWS[native].fields), PLACES, _ABSENT)
    if fields["workspacePaths"] is None:
        fields["workspacePaths"] = [event.project_dir or event.cwd or "/workspace"]
    if "toolCall" in fields:
        fields["toolCall"] = payload(event, ("name", "args"), PLACES, {"args": {}})
    if native == "PostToolUse" and event.result is not None and event.result.error is not None:
        fields["error"] = event.result.error
    where = (spec.extras or {}).get("cwd")
    cwd = where if isinstance(where, str) else ""
    if cwd and cwd[:1] != "/" and cwd[1:3] != ":/":  # the caller names the file from the agent's directory
        cwd = posixpath.normpath(posixpath.join(directory(event), cwd))
    return asking(spec, event, encode(fields), compat, cwd=cwd)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes; the first path of the workspace is its directory."""
    if name not in EVENTS:
        raise ContractError(f"unknown event {name!r}; {hint(name, EVENTS)}")
    fields = dict(an_object(payload))
    call = fields.pop("toolCall", None)
    if ROWS[name].matched:
        if not isinstance(call, dict):
            raise ContractError(f"the payload's toolCall must be an object, got {type_name(call)}")
        fields.update({key: call[key] for key in ("name", "args") if key in call})
    workspace = fields.get("workspacePaths")
    if isinstance(workspace, list) and workspace and isinstance(workspace[0], str):
        fields.setdefault("cwd", workspace[0])
    if name != "PostToolUse":
        return event_of(EVENTS[name], fields, PLACES)
    return event_of(EVENTS[name], fields, {**PLACES, "error": "result.error"})


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    strict = compat == "strict"
    return as_trimmed(ran, "unicode", lambda each: _decode(spec, event, each, strict=strict), strict=strict)


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, strict: bool) -> Verdict:
    native, notes = spec.native_event, list(ran.diagnostics)
    if native == "PreToolUse":
        return _of_call(spec, ran, notes, better=not strict)
    if ran.could_not_run is not None:
        return Verdict("error", could_not_run=ran.could_not_run, diagnostics=tuple(notes))
    if ran.exit_status:
        notes.append(f"exit status {ran.exit_status} refuses nothing on {native}")
    if native != "Stop":
        return Verdict("error" if ran.exit_status else "none", diagnostics=tuple(notes))
    text = ran.stdout.decode("utf-8", "replace").strip()
    output = printed(text)
    value, odd = output.value, output.odd
    if odd is not None:
        notes.append(odd)
        return unreadable(odd, notes, exceeded_bound=output.exceeded_bound, label="error")
    word = value.get("decision")
    if word == "continue" or (not strict and word in ("block", "deny")):
        if word != "continue":
            notes.append(f"decision {word} is not known on Stop: Antigravity wants continue")
        return refusal("stop", text_of(value, "reason") or "go on", notes)
    return Verdict("error" if ran.exit_status else "none", diagnostics=tuple(notes))


def _of_call(spec: HookSpec, ran: RunResult, notes: list[str], *, better: bool) -> Verdict:
    """Return the verdict of a hook before a call."""
    text = "" if ran.truncated else ran.stdout.decode("utf-8", "replace").strip()
    output = printed(text)
    value, odd = output.value, output.odd
    word = value.get("decision")
    if word == "deny":
        reason = text_of(value, "reason") or ("denied by a hook" if better else "")
        return refusal("tool.pre", reason, notes)._replace(could_not_run=ran.could_not_run)
    why = ran.could_not_run or output.could_not_run
    words = words_of(ran)
    if why is not None or ran.exit_status or odd is not None:
        status = f"exit status {ran.exit_status}" if ran.exit_status else None
        notes += accidents(ran, words, ran.exit_status) if ran.exit_status else []
        reason = words or f"hook {spec.id} failed: {why or status or odd}"
        verdict = refusal("tool.pre", reason, notes)._replace(could_not_run=why, decided=why is None)
        return verdict._replace(undecodable=odd, exceeded_bound=output.exceeded_bound)
    if word in ("ask", "force_ask"):
        extras: JsonObject = {"decision": word} if word == "force_ask" else {}
        return Verdict(
            "ask", True, permission="ask", reason=text_of(value, "reason"), extras=_extras(value, extras)
        )
    if word == "allow":
        verdict = Verdict("allow", True, reason=text_of(value, "reason"), extras=_extras(value, {}))
        return verdict._replace(diagnostics=tuple(notes))
    if not text or word == "":
        return Verdict("none", diagnostics=tuple(notes))
    what = "no decision" if word is None else f"the decision {encode(word)}, which is not known"
    notes.append(f"an output with {what}: Antigravity denies the call (print decision allow, or nothing)")
    reason = f"hook {spec.id} printed an object with {what}" if better else ""
    return refusal("tool.pre", reason, notes)


def _extras(value: JsonObject, extras: JsonObject) -> JsonObject | None:
    if isinstance(value.get("permissionOverrides"), (dict, list)):
        extras["permissionOverrides"] = value["permissionOverrides"]
    return extras or None

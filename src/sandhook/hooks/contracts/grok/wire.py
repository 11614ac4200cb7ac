"""The payloads and outputs of Grok Build hooks: an exit status 2, or one JSON object with a decision."""

from __future__ import annotations

import posixpath

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._agent import asking, event_of, payload
from sandhook.hooks.contracts._outcome import GOES_ON, accidents, broken, refusal, words_of
from sandhook.hooks.contracts._payload import an_object, plugin_root, variable
from sandhook.hooks.contracts.grok.names import COMMON, EVENTS, GENERIC, MAX_INPUT, ROWS, SNAKE, snake
from sandhook.hooks.decode import BoundExceeded, DecodeError, decode_object, encode, object_of, text_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Request, RunResult, Verdict
from sandhook.text.nearest import hint

PLACES = {
    "sessionId": "session_id",
    "cwd": "cwd",
    "toolName": "tool.name",
    "toolInput": "tool.input",
    "toolUseId": "tool.call_id",
    "toolResponse": "result",
    "prompt": "prompt",
    "stopHookActive": "stop_active",
    "reason": "reason",
    "agentId": "agent_id",
}

_KEYS = {*COMMON, *PLACES, *(key.rstrip("?") for row in ROWS.values() for key in row.fields)}
_CAMEL = {snake(key): key for key in _KEYS}


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    native = spec.native_event
    root = event.project_dir or event.cwd or "/workspace"
    absent: JsonObject = {
        "workspaceRoot": root,
        "timestamp": "",
        "permissionMode": "default",
        "toolUseId": "",
        "message": "",
        "notificationType": "",
    }
    fields: JsonObject = {"hookEventName": snake(native)}
    fields.update(payload(event, (*COMMON, *ROWS[native].fields), PLACES, absent))
    stamp = event.timestamp
    if stamp is not None:
        fields["timestamp"] = stamp if isinstance(stamp, str) else stamp.isoformat()
    if "toolInput" in fields:
        text = encode(fields["toolInput"]).encode() if compat == "strict" else b""
        fields["toolInputTruncated"] = len(text) > MAX_INPUT
        if len(text) > MAX_INPUT:
            fields["toolInput"] = text[:MAX_INPUT].decode("utf-8", "ignore")
    twins = {snake(key): value for key, value in fields.items()}
    fields.update({key: value for key, value in twins.items() if key not in fields})
    env = {
        "GROK_HOOK_EVENT": snake(native),
        "GROK_HOOK_NAME": variable(posixpath.splitext(posixpath.basename(spec.file.replace("\\", "/")))[0]),
        "GROK_SESSION_ID": variable(event.session_id or ""),
        "GROK_WORKSPACE_ROOT": variable(root),
        "CLAUDE_PROJECT_DIR": variable(root),
        **plugin_root(spec, "GROK_PLUGIN_ROOT"),
    }
    return asking(spec, event, encode(fields), compat, env=env, cwd=root)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes, in camel or in snake case."""
    native = SNAKE.get(name, name)
    if native not in EVENTS:
        raise ContractError(f"unknown event {name!r}; {hint(name, EVENTS)}")
    fields = an_object(payload)
    camel: JsonObject = {}
    for key, value in fields.items():
        other = _CAMEL.get(key, key)
        if other == key or other not in fields:
            camel[other] = value
    ignored = ("hookEventName", "hook_event_name", "toolInputTruncated", "tool_input_truncated", "timestamp")
    return event_of(EVENTS[native], camel, PLACES, ignored=ignored)


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    native, notes, better = spec.native_event, list(ran.diagnostics), compat != "strict"
    goes_on = event.kind in GOES_ON
    if native != "PreToolUse" and not goes_on:
        why = ran.could_not_run
        if ran.exit_status == 2:
            notes.append(f"exit status 2 refuses nothing on {native}")
        return Verdict(
            "error" if why or ran.exit_status else "none", could_not_run=why, diagnostics=tuple(notes)
        )
    why = broken(ran)
    if why is not None and (ran.limit is not None or ran.failure is not None):
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    text = "" if ran.truncated else ran.stdout.decode("utf-8", "replace").strip()
    value: JsonObject | None = None
    odd: str | None = None
    exceeded = False
    try:
        value = decode_object(text).value if text else None
    except DecodeError as error:
        odd = f"standard output is not a JSON object: {error}"
        exceeded = isinstance(error, BoundExceeded) and text.startswith("{")
        notes += [odd] if text.startswith("{") else []
    reason = None if ran.signal and not better else _refuses(native, value or {}, notes, better=better)
    if reason is not None:
        return refusal(event.kind, reason or GENERIC, notes)._replace(
            could_not_run=why if ran.signal else None
        )
    if ran.exit_status == 2 and ran.signal is None and (native == "PreToolUse" or better or value is None):
        words = words_of(ran)
        notes += accidents(ran, words, 2)
        if goes_on and value is not None:
            notes.append("an output with exit status 2 that does not block: upstream lets the agent stop")
        return refusal(event.kind, (words if better or goes_on else "") or GENERIC, notes)
    why = ran.could_not_run or (f"its output cannot be read: {odd}" if exceeded else None)
    word = (value or {}).get("decision")
    if why is None and not ran.exit_status and word in ("allow", "approve"):
        return Verdict("allow", True, diagnostics=tuple(notes))
    if why is None and odd is None and word is not None and word not in ("allow", "approve"):
        odd = f"decision {encode(word)} is not known"
        notes.append(f"{odd}: the hook failed, and the action proceeds")
    if ran.exit_status and why is None:
        notes.append(f"exit status {ran.exit_status} refuses nothing (2 does)")
    failed = why is not None or odd is not None or ran.exit_status
    return Verdict(
        "error" if failed else "none",
        could_not_run=why,
        undecodable=odd,
        exceeded_bound=exceeded,
        diagnostics=tuple(notes),
    )


def _refuses(native: str, value: JsonObject, notes: list[str], *, better: bool) -> str | None:
    """Return the reason of an output that refuses, or None."""
    word = value.get("decision")
    reason = text_of(value, "reason", "stopReason") or ""
    if native != "PreToolUse":
        return (
            reason
            if word == "block" or value.get("continue") is False or (better and word == "deny")
            else None
        )
    if word == "deny":
        return reason
    specific = object_of(value, "hookSpecificOutput")
    foreign = {
        "decision": word == "block",
        "continue": value.get("continue") is False,
        "permissionDecision": specific.get("permissionDecision") == "deny",
    }
    for key, refuses in foreign.items():
        if refuses:
            notes.append(
                f"{key} is not looked at on PreToolUse: Grok Build wants decision deny, or exit status 2"
            )
            if better:
                return text_of(specific, "permissionDecisionReason") or reason
    return None

"""The payloads and outputs of Gemini CLI hooks: JSON on standard output or standard error, or text."""

from __future__ import annotations

from sandhook.hooks.contracts._agent import SNAKE, agent_event, asking, payload
from sandhook.hooks.contracts._outcome import (
    accidents,
    broken,
    counts_in_javascript,
    in_javascript,
    refusal,
    unreadable,
    without_approval,
    words_of,
)
from sandhook.hooks.contracts._payload import variable
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.gemini.names import ABSENT, COMMON, EVENTS, NO_REASON, ROWS
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
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import (
    Compat,
    HookSpec,
    Operation,
    Permission,
    Placement,
    Request,
    RunResult,
    Verdict,
)

#: Events that a hook can refuse; on AfterAgent a refusal makes the agent try again.
BLOCKABLE = ("BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel")


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    fields = payload(event, (*COMMON, *ROWS[spec.native_event].fields), SNAKE, ABSENT)
    fields["hook_event_name"] = spec.native_event
    stamp = event.timestamp
    if stamp is not None:
        fields["timestamp"] = stamp if isinstance(stamp, str) else stamp.isoformat()
    if spec.native_event == "AfterTool" and not isinstance(fields["tool_response"], dict):
        fields["tool_response"] = _response(event)
    text = encode(fields)
    project = variable(event.project_dir or event.cwd or "/workspace")
    extras = event.extras or {}
    plans = extras.get("plans_dir") or _plans(event)
    return asking(
        spec,
        event,
        text,
        compat,
        env={
            "GEMINI_PROJECT_DIR": project,
            "GEMINI_CWD": variable(event.cwd or "/workspace"),
            "GEMINI_PLANS_DIR": variable(plans) if isinstance(plans, str) else "",
            "GEMINI_SESSION_ID": variable(event.session_id or ""),
            "CLAUDE_PROJECT_DIR": project,
        },
    )


def _plans(event: Event) -> str:
    """Return where the agent keeps the plans of a session, next to its transcripts; "" without a transcript."""
    place, chats, _ = (event.transcript_path or "").rpartition("/chats/")
    return f"{place}/{event.session_id}/plans" if chats and event.session_id else ""


def _response(event: Event) -> Json:
    """Return a tool's result in Gemini CLI's form: the model's view, the user's view, and the error."""
    result = event.result
    if result is None:
        return {}
    value = result.value if result.value is not None else result.error
    response: JsonObject = {"llmContent": value, "returnDisplay": value}
    return response if result.error is None else {**response, "error": {"message": result.error}}


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    described = agent_event(name, payload, EVENTS, SNAKE)
    stamp = (described.extras or {}).get("timestamp")
    return described.with_(timestamp=stamp) if isinstance(stamp, str) else described


#: Events whose context reaches nobody.
_WITHOUT_CONTEXT = (
    *("BeforeTool", "SessionEnd", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress"),
    "Notification",
)

#: Where context goes on events other than those of tools.
_PLACES: dict[str, Placement] = {"BeforeAgent": "prompt", "SessionStart": "session"}


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    strict = compat == "strict"
    return as_read(ran, "javascript", lambda each: _decode(spec, event, each, compat), strict=strict)


def _decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    name, notes, words = spec.native_event, list(ran.diagnostics), words_of(ran)
    status = _status(ran)
    why = broken(ran)
    better = compat != "strict"
    stopped = ran.limit is not None or ran.failure is not None
    ended = why is None or not stopped
    cut = ran.truncated and status in (0, 1)
    if not ended or cut:
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    text = ran.stdout.decode("utf-8", "replace").strip() or words
    try:
        value = None if ran.truncated else _object(text, notes)
    except BoundExceeded as error:
        if status in (0, 1):
            return unreadable(str(error), notes, exceeded_bound=True)
        value = None
    if value is None:
        verdict = _plain(name, event, text, ran, notes, better=better)
    else:
        verdict = _verdict_of(name, event, value, notes)
        if status == 2 and not verdict.intervenes and better and name in BLOCKABLE:
            notes.append("exit status 2 with an output that does not refuse: upstream lets that pass")
            verdict = refusal(event.kind, text_of(value, "reason") or words or "blocked by hook", notes)
    if verdict.intervenes or (verdict.result is not None and verdict.label == "block"):
        return verdict._replace(could_not_run=None if ran.truncated else why)
    if ran.could_not_run is not None and ran.signal is None:
        return Verdict("error", could_not_run=ran.could_not_run, diagnostics=verdict.diagnostics)
    if ran.signal is not None and better:
        return without_approval(verdict, ran.could_not_run)
    return verdict._replace(could_not_run=ran.could_not_run)


def _status(ran: RunResult) -> int:
    """Return the exit status that Gemini CLI reads: 0 for a hook that a signal ended."""
    return ran.exit_status or 0 if ran.signal is None else 0


def _object(text: str, notes: list[str]) -> JsonObject | None:
    """Return the object that a text holds, also inside a JSON string; an empty one for other JSON, None for text.

    Raises:
        BoundExceeded: It begins like an object, and exceeds a bound of sandhook.
    """
    try:
        decoded = decode_json(text, max_depth=DATA_DEPTH)
        if isinstance(decoded.value, str):
            text = decoded.value.strip()
            decoded = decode_json(decoded.value, max_depth=DATA_DEPTH)
    except DecodeError as error:
        if isinstance(error, BoundExceeded) and text.startswith(("{", '"')):
            notes.append(f"the output cannot be read: {error}")
            raise
        if text.startswith("{"):
            notes.append(f"the output is read as text: {error}")
        return None
    notes.extend(decoded.diagnostics)
    if isinstance(decoded.value, dict):
        return decoded.value
    notes.append(f"the output is {type_name(decoded.value)} of JSON, which Gemini CLI drops")
    return {}


def _plain(name: str, event: Event, text: str, ran: RunResult, notes: list[str], *, better: bool) -> Verdict:
    """Return the verdict of plain text: a note with the exit status 0 or 1, a refusal with any other."""
    status = _status(ran)
    odd = "the output is not a JSON object" if text.startswith("{") else None
    if status in (0, 1):
        if status:
            notes.append("exit status 1 is a warning (2 refuses)")
        shown = f"Warning: {text}" if status and text else text
        return Verdict(
            "error" if status else "none",
            system_message=shown or None,
            undecodable=odd,
            diagnostics=tuple(notes),
        )
    if name not in BLOCKABLE:
        notes.append(f"exit status {status} refuses nothing on {name}")
        return Verdict("error", system_message=text or None, diagnostics=tuple(notes))
    if not text and not (better and status == 2):
        notes.append(f"exit status {status} without any output: upstream lets that pass")
        return Verdict("error", diagnostics=tuple(notes))
    notes += accidents(ran, text, status)
    if not text:
        notes.append("exit status 2 without any output: upstream lets that pass")
    return refusal(event.kind, text or "blocked by hook", notes)


def _verdict_of(name: str, event: Event, value: JsonObject, notes: list[str]) -> Verdict:
    specific = object_of(value, "hookSpecificOutput")
    word = value.get("decision")
    odd = None
    if word is not None and word not in ("allow", "approve", "ask", "deny", "block", ""):
        odd = f"decision {encode(word)} is not known"
        notes.append(f"decision {encode(word)} is not an opinion (allow, ask, deny and block are known)")
    verdict = _decided(name, event, value, word, notes)
    if name == "BeforeTool" and "tool_input" in specific:
        patch = specific["tool_input"]
        if isinstance(patch, dict):
            verdict = verdict._replace(input=Operation("replace", patch))
        elif event.tool is not None:  # which takes away the changes of hooks before it
            verdict = verdict._replace(input=Operation("replace", event.tool.input))
            notes.append("tool_input is not an object: the call stays as it was")
    context = text_of(specific, "additionalContext")
    if context is not None and name in _WITHOUT_CONTEXT:
        notes.append(f"additionalContext is not looked at on {name}: Gemini CLI drops it")
    elif context is not None:
        verdict = verdict._replace(context=((context, _PLACES.get(name, "result")),))
    keys = ("tailToolCallRequest", "llm_request", "llm_response", "toolConfig", "clearContext")
    extras = {key: specific[key] for key in keys if key in specific}
    return verdict._replace(
        system_message=text_of(value, "systemMessage"),
        extras=extras or None,
        undecodable=odd if name in BLOCKABLE else None,
        diagnostics=tuple(notes),
    )


def _decided(name: str, event: Event, value: JsonObject, word: Json, notes: list[str]) -> Verdict:
    reason, over = (
        in_javascript(value.get(key)) if counts_in_javascript(value.get(key)) else None
        for key in ("reason", "stopReason")
    )
    if value.get("continue") is False:
        if name in ("SessionStart", "SessionEnd", "PreCompress", "Notification", "BeforeToolSelection"):
            notes.append(f"continue is ignored on {name}")
            return Verdict("none", reason=reason)
        return Verdict("halt", True, halt=True, reason=over or reason, overrides=bool(over))
    if word in ("deny", "block"):
        if name in BLOCKABLE:
            return refusal(event.kind, reason or NO_REASON, notes)._replace(overrides=True)
        notes.append(f"decision {word} is ignored on {name}: there is nothing to refuse")
        return Verdict("none", reason=reason)
    if name == "BeforeTool" and word in ("allow", "approve", "ask"):
        permission: Permission = "ask" if word == "ask" else "allow"
        return Verdict(permission, True, permission=permission, reason=reason)
    return Verdict("none", decided=word in ("allow", "approve"), reason=reason, overrides="decision" in value)

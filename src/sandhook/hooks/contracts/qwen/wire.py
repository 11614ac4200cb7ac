"""The payloads and outputs of Qwen Code hooks: a JSON object on standard output, or on standard error with status 2."""

from __future__ import annotations

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._agent import SNAKE, asking, event_of, payload
from sandhook.hooks.contracts._forbidden import check
from sandhook.hooks.contracts._outcome import (
    accidents,
    broken,
    refusal,
    unreadable,
    without_approval,
    words_of,
)
from sandhook.hooks.contracts._payload import variable
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.qwen import http
from sandhook.hooks.contracts.qwen.names import COMMON, EVENTS, NO_REASON, ROWS, TEXT_EVENTS
from sandhook.hooks.contracts.qwen.reply import verdict_of
from sandhook.hooks.decode import DATA_DEPTH, BoundExceeded, DecodeError, encode
from sandhook.hooks.decode import decode as decode_json
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Placement, Request, RunResult, Verdict
from sandhook.text.nearest import hint

#: Events that a hook can refuse; on the last two a refusal makes the agent continue.
BLOCKABLE = (
    *("PreToolUse", "PostToolUse", "PostToolBatch", "UserPromptSubmit", "UserPromptExpansion"),
    *("PermissionRequest", "TodoCreated", "TodoCompleted", "Stop", "SubagentStop"),
)

_ABSENT: JsonObject = {
    "transcript_path": "",
    "timestamp": "",
    "permission_mode": "default",
    "source": "startup",
    "model": "",
    "reason": "other",
    "trigger": "auto",
    "custom_instructions": "",
    "last_assistant_message": "",
    "background_tasks": [],
    "crons": [],
    "tool_use_id": "",
    "tool_calls": [],
    "is_interrupt": False,
    "agent_id": "",
    "agent_type": "",
    "message": "",
    "notification_type": "permission_prompt",
}

_PLACES = {**SNAKE, "error": "result.error"}


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON, and for a URL that is forbidden."""
    check(spec)
    native = spec.native_event
    own = ROWS[native].fields
    # the agent that starts another names itself nowhere; its sub-agent's id is among the event's own keys
    common = [key for key in COMMON if native != "SubagentStart" or key != "agent_id?"]
    fields = payload(event, (*common, *own), _places(native), _ABSENT)
    fields["hook_event_name"] = native
    stamp = event.timestamp
    if stamp is not None:
        fields["timestamp"] = stamp if isinstance(stamp, str) else stamp.isoformat()
    if native == "PostToolUse" and not isinstance(fields["tool_response"], dict):
        shown = fields["tool_response"]
        fields["tool_response"] = {"llmContent": shown, "returnDisplay": shown}
    project = variable(event.cwd or "/workspace")
    env = {f"{name}_PROJECT_DIR": project for name in ("GEMINI", "CLAUDE", "QWEN")}
    if event.session_id is not None:
        env["QWEN_CODE_SESSION_ID"] = variable(event.session_id)
    return asking(spec, event, encode(fields), compat, env=env)


def _places(native: str) -> dict[str, str]:
    return _PLACES if native == "PostToolUseFailure" else SNAKE


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    if name not in EVENTS:
        raise ContractError(f"unknown event {name!r}; {hint(name, EVENTS)}")
    described = event_of(EVENTS[name], payload, _places(name), ignored=("hook_event_name",))
    stamp = (described.extras or {}).get("timestamp")
    return described.with_(timestamp=stamp) if isinstance(stamp, str) else described


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    strict = compat == "strict"
    return as_read(ran, "javascript", lambda each: _decode(spec, event, each, compat), strict=strict)


def _decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    name, notes, better = spec.native_event, list(ran.diagnostics), compat != "strict"
    if spec.executor.type == "http":
        return http.decoded(name, event, ran, notes, better=better)
    status = ran.exit_status or (1 if ran.signal is not None else 0)
    if status == 2:  # standard output is not read
        ran = ran._replace(truncated=False)
    why = broken(ran)
    if why is not None and (ran.limit is not None or ran.failure is not None or ran.truncated):
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    printed = ran.stdout.decode("utf-8", "replace").strip() if status != 2 else ""
    text = printed or words_of(ran)
    odd: str | None = None
    verdict = Verdict("error" if status else "none")
    try:
        value = _object(text, notes)
    except BoundExceeded as error:
        return unreadable(str(error), notes, exceeded_bound=True)
    except DecodeError as error:
        value, odd = None, f"the output is not a JSON object: {error}"
        notes.append(odd)
    if value is not None:
        verdict = verdict_of(name, event, value, notes, better=better)
    elif status == 2 and text:
        verdict = _blocked(name, event, text, notes, better=better)
        notes += accidents(ran, text, status) if _acts(verdict) else []
    elif text and (odd is None or status == 2):
        verdict = _plain(name, text, status, from_stdout=bool(printed))
    if status == 2 and not _acts(verdict) and better and name in BLOCKABLE:
        notes.append("exit status 2 refuses, whatever standard error has: upstream lets that pass")
        verdict = refusal(event.kind, text if value is None and text else NO_REASON)
    acts = _acts(verdict)
    if why is not None and not acts and better and ran.signal is not None:
        verdict = without_approval(verdict, why)
    elif why is not None and not acts and better:
        verdict = Verdict("error", system_message=verdict.system_message)
    return verdict._replace(
        could_not_run=why or (None if acts else ran.could_not_run),
        undecodable=verdict.undecodable or (None if acts else odd),
        diagnostics=tuple(notes),
    )


def _acts(verdict: Verdict) -> bool:
    """Return whether a verdict refuses, makes the agent continue, or replaces a result."""
    return verdict.intervenes or verdict.result is not None


def _object(text: str, notes: list[str]) -> JsonObject | None:
    """Return the object that a text holds, also inside a JSON string; None for other text.

    Raises:
        BoundExceeded: It begins like an object, and exceeds a bound of sandhook.
        DecodeError: It begins like an object, and is not one.
    """
    try:
        decoded = decode_json(text, max_depth=DATA_DEPTH)
        if isinstance(decoded.value, str):
            decoded = decode_json(decoded.value, max_depth=DATA_DEPTH)
    except DecodeError as error:
        if text.startswith("{") or (isinstance(error, BoundExceeded) and text.startswith('"')):
            raise
        return None
    notes.extend(decoded.diagnostics)
    return decoded.value if isinstance(decoded.value, dict) else None


def _blocked(name: str, event: Event, text: str, notes: list[str], *, better: bool) -> Verdict:
    """Return the verdict of the exit status 2 with text on standard error."""
    return verdict_of(name, event, {"decision": "deny", "reason": text}, notes, better=better)


#: Where text that is not JSON becomes context.
_PLACEMENTS: dict[str, Placement] = {"SessionStart": "session"}


def _plain(name: str, text: str, status: int, *, from_stdout: bool) -> Verdict:
    """Return the verdict of text that is not an object."""
    if status:
        return Verdict("error", system_message=f"Warning: {text}")
    if from_stdout and name in TEXT_EVENTS:
        return Verdict("none", context=((text, _PLACEMENTS.get(name, "prompt")),))
    odd = "the output is text, not a JSON object" if from_stdout and name in BLOCKABLE else None
    return Verdict("none", system_message=text, undecodable=odd)

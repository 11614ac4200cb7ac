"""The payloads and outputs of Grok Build hooks: an exit status 2, or one JSON object with a decision."""

from __future__ import annotations

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._agent import asking, event_of, payload
from sandhook.hooks.contracts._outcome import GOES_ON, accidents, broken, printed, refusal, words_of
from sandhook.hooks.contracts._payload import an_object, plugin_root, variable
from sandhook.hooks.contracts._reading.languages import Reader, as_read
from sandhook.hooks.contracts.grok.names import COMMON, EVENTS, MAX_INPUT, NAMES, ROWS, TWINS, snake
from sandhook.hooks.contracts.grok.reply import fault_of, generic, name_of, verdict_of
from sandhook.hooks.decode import DecodeError, encode
from sandhook.hooks.decode import decode as decode_json
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Request, RunResult, Verdict
from sandhook.text.nearest import hint

PLACES = {
    "sessionId": "session_id",
    "cwd": "cwd",
    "transcriptPath": "transcript_path",
    "promptId": "turn_id",
    "toolName": "tool.name",
    "toolInput": "tool.input",
    "toolUseId": "tool.call_id",
    "toolResult": "result",
    "prompt": "prompt",
    "stopHookActive": "stop_active",
    "reason": "reason",
    "subagentId": "agent_id",
}

#: Keys by other names that payloads of hosts may have.
_CAMEL = {
    **{snake(key): key for key in PLACES},
    **{snake(key): key for row in ROWS.values() for key in (each.rstrip("?") for each in row.fields)},
    **{snake(key): key for key in (each.rstrip("?") for each in COMMON)},
    **{twin: key for key, twin in TWINS.items()},
    "toolResponse": "toolResult",
}

#: Events that a hook can refuse, or on which it makes the agent continue.
BLOCKABLE = ("PreToolUse", "UserPromptSubmit", "Stop", "SubagentStop")
#: Events whose output the agent reads.
_READ = (*BLOCKABLE, "PostToolUse", "PostToolUseFailure")


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    native = spec.native_event
    root = event.project_dir or event.cwd or "/workspace"
    extras = event.extras or {}
    absent: JsonObject = {
        "workspaceRoot": root,
        "timestamp": "",
        "permissionMode": "default",
        "toolUseId": "",
        "toolInputTruncated": False,
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
    fields["hook_event_name"] = native
    fields.update({TWINS[key]: fields[key] for key in TWINS if key in fields})
    if compat != "strict" and "stopHookActive" in fields:
        fields["stop_hook_active"] = fields["stopHookActive"]
    where = extras.get("workspaceRoot")
    workspace = where if isinstance(where, str) and where else root  # upstream it ends in a slash
    env = {
        "GROK_HOOK_EVENT": snake(native),
        "GROK_HOOK_NAME": variable(name_of(spec)),
        "GROK_SESSION_ID": variable(event.session_id or ""),
        **dict.fromkeys(("GROK_WORKSPACE_ROOT", "CLAUDE_PROJECT_DIR"), variable(workspace)),
        **plugin_root(spec, "GROK_PLUGIN_ROOT"),
    }
    asked = asking(spec, event, encode(fields), compat, env=env, cwd=root)
    return asked._replace(by_execve=spec.executor.type == "argv")


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes, in camel or in snake case."""
    native = NAMES.get(name, name)
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
    better = compat != "strict"
    # around calls a value is read, and elsewhere the fields that Grok Build knows, others are skipped
    reader: Reader = "rust" if event.kind in ("tool.pre", "tool.post", "tool.fail") else "skipping"
    return as_read(ran, reader, lambda each: _decode(spec, event, each, better=better), strict=not better)


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, better: bool) -> Verdict:
    native, notes = spec.native_event, list(ran.diagnostics)
    if native not in _READ:
        why = ran.could_not_run
        if ran.exit_status == 2:
            notes.append(f"exit status 2 refuses nothing on {native}")
        failed = why is not None or ran.exit_status
        return Verdict("error" if failed else "none", could_not_run=why, diagnostics=tuple(notes))
    why = broken(ran)
    if why is not None and (ran.limit is not None or ran.failure is not None):
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    status = None if ran.signal is not None else ran.exit_status
    value, odd, exceeded = _value(event, "" if ran.truncated else _text(ran), notes, better=better)
    verdict = Verdict("none")
    if value is not None and (better or ran.signal is None):
        ended = (status or (1 if ran.signal else 0), words_of(ran).partition("\n")[0])
        verdict = verdict_of(spec, event, value, ended, notes, better=better)
    acts = verdict.intervenes or (native == "PostToolUse" and bool(verdict.context))
    # on a stop an object wins over the status, and better mode lets the status count too
    if status == 2 and not acts and (event.kind not in GOES_ON or better or value is None):
        verdict, acts = _by_status(spec, event, ran, verdict, notes)
    why = (why if ran.signal else None) if acts else ran.could_not_run
    if why is None and exceeded and not acts:
        why = f"its output cannot be read: {odd}"
    if status not in (None, 0, 2) and why is None and not acts:
        notes.append(f"exit status {status} refuses nothing (2 does)")
    undecodable = None if acts else verdict.undecodable or odd
    failed = not acts and (why is not None or undecodable is not None or status)
    return verdict._replace(
        label="error" if failed else verdict.label,
        could_not_run=why,
        undecodable=undecodable,
        exceeded_bound=exceeded and not acts,
        diagnostics=tuple(notes),
    )


def _by_status(
    spec: HookSpec, event: Event, ran: RunResult, verdict: Verdict, notes: list[str]
) -> tuple[Verdict, bool]:
    """Return the verdict of the exit status 2, and whether it has an effect."""
    words = words_of(ran)
    notes += accidents(ran, words, 2)
    if spec.native_event in ("PostToolUse", "PostToolUseFailure"):
        if spec.native_event == "PostToolUse" and words:
            return Verdict("block", True, context=((words, "result"),)), True
        return verdict, False
    if spec.native_event == "PreToolUse":
        words = words.partition("\n")[0]
        if verdict.undecodable is not None:
            words = f"{verdict.undecodable}: {words}" if words else verdict.undecodable
    return refusal(event.kind, words or generic(spec, 2)), True


def _text(ran: RunResult) -> str:
    return ran.stdout.decode("utf-8", "replace").strip()


def _value(
    event: Event, text: str, notes: list[str], *, better: bool
) -> tuple[JsonObject | None, str | None, bool]:
    """Return the object of an output, why there is no object, and whether it exceeds a bound of sandhook.

    Upstream reads an array as the fields in their order, except before and after a call.
    """
    if not text:
        return None, None, False
    if text.startswith("[") and event.kind not in ("tool.pre", "tool.post", "tool.fail"):
        items = _items(text)
        if items and isinstance(items[0], str):
            return {"decision": items[0]}, None, False
    output = printed(text)
    value, odd = output.value, output.odd
    if odd is not None:
        says = text.startswith("{") or event.kind in ("tool.pre", *GOES_ON)
        return None, odd if says else None, output.exceeded_bound
    notes += output.diagnostics
    fault = fault_of(value, call=event.kind == "tool.pre") or next(iter(output.diagnostics), None)
    if fault is not None and not better:
        return None, f"standard output is not what Grok Build reads: {fault}", False
    return value, None, False


def _items(text: str) -> list[Json]:
    try:
        value = decode_json(text).value
    except DecodeError:
        return []
    return value if isinstance(value, list) else []

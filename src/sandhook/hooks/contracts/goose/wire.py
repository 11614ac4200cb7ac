"""The payloads and outputs of goose hooks: an exit status 2, or one JSON object; all else is no decision."""

from __future__ import annotations

from sandhook.hooks.contracts import ContractError
from sandhook.hooks.contracts._agent import asking, event_of, payload
from sandhook.hooks.contracts._outcome import Printed, accidents, broken, is_utf8, printed, refusal, words_of
from sandhook.hooks.contracts._reading.languages import as_read
from sandhook.hooks.contracts.goose.names import EVENTS, GENERIC, ROWS
from sandhook.hooks.decode import encode, object_of, text_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.matcher import as_text
from sandhook.hooks.model import Compat, HookSpec, Request, RunResult, Verdict
from sandhook.lazy import lazily
from sandhook.text.nearest import hint

PLACES = {
    "session_id": "session_id",
    "working_dir": "cwd",
    "tool_name": "tool.name",
    "tool_input": "tool.input",
    "tool_call_id": "tool.call_id",
    "tool_output": "result.value",
    "error": "result.error",
    "message": "prompt",
}

#: Characters that nobody sees, and that a model reads.
_TAGS = lazily("[\U000e0000-\U000e007f]")

#: Events that a hook can refuse, or on which it makes the agent continue.
BLOCKABLE = ("PreToolUse", "Stop")


def context_of(native: str, event: Event) -> str:
    """Return what matchers of an event look at: the tool, the prompt, the path or the command; "" without one."""
    written = (event.extras or {}).get("matcher_context")
    key = ROWS[native].matched
    if key == "prompt":
        return event.prompt or ""
    if isinstance(written, str):
        return written
    if key == "tool":
        return event.tool.name if event.tool is not None else ""
    return (
        as_text(object_of({"input": event.tool.input if event.tool else None}, "input").get(key))
        if key
        else ""
    )


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    native = spec.native_event
    fields: JsonObject = {"event": native, "session_id": event.session_id or ""}
    fields["matcher_context"] = context_of(native, event) if ROWS[native].matched else None
    fields.update(payload(event, ROWS[native].fields, PLACES, {"decision": "allow", "message": ""}))
    return asking(spec, event, encode(fields), compat)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    if name not in EVENTS:
        raise ContractError(f"unknown event {name!r}; {hint(name, EVENTS)}")
    made = event_of(EVENTS[name], payload, PLACES, ignored=("event",))
    if made.extras and made.extras.get("matcher_context", "") is None:
        extras = {key: value for key, value in made.extras.items() if key != "matcher_context"}
        made = made.with_(extras=extras or None)
    return made


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    better = compat != "strict"
    return as_read(ran, "skipping", lambda each: _decode(spec, event, each, better=better), strict=not better)


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, better: bool) -> Verdict:
    native, notes = spec.native_event, list(ran.diagnostics)
    ended = ran.limit is None and ran.failure is None and ran.signal is None
    if native not in BLOCKABLE:
        why = ran.could_not_run
        if ran.exit_status == 2:
            notes.append(f"exit status 2 refuses nothing on {native}")
        return Verdict(
            "error" if why or ran.exit_status else "none", could_not_run=why, diagnostics=tuple(notes)
        )
    if ran.exit_status == 2 and ended:
        words = words_of(ran)
        return refusal(event.kind, _shown(words) or GENERIC, [*notes, *accidents(ran, words, 2)])
    text = ran.stdout.decode("utf-8", "replace").strip()
    whole = better or is_utf8(ran.stdout)
    output = printed(text if whole and not ran.truncated else "")
    value, odd = output.value, output.odd
    if odd is not None:
        notes.append(odd)
    word = value.get("decision")
    if not better and not _is_read(output):
        word = None
    if word == "block" and (ended or ran.signal is not None):
        why = broken(ran)
        return refusal(event.kind, _shown(text_of(value, "reason") or "") or GENERIC, notes)._replace(
            could_not_run=why
        )
    if better and word == "deny" and ended:
        notes.append("decision deny is not known to goose, which wants block")
        return refusal(event.kind, _shown(text_of(value, "reason") or "") or GENERIC, notes)
    if (
        ran.exit_status == 0
        and ran.could_not_run is None
        and (not text or word == "allow")
        and is_utf8(ran.stdout)
    ):
        return Verdict("allow" if text else "none", bool(text), diagnostics=tuple(notes))
    why = ran.could_not_run or output.could_not_run
    verdict = _undecided(spec, ran, why, notes)
    return verdict._replace(
        exceeded_bound=output.exceeded_bound,
        undecodable=odd or (None if ran.exit_status or why else "no decision"),
    )


def _shown(text: str) -> str:
    """Return a text as upstream passes it on: composed, and without the invisible characters of Unicode's tags."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return _TAGS.sub("", normalize("NFC", text))


def _is_read(output: Printed) -> bool:
    """Return whether upstream reads an object: not with a reason of another type, or with a key twice."""
    reason = output.value.get("reason")
    return (reason is None or isinstance(reason, str)) and not {"decision", "reason"} & {*output.duplicates}


def _undecided(spec: HookSpec, ran: RunResult, why: str | None, notes: list[str]) -> Verdict:
    """Return the verdict of a run without a decision, for which the hook has a policy."""
    what = why or (f"exit status {ran.exit_status}" if ran.exit_status else "its output has no decision")
    notes.append(f"no decision: {what} (goose wants exit status 2, decision block or allow, or no output)")
    if spec.on_error == "block" and spec.native_event == "PreToolUse":
        verdict = refusal("tool.pre", _cause(ran), notes)
        return verdict._replace(could_not_run=why, decided=why is None, extras={"cause": "hook_failure"})
    return Verdict("error", could_not_run=why, diagnostics=tuple(notes))


def _cause(ran: RunResult) -> str:
    """Return what goose writes about a hook without a decision."""
    if ran.signal is not None:
        return "the hook was terminated by a signal"
    if ran.limit is not None or ran.failure is not None:
        return "the hook command failed to run"
    if ran.exit_status:
        return f"the hook exited with status {ran.exit_status} and no usable decision"
    if not is_utf8(ran.stdout):
        return "the hook wrote invalid UTF-8 to stdout"
    return "the hook exited 0 without an allow or block decision on stdout"

"""The payloads and outputs of Docker Agent hooks: Claude Code's objects with keys in snake case."""

from __future__ import annotations

from sandhook.hooks.contracts._agent import SNAKE, agent_event, asking, payload
from sandhook.hooks.contracts._claude_shape import read_output
from sandhook.hooks.contracts._outcome import accidents, broken, refusal, unreadable, words_of
from sandhook.hooks.contracts._payload import go_json
from sandhook.hooks.contracts._reading.languages import as_trimmed
from sandhook.hooks.contracts.docker_agent.names import COMMON, EVENTS, ROWS
from sandhook.hooks.decode import object_of, text_of
from sandhook.hooks.event import Event, Json, JsonObject
from sandhook.hooks.model import Compat, HookSpec, Operation, Placement, Request, RunResult, Verdict

#: Events that a hook can refuse, or whose result it can replace.
BLOCKABLE = ("pre_tool_use", "permission_request", "user_prompt_submit", "post_tool_use")


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    absent: JsonObject = {"source": "startup", "reason": "", "tool_use_id": ""}
    fields = payload(event, (*COMMON, *ROWS[spec.native_event].fields), SNAKE, absent)
    fields["hook_event_name"] = spec.native_event
    text = go_json(fields)
    return asking(spec, event, text, compat)


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    return agent_event(name, payload, EVENTS, SNAKE)


#: Where context goes on events other than those of tools.
_PLACES: dict[str, Placement] = {"session_start": "session", "user_prompt_submit": "prompt"}


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event."""
    strict = compat == "strict"
    return as_trimmed(ran, "unicode", lambda each: _decode(spec, event, each, strict=strict), strict=strict)


def _decode(spec: HookSpec, event: Event, ran: RunResult, *, strict: bool) -> Verdict:
    name, notes, words = spec.native_event, list(ran.diagnostics), words_of(ran)
    if ran.exit_status == 2 and ran.limit is None and ran.failure is None and name in BLOCKABLE:
        notes += accidents(ran, words, 2)
        return refusal(event.kind, words or "blocked by hook", notes)
    why = broken(ran) if name in BLOCKABLE else ran.could_not_run
    if why is not None:
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    if ran.exit_status:
        notes.append(f"exit status {ran.exit_status} is not a decision (2 refuses)")
        return Verdict("error", diagnostics=tuple(notes))
    printed = read_output(ran.stdout, whole=False)
    notes.extend(printed.notes)
    if printed.value is None:
        odd = printed.broken or ("standard output is not a JSON object" if printed.text else None)
        if odd is not None:
            notes.append(f"the output is ignored: {odd}")
            return unreadable(odd, notes, exceeded_bound=printed.exceeded_bound)
        return Verdict("none", diagnostics=tuple(notes))
    return _verdict_of(name, event, printed.value, notes)


def _verdict_of(name: str, event: Event, value: JsonObject, notes: list[str]) -> Verdict:
    specific = object_of(value, "hook_specific_output")
    verdict = _decided(name, event, value, specific, notes)
    changed = specific.get("updated_input")
    if name == "pre_tool_use" and isinstance(changed, dict) and not verdict.refuses:
        verdict = verdict._replace(input=Operation("replace", changed))
    transformed = specific.get("updated_tool_response")
    if name == "tool_response_transform" and transformed is not None:
        verdict = verdict._replace(result=Operation("replace", transformed))
    context = text_of(specific, "additional_context")
    if context is not None:
        verdict = verdict._replace(context=((context, _PLACES.get(name, "result")),))
    return verdict._replace(system_message=text_of(value, "system_message"), diagnostics=tuple(notes))


def _decided(name: str, event: Event, value: JsonObject, specific: JsonObject, notes: list[str]) -> Verdict:
    reason = text_of(specific, "permission_decision_reason") or text_of(value, "reason")
    if value.get("continue") is False:
        return Verdict("halt", True, halt=True, reason=text_of(value, "stop_reason") or reason)
    word = specific.get("permission_decision")
    if name in BLOCKABLE and (word == "deny" or value.get("decision") == "block"):
        return refusal(event.kind, reason or "blocked by hook")
    if name in ("pre_tool_use", "permission_request") and word in ("allow", "ask"):
        return Verdict(word, True, permission=word, reason=reason)
    for key, value_of_key in (("permission_decision", word), ("decision", value.get("decision"))):
        if value_of_key is not None:
            notes.append(f"{key} {value_of_key!r} is not an opinion on {name}")
            return Verdict("none", undecodable=f"{key} {value_of_key!r} is not an opinion on {name}")
    return Verdict("none")

"""The payloads and outputs of Kiro hooks: an exit status, and text."""

from __future__ import annotations

from sandhook.hooks.contracts._agent import SNAKE, agent_event, asking, payload
from sandhook.hooks.contracts._outcome import accidents, broken, refusal, words_of
from sandhook.hooks.contracts._payload import variable
from sandhook.hooks.contracts.kiro.names import COMMON, EVENTS, ROWS
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, Json
from sandhook.hooks.model import Compat, HookSpec, Placement, Request, RunResult, Verdict

#: Events on which standard output becomes context, with its placement.
_TEXT: dict[str, Placement] = {"agentSpawn": "session", "userPromptSubmit": "prompt"}


def request(spec: HookSpec, event: Event, compat: Compat) -> Request:
    """Encode an event for one hook. Raises DecodeError for a value that is not JSON."""
    fields = payload(event, (*COMMON, *ROWS[spec.native_event].fields), SNAKE)
    fields["hook_event_name"] = spec.native_event
    text = encode(fields)
    return asking(
        spec,
        event,
        text,
        compat,
        env={"USER_PROMPT": variable(event.prompt)} if event.prompt is not None else {},
    )


def event(name: str, payload: Json) -> Event:
    """Return the event that a payload describes."""
    return agent_event(name, payload, EVENTS, SNAKE)


def decode(spec: HookSpec, event: Event, ran: RunResult, compat: Compat) -> Verdict:
    """Return what a run means for this event: the status 2 refuses a call, any other warns."""
    name, notes, words = spec.native_event, list(ran.diagnostics), words_of(ran)
    gate = name == "preToolUse"
    if gate and ran.exit_status == 2 and ran.limit is None and ran.failure is None:
        notes += accidents(ran, words, 2)
        return refusal(event.kind, words or "blocked by hook", notes)
    ended = ran._replace(truncated=False) if gate else ran  # the status alone decides there
    why = broken(ended) if gate else ran.could_not_run
    if why is not None:
        return Verdict("error", could_not_run=why, diagnostics=tuple(notes))
    if ran.exit_status:
        notes.append(f"exit status {ran.exit_status} is a warning (2 refuses, before a call)")
        return Verdict(
            "error", warnings=(words or f"exit status {ran.exit_status}",), diagnostics=tuple(notes)
        )
    text = ran.stdout.decode("utf-8", "replace").strip()
    place: Placement | None = _TEXT.get(name)
    if place is None and (spec.extras or {}).get("file"):
        place = "result"
    if text and place is not None:
        return Verdict("none", context=((text, place),), diagnostics=tuple(notes))
    if text:
        notes.append("standard output has no effect on this event; the exit status 2 refuses")
    odd = "standard output is not a decision" if text and gate else None
    return Verdict("none", undecodable=odd, diagnostics=tuple(notes))

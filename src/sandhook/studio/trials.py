"""Fires events for the page: the decision as the agent acts on it, and everything about each hook."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, cast

from sandhook.conformance.expectations.judge import effect_of, is_incomplete
from sandhook.hooks.adapters import caller
from sandhook.hooks.adapters.caller import fire_for
from sandhook.hooks.match_budget import MatchBudget
from sandhook.hooks.report import to_json
from sandhook.hooks.sources import AgentConfiguration
from sandhook.record import Record
from sandhook.serve.firing import MAX_PAYLOAD_SHOWN, event_record, shown_answer
from sandhook.studio.bench import StudioError, Trial
from sandhook.studio.diff import difference, is_comparable
from sandhook.studio.reasons import steps_json

if TYPE_CHECKING:
    from sandhook.hooks.event import Event, Json, JsonObject
    from sandhook.hooks.model import Decision, Outcome
    from sandhook.studio.bench import Bench, Rig

#: Characters of an output that the page receives.
MAX_OUTPUT = 1 << 20


class Fired(Record):
    """One event that was fired.

    Attributes:
        event: The event.
        native: The agent's name of it.
        decision: What the hooks decided.
        rig: The engine, with what the hooks changed.
        notes: What its reader should know.
        seconds: How long it took.
    """

    event: Event
    native: str
    decision: Decision
    rig: Rig
    notes: tuple[str, ...]
    seconds: float


def fire(bench: Bench, setup: AgentConfiguration, trial: Trial, payload: bytes, native: str | None) -> Fired:
    """Fire the event of a payload at the hooks of an agent. Raises SandhookError, DecodeError."""
    event, name = caller.event_of(setup.contract, native, payload, {})
    return fire_event(bench, setup, trial, event, name)


def fire_event(bench: Bench, setup: AgentConfiguration, trial: Trial, event: Event, native: str) -> Fired:
    """Fire an event at the hooks of an agent. Raises SandhookError."""
    rig = bench.rig(setup, trial)
    began = time.monotonic()
    decision, notes = fire_for(setup.contract, rig.engine, setup.contract, event)
    rig.engine.wait(5.0)
    seconds = time.monotonic() - began
    problems = [f"problem: {each}" for each in (*setup.problems, *rig.engine.problems)]
    return Fired(event, native, decision, rig, (*problems, *notes, *rig.notes), seconds)


def fired_json(setup: AgentConfiguration, fired: Fired) -> JsonObject:
    """Return what became of an event."""
    decision, event = fired.decision, fired.event
    value = to_json(decision)
    outcomes = cast("list[JsonObject]", value["outcomes"])
    changes = fired.rig.changes()
    for record, outcome in zip(outcomes, decision.outcomes, strict=True):
        record["changes"] = [each.json() for each in changes.get(outcome.hook_id, ())]
        _complete(record, outcome, fired)
    answer = setup.contract.answer(decision, event)
    return {
        "agent": setup.contract.name,
        "event": fired.native,
        "kind": event.kind,
        "word": effect_of(decision),
        "incomplete": is_incomplete(decision),
        "refusable": event.kind in setup.contract.refusable,
        "message": decision.message,
        "decision": value,
        "effects": _effects(event, decision),
        "answer": shown_answer(answer),
        "notes": list(fired.notes),
        "milliseconds": round(fired.seconds * 1000, 3),
    }


def _complete(record: JsonObject, outcome: Outcome, fired: Fired) -> None:
    """Add to a hook's record what people want to know, and cut what is too long for a page."""
    spec, run = outcome.spec, outcome.run
    record.update(
        state=outcome.state,
        layer=spec.layer,
        file=spec.file,
        command=spec.executor.text or " ".join(spec.executor.argv),
        type=spec.executor.type,
        refuses=outcome.verdict.refuses,
        wanted=_matches(outcome, fired.event),
    )
    if run is None:
        return
    for name, data in (("stdout", run.stdout), ("stderr", run.stderr)):
        record[f"{name}_bytes"] = len(data)
        record[name] = data[:MAX_OUTPUT].decode("utf-8", "replace")
    if run.steps:
        record.update(steps_json(outcome, fired.rig.read))


def _matches(outcome: Outcome, event: Event) -> str:
    """Return what the matcher tests, whether it matched or not."""
    return MatchBudget().check(outcome.spec.matcher, event).why


def _effects(event: Event, decision: Decision) -> Json:
    """Return what the agent works with after the changes of the hooks, each with the difference."""
    pairs: list[tuple[str, Json, Json]] = []
    if event.tool is not None:
        pairs.append(("input", event.tool.input, decision.apply_to(event.tool.input)))
    if event.prompt is not None:
        pairs.append(("prompt", event.prompt, decision.apply_to_prompt(event.prompt)))
    if event.result is not None:
        changed = decision.apply_to_result(event.result)
        pairs.append(("result", event.result.value, changed.value))
        pairs.append(("error", event.result.error, changed.error))
    return [
        {"name": name, "value": after, "rows": _rows(before, after)}
        for name, before, after in pairs
        if before != after
    ]


def _rows(before: Json, after: Json) -> Json:
    old, new = _shown(before), _shown(after)
    if not is_comparable(old, new):
        return []
    return [row.json() for row in difference(old, new)]


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def history_record(setup: AgentConfiguration, fired: Fired, payload: bytes) -> JsonObject:
    """Return a fire of the page as the service keeps those of agents."""
    record = event_record(setup.contract.name, setup.contract, fired.event, fired.decision)
    record["payload"] = payload[:MAX_PAYLOAD_SHOWN].decode("utf-8", "replace")
    record["answer"] = shown_answer(setup.contract.answer(fired.decision, fired.event))
    record["notes"] = list(fired.notes)
    record["duration_ms"] = round(fired.seconds * 1000, 3)
    return record


def payload_bytes(value: Json) -> bytes:
    """Return a payload as an agent would send it. Raises StudioError for a payload that is not a text."""
    if not isinstance(value, str):
        raise StudioError("payload: wanted a text")
    return value.encode("utf-8", "surrogatepass")

"""OpenTelemetry spans of the commands that clients send: one for each, with a child for each hook that ran.

The command runs in a worker, which has no provider of spans; what it observed comes back with its answer.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from sandhook.hooks.telemetry import Attributes, child_context, short_text

if TYPE_CHECKING:
    from sandhook.hooks.event import Json, JsonObject
    from sandhook.hooks.telemetry import Tracer

#: Fields of a record that are texts, and their attributes.
_TEXTS = {
    "agent": "sandhook.contract",
    "event": "sandhook.native_event",
    "kind": "sandhook.event",
    "tool": "sandhook.tool",
    "session_id": "sandhook.session_id",
}


def record_command(tracer: Tracer, name: str, status: int, record: JsonObject, seconds: float) -> None:
    """Record the span of a command that ended now.

    Args:
        name: Of the command: "hook" or "fire".
        record: What the command fired; without an event, when it fired nothing.
    """
    end = time.time_ns()
    began = end - round(seconds * 1e9)
    attributes: Attributes = {"sandhook.command": name, "process.exit.code": status}
    for field, attribute in _TEXTS.items():
        if isinstance(text := record.get(field), str) and text:
            attributes[attribute] = text
    decision = record.get("decision")
    outcomes: list[JsonObject] = []
    if isinstance(decision, dict):
        attributes["sandhook.refused"] = bool(decision.get("refused"))
        _add_text(attributes, "sandhook.reason", decision.get("reason"))
        every = decision.get("outcomes")
        outcomes = [each for each in every if isinstance(each, dict)] if isinstance(every, list) else []
        attributes["sandhook.hooks"] = len(outcomes)
        attributes["sandhook.hooks_run"] = sum(bool(each.get("ran")) for each in outcomes)
    span = tracer.start_span("sandhook.command", start_time=began, attributes=attributes)
    context = child_context(span)
    at = began
    for outcome in outcomes:
        if not outcome.get("ran"):
            continue
        duration = outcome.get("duration_ms")
        ended = at + (round(duration * 1e6) if isinstance(duration, int | float) else 0)
        inner = tracer.start_span(
            "sandhook.hook", context=context, start_time=at, attributes=_of_outcome(outcome)
        )
        inner.end(end_time=ended)
        at = ended
    span.end(end_time=end)


def _of_outcome(outcome: JsonObject) -> Attributes:
    attributes: Attributes = {"sandhook.hook_id": str(outcome.get("hook_id") or "")}
    for field, attribute in (
        ("decision", "sandhook.decision"),
        ("limit", "sandhook.limit"),
        ("reason", "sandhook.reason"),
        ("could_not_run", "sandhook.could_not_run"),
    ):
        _add_text(attributes, attribute, outcome.get(field))
    status = outcome.get("exit_status")
    if isinstance(status, int):
        attributes["process.exit.code"] = status
    return attributes


def _add_text(attributes: Attributes, name: str, value: Json) -> None:
    if isinstance(value, str) and value:
        attributes[name] = short_text(value)

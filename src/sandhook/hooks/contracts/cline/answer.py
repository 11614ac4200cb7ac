"""A decision as the output of a hook for Cline: one JSON object."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output of a hook that decides this; Cline cannot express allow and ask, and a refusal ends the turn."""
    if decision.refused:
        return cancelling(decision.reason or "refused")
    reply: JsonObject = {}
    if decision.input and event.tool is not None and event.kind == "tool.pre":
        reply["overrideInput"] = decision.apply_to(event.tool.input)
    if decision.context:
        reply["contextModification"] = "\n".join(text for text, _ in decision.context)
    return Answer(stdout=encode(reply).encode() + b"\n") if reply else Answer()


def cancelling(reason: str) -> Answer:
    """Return the output that cancels the turn."""
    return Answer(stdout=encode({"cancel": True, "errorMessage": reason}).encode() + b"\n")

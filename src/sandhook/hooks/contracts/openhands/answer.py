"""A decision as the output of a hook for OpenHands: one JSON object."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this; OpenHands cannot express ask."""
    reply: JsonObject = {}
    if decision.refused or decision.force_continue:
        reply.update(decision="deny", reason=decision.reason or "refused")
    elif decision.permission == "allow":
        reply["decision"] = "allow"
    if decision.context:
        reply["additionalContext"] = "\n".join(text for text, _ in decision.context)
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

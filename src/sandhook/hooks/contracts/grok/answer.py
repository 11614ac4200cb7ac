"""A decision as the output of a hook for Grok Build: one JSON object."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this; Grok Build cannot express ask."""
    reply: JsonObject = {}
    if decision.force_continue:
        reply.update(decision="block", reason=decision.reason or "go on")
    elif decision.refused:
        reply.update(decision="deny", reason=decision.reason or "refused")
    elif decision.permission == "allow":
        reply["decision"] = "allow"
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

"""A decision as the output of a hook for Hermes Agent: one JSON object, and the status 2 for a refusal."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this."""
    reply: JsonObject = {}
    refuses = event.kind == "tool.pre" and decision.refused
    if refuses:
        reply.update(action="block", message=decision.reason or "refused")
    elif event.kind == "stop" and decision.force_continue:
        reply.update(action="continue", message=decision.reason or "go on")
    elif event.kind == "tool.pre" and decision.permission == "ask":
        reply["action"] = "approve"
        if decision.reason:
            reply["message"] = decision.reason
    elif event.kind == "tool.pre" and decision.input and event.tool is not None:
        reply.update(action="modify", args=decision.apply_to(event.tool.input))
    elif event.kind == "model.pre" and decision.context:
        reply["context"] = "\n".join(text for text, _ in decision.context)
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"", exit_status=2 if refuses else 0)

"""A decision as the output of a hook for Cursor: one JSON object."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this; Cursor cannot express changed results."""
    reply: JsonObject = {}
    if decision.refused:
        if event.kind == "prompt.submit":
            reply["continue"] = False
        else:
            reply["permission"] = "deny"
        reply["agent_message"] = decision.reason or "refused"
        if decision.user_message or event.kind == "prompt.submit":
            reply["user_message"] = decision.user_message or decision.reason or "refused"
    elif decision.force_continue:
        reply["followup_message"] = decision.reason or "go on"
    elif decision.permission in ("allow", "ask"):
        reply["permission"] = decision.permission
        if decision.reason:
            reply["agent_message"] = decision.reason
    if decision.input and event.tool is not None and not decision.refused:
        reply["updated_input"] = decision.apply_to(event.tool.input)
    if decision.context:
        reply["additional_context"] = "\n".join(text for text, _ in decision.context)
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

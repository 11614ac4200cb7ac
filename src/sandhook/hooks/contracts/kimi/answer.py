"""A decision as the output of a hook for Kimi Code: an object that denies, or a message for the prompt."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this; Kimi Code cannot express allow and ask."""
    reply: JsonObject = {}
    if decision.refused or decision.force_continue:
        reply["hookSpecificOutput"] = {
            "permissionDecision": "deny",
            "permissionDecisionReason": decision.reason or "refused",
        }
    elif decision.context and event.kind == "prompt.submit":
        reply["message"] = "\n".join(text for text, _ in decision.context)
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

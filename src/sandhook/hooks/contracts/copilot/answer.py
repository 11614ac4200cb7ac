"""A decision as the output of a hook for Copilot: one JSON object."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject, ToolResult
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this."""
    reply: JsonObject = {}
    if event.kind == "permission.request":
        if decision.refused:
            reply.update(behavior="deny", message=decision.reason or "refused")
        elif decision.permission == "allow":
            reply["behavior"] = "allow"
    elif event.kind == "tool.pre":
        if decision.refused:
            reply.update(permissionDecision="deny", permissionDecisionReason=decision.reason or "refused")
        elif decision.permission in ("allow", "ask"):
            reply["permissionDecision"] = decision.permission
            if decision.reason:
                reply["permissionDecisionReason"] = decision.reason
    elif decision.force_continue or (event.kind == "prompt.submit" and decision.refused):
        reply.update(
            decision="block", reason=decision.reason or ("go on" if decision.force_continue else "refused")
        )
    if decision.input and event.tool is not None and not decision.refused:
        reply["modifiedArgs"] = decision.apply_to(event.tool.input)
    if decision.result and event.kind == "tool.post":
        reply["modifiedResult"] = decision.apply_to_result(event.result or ToolResult()).value
    if decision.context:
        reply["additionalContext"] = "\n".join(text for text, _ in decision.context)
    reply.update(decision.extras or {})
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

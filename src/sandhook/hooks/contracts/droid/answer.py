"""A decision as the output of a hook for Factory Droid: one JSON object, or the exit status 2."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.contracts.droid.names import EVENTS
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject, ToolResult
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this; Droid cannot express ask."""
    name = next((name for name, kind in EVENTS.items() if kind == event.kind), event.kind)
    reason = decision.reason or "refused"
    reply: JsonObject = {}
    specific: JsonObject = {}
    if decision.halt:
        reply.update({"continue": False, "stopReason": reason})
    elif event.kind == "tool.pre" and decision.refused:
        specific.update(permissionDecision="deny", permissionDecisionReason=reason)
    elif event.kind == "tool.post" and decision.result:
        changed = decision.apply_to_result(event.result or ToolResult()).value
        specific["additionalContext"] = changed if isinstance(changed, str) else encode(changed)
    elif decision.force_continue and event.kind == "stop":
        reply.update(decision="block", reason=reason)
    elif decision.refused:
        return Answer(stderr=reason.encode("utf-8", "replace") + b"\n", exit_status=2)
    elif decision.permission == "allow":
        specific["permissionDecision"] = "allow"
    if decision.input and event.tool is not None and not decision.refused:
        changed = decision.apply_to(event.tool.input)
        if isinstance(changed, dict):
            specific["updatedInput"] = changed
    if decision.context:
        specific["additionalContext"] = "\n".join(text for text, _ in decision.context)
    if specific:
        reply["hookSpecificOutput"] = {"hookEventName": name, **specific}
    if decision.system_message:
        reply["systemMessage"] = decision.system_message
    return Answer(stdout=encode(reply).encode() + b"\n") if reply else Answer()

"""A decision as the output of a hook for Docker Agent: one JSON object."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.contracts.docker_agent.names import EVENTS
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject, ToolResult
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this."""
    reply: JsonObject = {}
    specific: JsonObject = {}
    if decision.halt:
        reply.update({"continue": False, "stop_reason": decision.reason or "refused"})
    elif event.kind in ("tool.pre", "permission.request") and decision.permission in ("deny", "allow", "ask"):
        specific["permission_decision"] = decision.permission
        if decision.reason or decision.refused:
            specific["permission_decision_reason"] = decision.reason or "refused"
    elif decision.refused:
        reply.update(decision="block", reason=decision.reason or "refused")
    elif decision.result and event.kind == "tool.post":
        changed = decision.apply_to_result(event.result or ToolResult()).value
        reply.update(decision="block", reason=changed if isinstance(changed, str) else encode(changed))
    if decision.input and event.tool is not None and not decision.refused:
        specific["updated_input"] = decision.apply_to(event.tool.input)
    if decision.context:
        specific["additional_context"] = "\n".join(text for text, _ in decision.context)
    if specific:
        name = next((name for name, kind in EVENTS.items() if kind == event.kind), event.kind)
        reply["hook_specific_output"] = {"hook_event_name": name, **specific}
    if decision.system_message:
        reply["system_message"] = decision.system_message
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

"""A decision as the output of a hook for Qwen Code: one JSON object."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject, ToolResult
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this."""
    reply: JsonObject = {}
    specific: JsonObject = {}
    reason = decision.reason or "refused"
    if event.kind == "tool.pre":
        if decision.refused:
            specific.update(permissionDecision="deny", permissionDecisionReason=reason)
        elif decision.permission in ("allow", "ask"):
            specific["permissionDecision"] = decision.permission
            if decision.reason:
                specific["permissionDecisionReason"] = decision.reason
    elif event.kind == "permission.request":
        if decision.refused:
            specific["decision"] = {"behavior": "deny", "message": reason}
        elif decision.permission == "allow":
            chosen: JsonObject = {"behavior": "allow"}
            if decision.input and event.tool is not None:
                chosen["updatedInput"] = decision.apply_to(event.tool.input)
            specific["decision"] = chosen
    elif event.kind == "tool.post" and decision.result:
        changed = decision.apply_to_result(event.result or ToolResult()).value
        reply.update(
            {"continue": False, "stopReason": changed if isinstance(changed, str) else encode(changed)}
        )
    elif decision.refused or decision.force_continue:
        reply.update(decision="block", reason=reason)
    if decision.context:
        specific["additionalContext"] = "\n".join(text for text, _ in decision.context)
    specific.update(decision.extras or {})
    if specific:
        reply["hookSpecificOutput"] = specific
    if decision.system_message:
        reply["systemMessage"] = decision.system_message
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

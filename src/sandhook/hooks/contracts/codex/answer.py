"""A decision as the output of a hook for Codex."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.contracts.codex.names import EVENTS
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject, ToolResult
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this; Codex cannot express an allow without a rewrite, or ask."""
    name = next((name for name, kind in EVENTS.items() if kind == event.kind), event.kind)
    reason = decision.reason or "refused"
    if decision.halt and event.kind not in ("tool.pre", "permission.request"):
        return _json({"continue": False, "stopReason": reason})
    specific: JsonObject = {}
    reply: JsonObject = {}
    if event.kind == "permission.request":
        if decision.refused:
            specific["decision"] = {"behavior": "deny", "message": reason}
        elif decision.permission == "allow":
            specific["decision"] = {"behavior": "allow"}
    elif event.kind == "tool.pre":
        if decision.refused:
            specific.update(permissionDecision="deny", permissionDecisionReason=reason)
        elif decision.input and event.tool is not None and decision.permission in ("allow", "none"):
            changed = decision.apply_to(event.tool.input)
            if isinstance(changed, dict):
                specific.update(permissionDecision="allow", updatedInput=changed)
    elif event.kind == "tool.post" and decision.result:
        changed = decision.apply_to_result(event.result or ToolResult()).value
        reply.update(decision="block", reason=changed if isinstance(changed, str) else encode(changed))
    elif decision.block or decision.force_continue:
        reply.update(decision="block", reason=decision.reason or "refused")
    if decision.context and event.kind in (
        *("tool.pre", "tool.post", "prompt.submit", "session.start", "subagent.start"),
    ):
        specific["additionalContext"] = "\n".join(text for text, _ in decision.context)
    if specific:
        reply["hookSpecificOutput"] = {"hookEventName": name, **specific}
    if decision.system_message:
        reply["systemMessage"] = decision.system_message
    return _json(reply) if reply else Answer()


def _json(reply: JsonObject) -> Answer:
    return Answer(stdout=encode(reply).encode() + b"\n")

"""A decision as the output of a hook for Gemini CLI: one JSON object."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject, ToolResult
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this."""
    reply: JsonObject = {}
    specific: JsonObject = {}
    if decision.halt:
        reply.update({"continue": False, "stopReason": decision.reason or "refused"})
    elif decision.refused or decision.force_continue:
        reply.update(decision="deny", reason=decision.reason or "refused")
    elif event.kind == "tool.post" and decision.result:
        changed = decision.apply_to_result(event.result or ToolResult()).value
        reply.update(decision="deny", reason=changed if isinstance(changed, str) else encode(changed))
    elif decision.permission in ("allow", "ask"):
        reply["decision"] = decision.permission
        if decision.reason:
            reply["reason"] = decision.reason
    if decision.input and event.tool is not None and not decision.refused:
        changed = decision.apply_to(event.tool.input)
        if isinstance(changed, dict):
            specific["tool_input"] = changed
    if decision.context:
        specific["additionalContext"] = "\n".join(text for text, _ in decision.context)
    specific.update(decision.extras or {})
    if specific:
        reply["hookSpecificOutput"] = specific
    if decision.system_message:
        reply["systemMessage"] = decision.system_message
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

"""A decision as the output of a hook for Grok Build: one JSON object."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.contracts._outcome import GOES_ON
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject, ToolResult
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this."""
    reply: JsonObject = {}
    specific: JsonObject = {}
    if event.kind in GOES_ON:
        if decision.halt:
            reply.update({"continue": False, "stopReason": decision.reason or "refused"})
        elif decision.force_continue or decision.refused:
            reply.update(decision="block", reason=decision.reason or "go on")
    elif event.kind == "tool.pre":
        if decision.refused:
            reply.update(decision="deny", reason=decision.reason or "refused")
        elif decision.permission in ("allow", "ask"):
            reply["decision"] = decision.permission
            if decision.reason:
                reply["reason"] = decision.reason
        if decision.input and event.tool is not None and not decision.refused:
            specific["updatedInput"] = decision.apply_to(event.tool.input)
    elif decision.refused:
        reply.update(decision="block", reason=decision.reason or "refused")
    if event.kind == "tool.post" and decision.result:
        specific["updatedToolOutput"] = decision.apply_to_result(event.result or ToolResult()).value
    if decision.context and event.kind in ("tool.pre", "tool.post", "tool.fail"):
        specific["additionalContext"] = "\n".join(text for text, _ in decision.context)
    if specific:
        reply["hookSpecificOutput"] = {"hookEventName": decision.event, **specific}
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

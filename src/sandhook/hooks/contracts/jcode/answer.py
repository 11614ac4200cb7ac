"""A decision as the output of a hook for jcode."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.contracts.jcode.names import EVENTS, KEEP_WORKING
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this."""
    if decision.refused or (event.kind == "stop" and decision.force_continue):
        reason = decision.reason or (KEEP_WORKING if event.kind == "stop" else "refused")
        return Answer(stderr=reason.encode("utf-8", "replace") + b"\n", exit_status=2)
    specific: JsonObject = {}
    if event.kind == "tool.pre":
        if decision.permission in ("allow", "ask"):
            specific["permissionDecision"] = decision.permission
        if decision.input and event.tool is not None:
            specific["updatedInput"] = decision.apply_to(event.tool.input)
    if decision.result and event.result is not None:
        changed = decision.apply_to_result(event.result).value
        specific["modifiedResult"] = changed if isinstance(changed, str) else encode(changed)
    if decision.context:
        specific["additionalContext"] = "\n".join(text for text, _ in decision.context)
    reply: JsonObject = {}
    if decision.system_message:
        reply["systemMessage"] = decision.system_message
    if specific:
        native = next((name for name, kind in EVENTS.items() if kind == event.kind), "")
        reply["hookSpecificOutput"] = {"hookEventName": native, **specific}
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

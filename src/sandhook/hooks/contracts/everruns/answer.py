"""A decision as the output of a hook for Everruns: one JSON object on standard output.

The agent cannot express "ask the user", and cannot remove keys from a tool's arguments. Both become a
block, because silence allows the call.
"""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.contracts.everruns.names import REFUSABLE
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, Json, JsonObject, ToolResult
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return what to print; the exit status is always 0, because the JSON decides."""
    reply: JsonObject = {}
    if event.kind in REFUSABLE:
        reply = _refusal(decision, event)
    if not reply:
        patch = _patch(decision, event)
        if patch:
            reply = {"decision": "mutate", "patch": patch}
        elif decision.permission == "allow":
            reply = {"decision": "allow"}
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")


def _refusal(decision: Decision, event: Event) -> JsonObject:
    reason = decision.reason
    if decision.refused:
        reason = reason or "refused"
    elif decision.permission in ("ask", "defer"):
        reason = f"a hook wants the user to be asked: {reason or 'no reason given'}"
    elif _drops_keys(decision, event):
        reason = "a hook removes arguments, which this agent cannot express"
    else:
        return {}
    reply: JsonObject = {"decision": "block", "reason": reason}
    if decision.user_message is not None:
        reply["user_message"] = decision.user_message
    return reply


def _drops_keys(decision: Decision, event: Event) -> bool:
    """Return whether the changed input lacks keys of the old one, or is not an object."""
    if not decision.input or event.tool is None:
        return False
    changed, before = decision.apply_to(event.tool.input), event.tool.input
    if not isinstance(changed, dict):
        return True
    return isinstance(before, dict) and any(key not in changed for key in before)


def _patch(decision: Decision, event: Event) -> JsonObject:
    if decision.input and event.tool is not None:
        changed, before = decision.apply_to(event.tool.input), event.tool.input
        old = before if isinstance(before, dict) else {}
        after = changed if isinstance(changed, dict) else {}  # what is not an object was refused before
        new = {key: value for key, value in after.items() if key not in old or not _same(old[key], value)}
        return {"arguments": new} if new or before != changed else {}
    if decision.prompt and event.prompt is not None:
        return {"message": decision.apply_to_prompt(event.prompt)}
    if event.kind != "tool.post":
        return {}
    patch: JsonObject = {}
    original = event.result or ToolResult()
    result = decision.apply_to_result(original)
    if decision.result:
        patch["result"] = result.value
    if decision.error and result.error is not None:
        patch["error"] = result.error
    notes = "\n".join(text for text, _ in decision.context)
    if notes and not (isinstance(result.value, dict) and result.value.get("hook_context") == notes):
        patch["additional_context"] = notes
    return patch


def _same(one: Json, other: Json) -> bool:
    """Compare JSON values; true is not 1."""
    return encode(one) == encode(other)

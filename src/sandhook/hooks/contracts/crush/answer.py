"""A decision as the output of a hook for Crush: exit status 2 or 49 with the reason, or the native envelope."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.contracts.crush.names import DENY, HALT
from sandhook.hooks.decode import encode
from sandhook.hooks.event import Event, JsonObject
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this. Crush treats a permission to ask as no opinion."""
    if decision.refused:
        status = HALT if decision.halt else DENY
        return Answer(
            stderr=(decision.reason or "refused").encode("utf-8", "replace") + b"\n", exit_status=status
        )
    reply: JsonObject = {}
    if decision.permission == "allow":
        reply["decision"] = "allow"
    if decision.context:
        reply["context"] = [text for text, _ in decision.context]
    if decision.context_files:
        reply["context_files"] = [
            {"path": file.path, "reason": file.reason} for file in decision.context_files
        ]
    if decision.input and event.tool is not None:
        changed, original = decision.apply_to(event.tool.input), event.tool.input
        if isinstance(changed, dict):
            before = original if isinstance(original, dict) else {}
            reply["updated_input"] = {
                key: value for key, value in changed.items() if key not in before or before[key] != value
            }
    if decision.prompt and event.prompt is not None:
        reply["updated_prompt"] = decision.apply_to_prompt(event.prompt)
    return Answer(stdout=encode(reply).encode() + b"\n" if reply else b"")

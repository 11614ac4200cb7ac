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
    said: JsonObject = {}
    if decision.permission == "allow":
        said["decision"] = "allow"
    if decision.context:
        said["context"] = [text for text, _ in decision.context]
    if decision.context_files:
        said["context_files"] = [
            {"path": file.path, "reason": file.reason} for file in decision.context_files
        ]
    if decision.input and event.tool is not None:
        changed, given = decision.apply_to(event.tool.input), event.tool.input
        if isinstance(changed, dict):
            before = given if isinstance(given, dict) else {}
            said["updated_input"] = {
                key: value for key, value in changed.items() if key not in before or before[key] != value
            }
    if decision.prompt and event.prompt is not None:
        said["updated_prompt"] = decision.apply_to_prompt(event.prompt)
    return Answer(stdout=encode(said).encode() + b"\n" if said else b"")

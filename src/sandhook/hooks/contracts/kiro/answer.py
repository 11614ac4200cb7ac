"""A decision as the output of a hook for Kiro: the exit status 2 with the reason, or text for the model."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.event import Event
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this; Kiro cannot express allow, ask and rewrites."""
    if decision.refused:
        reason = (decision.reason or "refused").encode("utf-8", "replace")
        return Answer(stderr=reason + b"\n", exit_status=2)
    if decision.context and event.kind in ("session.start", "prompt.submit"):
        text = "\n".join(text for text, _ in decision.context)
        return Answer(stdout=text.encode("utf-8", "replace") + b"\n")
    return Answer()

"""A decision as a Kiro hook says it: the exit status 2 with the reason, or text for the model."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.event import Event
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return what to print and to exit with; allow, ask and rewrites have no words."""
    if decision.refused:
        reason = (decision.reason or "refused").encode("utf-8", "replace")
        return Answer(stderr=reason + b"\n", exit_status=2)
    if decision.context and event.kind in ("session.start", "prompt.submit"):
        text = "\n".join(text for text, _ in decision.context)
        return Answer(stdout=text.encode("utf-8", "replace") + b"\n")
    return Answer()

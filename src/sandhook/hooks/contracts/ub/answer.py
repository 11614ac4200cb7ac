"""A decision as an ub hook says it: by its exit status."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.event import Event
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return what to print and to exit with; the hook's entry needs ``on_failure: block`` to refuse."""
    if decision.refused:
        return Answer(stderr=(decision.reason or "refused").encode("utf-8", "replace") + b"\n", exit_status=1)
    return Answer()

"""A decision as the output of a hook for ub: by its exit status."""

from __future__ import annotations

from sandhook.hooks.contracts import Answer
from sandhook.hooks.event import Event
from sandhook.hooks.model import Decision


def answer(decision: Decision, event: Event) -> Answer:
    """Return the output and exit status of a hook that decides this; the hook's entry needs ``on_failure: block`` to refuse."""
    if decision.refused:
        return Answer(stderr=(decision.reason or "refused").encode("utf-8", "replace") + b"\n", exit_status=1)
    return Answer()

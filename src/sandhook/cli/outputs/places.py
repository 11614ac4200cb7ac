"""The output of ``portability``."""

from __future__ import annotations

from typing import get_args

from sandhook.cli.outputs.fields import COUNT, TEXT, Fields, described, list_of, reference, words_of
from sandhook.hooks.checks.portability import STATES, SYSTEMS, Aspect
from sandhook.hooks.event import JsonObject

FIELDS: dict[str, Fields] = {
    "portability": {"results": (list_of(reference("portability")), "for every hook, agent and system")}
}


def definitions() -> JsonObject:
    """Return the objects of the results."""
    return {
        "portability": described(
            {
                "hook": (TEXT, "id of the hook"),
                "agent": (TEXT, "the agent that is to run it"),
                "system": (words_of(SYSTEMS), "the system"),
                "state": (words_of(STATES), "the worst state of the reasons"),
                "reasons": (list_of(reference("reason")), "worst first"),
            }
        ),
        "reason": described(
            {
                "state": (words_of(STATES), "what this reason alone makes of the hook"),
                "aspect": (words_of(get_args(Aspect)), "what it is about"),
                "message": (TEXT, "the reason"),
                "file": (TEXT, "the script; empty for the hook's own command"),
                "line": (COUNT, "line in it, from 1; 0 when unknown"),
            }
        ),
    }

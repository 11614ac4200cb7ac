"""The outputs of ``doctor`` and ``chaos``."""

from __future__ import annotations

from sandhook.cli.outputs.fields import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    TEXTS,
    Fields,
    described,
    list_of,
    or_null,
    reference,
)
from sandhook.hooks.event import JsonObject

FIELDS: dict[str, Fields] = {
    "doctor": {
        "status": (COUNT, "exit status"),
        "proven": (FLAG, "each guard is proven on"),
        "hooks": (list_of(reference("hook")), "the hooks"),
        "unreached": (
            list_of({"type": "object"}),
            "files of expectations with cases that reach no hook, and why",
        ),
        "problems": (TEXTS, "faults of files of expectations"),
    },
    "chaos": {
        "status": (COUNT, "exit status"),
        "held": (FLAG, "every guard was tried, and no action passed"),
        "guards": (list_of(reference("guard")), "the guards"),
        "untried": (list_of({"type": "object"}), "hooks and cases that were not tried, and why"),
        "problems": (TEXTS, "faults of files of expectations"),
    },
}


def definitions() -> JsonObject:
    """Return the objects of both outputs."""
    place: Fields = {
        "contract": (TEXT, "the agent"),
        "hook_id": (TEXT, "id of the hook"),
        "event": (TEXT, "the agent's name of the event"),
        "file": (TEXT, "its file"),
        "line": (COUNT, "line in the file"),
        "command": (TEXT, "what it runs"),
    }
    return {
        "hook": described(
            {
                **place,
                "verdict": (TEXT, "proven on, works, not proven, or not on"),
                "layer": (TEXT, "its layer"),
                "started_as": (TEXTS, "words of the process"),
                "starts": (COUNT, "how often it was started"),
                "p95_ms": (or_null(NUMBER), "95th percentile of its durations"),
                "checks": (list_of({"type": "object"}), "what was checked"),
            }
        ),
        "guard": described(
            {
                **place,
                "through_sandhook": (FLAG, "sandhook hook runs it"),
                "refusing_cases": (COUNT, "cases that it refuses"),
                "tried_cases": (TEXTS, "cases that were tried"),
                "cells": (list_of({"type": "object"}), "the result of each fault"),
            }
        ),
    }

"""The output of ``watch``: one object on a line for each run."""

from __future__ import annotations

from sandhook.cli.outputs.fields import TEXT, TEXTS, Fields, one_of
from sandhook.hooks.event import JsonObject

FIELDS: dict[str, Fields] = {
    "watch": {
        "time": (TEXT, "when it ran, UTC, as in RFC 3339"),
        "state": (one_of("ok", "failed"), "the result"),
        "name": (TEXT, "the configuration, or the file of expectations"),
        "summary": (TEXT, "what was found, in a few words"),
        "lines": (TEXTS, "a line for each fault"),
    }
}


def definitions() -> JsonObject:
    """Return no objects: the output has none."""
    return {}

"""The output of ``serve --start``, ``--restart``, ``--stop`` and ``--status``."""

from __future__ import annotations

from sandhook.cli.outputs.fields import FLAG, NUMBER, TEXT, TEXTS, Fields, one_of, or_null
from sandhook.hooks.event import JsonObject

FIELDS: dict[str, Fields] = {
    "serve": {
        "action": (one_of("start", "restart", "stop", "status"), "the option"),
        "running": (FLAG, "a service of this user runs after the command"),
        "state": (
            or_null(one_of("ok", "degraded", "stopping")),
            "what it reports about itself; null if none runs",
        ),
        "pid": (or_null(NUMBER), "its process"),
        "service_version": (or_null(TEXT), "its version of sandhook"),
        "socket": (TEXT, "its socket"),
        "started": (FLAG, "this command started it"),
        "ended": (or_null(NUMBER), "the process that this command ended"),
        "log": (or_null(TEXT), "the file of its messages, if this command started it"),
        "problems": (TEXTS, "what is wrong"),
    },
}


def definitions() -> JsonObject:
    return {}

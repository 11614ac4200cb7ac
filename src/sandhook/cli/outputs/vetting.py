"""The output of ``vet``."""

from __future__ import annotations

from sandhook.cli.outputs.fields import (
    COUNT,
    FLAG,
    TEXT,
    TEXTS,
    Fields,
    described,
    list_of,
    reference,
    words_of,
)
from sandhook.hooks.event import JsonObject
from sandhook.hooks.manifest import KINDS
from sandhook.vetting import SEVERITIES

FIELDS: dict[str, Fields] = {
    "vet": {
        "manifest": ({"type": "object"}, "the capability manifest; `sandhook schema manifest` describes it"),
        "problems": (TEXTS, "what could not be read"),
        "hooks": (list_of(reference("hook")), "the hooks, and scripts that none of them names"),
    }
}

_MEANINGS = {
    "reads": "paths whose contents it reads",
    "writes": "paths that it creates, changes or removes",
    "programs": "programs that it runs",
    "hosts": "hosts that it reaches",
    "variables": "variables of the agent that it sees",
}


def definitions() -> JsonObject:
    """Return the objects of the report."""
    hook: dict[str, tuple[JsonObject, str]] = {
        "id": (TEXT, "id of the hook"),
        "event": (TEXT, "the agent's name of the event"),
        "place": (TEXT, "where it is configured"),
        "files": (TEXTS, "files of the bundle that run"),
    }
    hook |= {kind: (TEXTS, _MEANINGS[kind]) for kind in KINDS}
    return {
        "hook": described({**hook, "findings": (list_of(reference("finding")), "worst first")}),
        "finding": described(
            {
                "rule": (TEXT, "identifier of the rule"),
                "severity": (words_of(SEVERITIES), "how bad it is"),
                "what": (TEXT, "what the hook does"),
                "why": (TEXT, "why that matters"),
                "detail": (TEXT, "the path, host or command"),
                "file": (TEXT, "the script or the configuration"),
                "line": (COUNT, "line, from 1; 0 when unknown"),
                "column": (COUNT, "column, from 1; 0 when unknown"),
                "observed": (FLAG, "only a run in the sandbox showed it"),
            }
        ),
    }

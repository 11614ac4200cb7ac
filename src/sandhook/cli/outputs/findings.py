"""The output of ``check``."""

from __future__ import annotations

from sandhook.cli.outputs.fields import COUNT, TEXT, TEXTS, Fields, described, list_of, reference, words_of
from sandhook.hooks.checks import RULES, SEVERITIES
from sandhook.hooks.event import JsonObject

FIELDS: dict[str, Fields] = {
    "check": {
        "findings": (list_of(reference("finding")), "in the order of files and lines"),
        "files": (TEXTS, "the configurations that were read"),
        "hooks": (COUNT, "how many hooks they have"),
    }
}


def definitions() -> JsonObject:
    """Return the objects of the findings."""
    return {
        "finding": described(
            {
                "severity": (words_of(SEVERITIES), "how bad it is"),
                "rule": (words_of(list(RULES)), "its identifier; docs/reference/checks.md explains it"),
                "message": (TEXT, "what is wrong"),
                "file": (TEXT, "the configuration or the script"),
                "line": (COUNT, "line in it, from 1; 0 when unknown"),
                "path": (TEXT, "where in a configuration"),
                "hook": (TEXT, "id of the hook, or empty"),
            }
        )
    }

"""The outputs of ``list``, ``explain`` and ``status``: hooks with their places."""

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
    one_of,
    or_null,
    reference,
    words_of,
)
from sandhook.hooks.contracts import LAYERS
from sandhook.hooks.event import JsonObject
from sandhook.installation.places import SCOPES

FIELDS: dict[str, Fields] = {
    "list": {"hooks": (list_of(reference("listed")), "all hooks and faults, in config order")},
    "explain": {"hooks": (list_of(reference("explained")), "the hooks of this kind of event, and faults")},
    "status": {"hooks": (list_of(reference("installed")), "the hooks that were installed or wrapped")},
}

_STATE = one_of("trusted", "untrusted", "muted", "invalid")
_ISOLATION = or_null(one_of("thread", "process"))

_PLACE: Fields = {
    "state": (_STATE, "whether it runs"),
    "contract": (TEXT, "the agent"),
    "layer": (words_of(list(LAYERS)), "whose file it is"),
    "file": (TEXT, "the file"),
    "line": (COUNT, "line in it, from 1; 0 when unknown"),
    "path": (TEXT, "where in the file"),
    "why": (TEXT, "why it runs, or does not"),
    "isolation": (_ISOLATION, "where it runs by default; null if it does not run"),
}


def definitions() -> JsonObject:
    """Return the objects of the hooks."""
    return {
        "listed": described(
            {
                **_PLACE,
                "id?": (TEXT, "id of the hook; absent for a fault, as all fields below"),
                "approval?": (or_null(TEXT), "hash of what was approved"),
                "event?": (TEXT, "the agent's name of the event"),
                "kind?": (TEXT, "the neutral name of the event"),
                "type?": (TEXT, "what runs it: bash, argv, http and others"),
                "command?": (TEXT, "shell text"),
                "argv?": (TEXTS, "program and arguments"),
                "timeout?": (NUMBER, "seconds"),
                "on_error?": (one_of("block", "allow", "warn"), "what a hook that could not run means"),
                "detached?": (FLAG, "it runs in the background"),
                "once?": (FLAG, "it runs once in a session"),
                "description?": (or_null(TEXT), "the author's description"),
            }
        ),
        "explained": described(
            {
                "hook_id": (or_null(TEXT), "id of the hook; null for a fault"),
                "runs": (FLAG, "whether the event would run it"),
                **_PLACE,
                "given?": (reference("given"), "what it would receive; with -v"),
            }
        ),
        "given": described(
            {
                "error?": (TEXT, "why that cannot be computed; all other fields are absent then"),
                "stdin?": (TEXT, "standard input"),
                "env?": ({"type": "object", "additionalProperties": TEXT}, "variables that the agent sets"),
                "env_policy?": (
                    one_of("fresh", "inherit", "allow"),
                    "what it sees of the agent's environment",
                ),
                "env_names?": (TEXTS, "variables that it also sees"),
                "cwd?": (TEXT, "working directory"),
                "files?": (TEXTS, "files that the agent writes for it"),
                "argv?": (TEXTS, "arguments"),
                "timeout?": (NUMBER, "seconds"),
            }
        ),
        "installed": _installed(),
    }


def _installed() -> JsonObject:
    return described(
        {
            "state": (
                one_of("unchanged", "edited", "gone", "unreadable"),
                "compared with what was installed",
            ),
            "agent": (TEXT, "the agent"),
            "scope": (words_of(SCOPES), "whose file it is"),
            "file": (TEXT, "the agent's file"),
            "file_edited": (FLAG, "somebody changed the file since"),
            "source": (or_null(TEXT), "the file that was installed; null for a wrapped hook"),
            "wrapped": (FLAG, "it is a hook of the user that runs through sandhook"),
            "place": (TEXT, "where in the file"),
            "matcher": (or_null(TEXT), "its matcher"),
            "command": (TEXT, "its command"),
            "why": (TEXT, "why the file cannot be read, or empty"),
        }
    )

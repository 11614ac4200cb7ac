"""The output of ``fire``: a decision with the outcome of every hook."""

from __future__ import annotations

from sandhook.cli.outputs.fields import (
    ANY,
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
)
from sandhook.hooks.event import JsonObject

_OPERATIONS = list_of(reference("operation"))

FIELDS: dict[str, Fields] = {
    "fire": {
        "problems": (TEXTS, "faults of the configuration: these hooks are not in force"),
        "workspace": (TEXT, "the directory whose copy the hooks saw"),
        "event": (or_null(TEXT), "the agent's name of the event"),
        "kind": (TEXT, "the neutral name of the event"),
        "contract": (TEXT, "the agent"),
        "refused": (FLAG, "the action must not happen"),
        "permission": (
            one_of("none", "allow", "ask", "defer", "deny"),
            "the strongest opinion on a permission",
        ),
        "block": (FLAG, "a hook blocks"),
        "halt": (FLAG, "the whole turn ends"),
        "force_continue": (FLAG, "the agent must go on working"),
        "reason": (or_null(TEXT), "why, for the model"),
        "user_message": (or_null(TEXT), "for the user"),
        "system_message": (or_null(TEXT), "for the user, from the system"),
        "message": (or_null(TEXT), "what the agent shows instead of the action"),
        "input": (_OPERATIONS, "changes of the tool's input"),
        "prompt": (_OPERATIONS, "changes of the prompt"),
        "result": (_OPERATIONS, "changes of the result"),
        "error": (_OPERATIONS, "changes of the error"),
        "context": (list_of(reference("context")), "texts for the model"),
        "context_files": (list_of(reference("file")), "files for the model"),
        "could_not_run": (TEXTS, "ids of hooks that could not run"),
        "withheld": (list_of(reference("withheld")), "hooks that are not in force"),
        "fail_closed": (TEXTS, "ids of hooks that refuse because they could not run"),
        "outcomes": (list_of(reference("outcome")), "all hooks of this kind of event"),
        "late": (list_of(reference("outcome")), "hooks that run in the background"),
        "extras": ({"type": "object"}, "fields of this agent alone"),
        "diagnostics": (TEXTS, "notes"),
    }
}


def definitions() -> JsonObject:
    """Return the objects of a decision."""
    return {
        "operation": described({"op": (TEXT, "replace, merge and others"), "value": (ANY, "its value")}),
        "context": described({"text": (TEXT, "the text"), "placement": (TEXT, "where the agent puts it")}),
        "file": described({"path": (TEXT, "the file"), "reason": (or_null(TEXT), "why")}),
        "withheld": described(
            {
                "hook_id": (TEXT, "id of the hook"),
                "path": (TEXT, "where in the file"),
                "file": (TEXT, "the file"),
                "why": (TEXT, "why it is not in force"),
            }
        ),
        "outcome": described(
            {
                "hook_id": (TEXT, "id of the hook"),
                "path": (TEXT, "where in the file"),
                "matched": (FLAG, "the event selects it"),
                "why": (TEXT, "why it is selected, or not"),
                "ran": (FLAG, "it ran; the fields of the run are absent otherwise"),
                "decision": (or_null(TEXT), "its decision in one word"),
                "reason": (or_null(TEXT), "its reason"),
                "user_message": (or_null(TEXT), "its text for the user"),
                "could_not_run": (or_null(TEXT), "why it could not run"),
                "warnings": (TEXTS, "warnings"),
                "diagnostics": (TEXTS, "notes"),
                "exit_status?": (or_null({"type": "integer"}), "exit status; null if nothing ran"),
                "signal?": (or_null(TEXT), "the signal that ended it"),
                "timed_out?": (FLAG, "it exceeded its timeout"),
                "limit?": (or_null(TEXT), "the limit that ended it"),
                "truncated?": (FLAG, "a part of its output is dropped"),
                "stdout?": (TEXT, "standard output"),
                "stderr?": (TEXT, "standard error"),
                "duration_ms?": (NUMBER, "milliseconds"),
                "drift?": (TEXTS, "what it did that its manifest does not declare"),
                "steps?": (list_of(reference("step")), "what each command did; with --steps"),
            }
        ),
        "step": described(
            {
                "line": (COUNT, "its line in source"),
                "source": (TEXT, "the script or file; main for the text of the hook"),
                "function": (TEXT, "the function that it stands in, or an empty text"),
                "text": (TEXT, "the command as in the script"),
                "words": (or_null(TEXTS), "its words after expansion"),
                "process": (COUNT, "number of the process"),
                "depth": (COUNT, "nested calls"),
                "status": (or_null({"type": "integer"}), "its exit status"),
                "signal": (or_null(TEXT), "the signal that ended its process"),
                "variables": ({"type": "object"}, "what it assigned; null for what it unset"),
                "stdout": (TEXT, "what it wrote to standard output"),
                "stderr": (TEXT, "what it wrote to standard error"),
                "piped": (TEXT, "what it wrote into a pipe"),
                "seconds": (NUMBER, "when it began, since the run began"),
            }
        ),
    }

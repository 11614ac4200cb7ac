"""The output of ``test``."""

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
    words_of,
)
from sandhook.conformance.runner import RESULTS
from sandhook.hooks.event import JsonObject

FIELDS: dict[str, Fields] = {
    "test": {
        "sandhook": (TEXT, "version of sandhook"),
        "ok": (FLAG, "all files are as expected"),
        "reports": (list_of(reference("report")), "one for each file and shell"),
    }
}


def definitions() -> JsonObject:
    """Return the objects of the reports."""
    output = described(
        {
            "status": (or_null({"type": "integer"}), "exit status"),
            "stdout": (or_null(TEXT), "standard output"),
            "stderr": (or_null(TEXT), "standard error"),
        }
    )
    return {
        "report": described(
            {
                "file": (TEXT, "the file"),
                "shell": (TEXT, "what ran it"),
                "ok": (FLAG, "as many failures as expected"),
                "expected_failures": (COUNT, "failures that the file declares"),
                "seconds": (NUMBER, "how long it took"),
                "counts": ({"type": "object", "additionalProperties": COUNT}, "number of cases by result"),
                "cases": (list_of(reference("case")), "its cases"),
            }
        ),
        "case": described(
            {
                "name": (TEXT, "its name"),
                "line": (COUNT, "line in the file"),
                "result": (words_of(RESULTS), "its result"),
                "seconds": (NUMBER, "how long it took"),
                "reason?": (TEXT, "why it was skipped"),
                "differences?": (TEXTS, "what differs"),
                "trouble?": (or_null(TEXT), "why it could not run"),
                "details?": (TEXTS, "more about the differences"),
                "expected?": (output, "the output that was expected"),
                "got?": (output, "the output"),
            }
        ),
    }

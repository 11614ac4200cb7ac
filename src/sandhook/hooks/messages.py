"""Everything that an engine reports about its configuration, as one list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sandhook.hooks.diagnostic import Diagnostic
from sandhook.hooks.loading import Findings
from sandhook.record import Record


class Message(Record):
    """One line about a configuration.

    Attributes:
        severity: "error" for a fault: the hook, or its file, is left out. "warning" for a hook that does not run
            because nobody approved it, or because it is switched off. "note" for what is unusual.
        text: The line.
        file: The file, or "".
        line: Line in the file, from 1; 0 when unknown.
        path: Where in the file, or "".
        hook: Id of the hook, or "".
    """

    severity: Literal["error", "warning", "note"]
    text: str
    file: str = ""
    line: int = 0
    path: str = ""
    hook: str = ""


def messages_of(findings: Findings) -> Sequence[Message]:
    """Return all messages, the worst first."""
    return (
        *(Message("error", each.message, each.file, each.line, each.path) for each in findings.problems),
        *(
            Message("warning", each.why, each.spec.file, 0, each.spec.path, each.spec.id)
            for each in findings.withheld
        ),
        *map(_note, findings.diagnostics),
    )


def _note(text: str) -> Message:
    if isinstance(text, Diagnostic):
        return Message("note", text.message, text.file, 0, text.path)
    return Message("note", text)

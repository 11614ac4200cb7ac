"""The contents of a file of expectations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from sandhook.hooks.contracts import Contract, Document
from sandhook.hooks.event import Event, Json
from sandhook.hooks.model import Compat
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import re

#: The version of the format.
VERSION = 1

#: What the hooks of an event decide. "proceed" is no objection, with or without an approval.
Word = Literal["proceed", "allow", "ask", "defer", "deny", "halt", "keep-working", "could-not-run"]

WORDS: tuple[Word, ...] = get_args(Word)

#: Endings of the names of files of expectations.
ENDINGS = (".expect.yaml", ".expect.yml", ".expect.json")


class Changed(Record):
    """An expected value after all changes of the hooks."""

    value: Json


class Expected(Record):
    """What a case expects; None is not compared.

    Attributes:
        reason: Found in the reason of the decision.
        context: Found in the texts that the hooks add, one on a line.
        message: Found in the text that the agent shows instead of what was refused.
        input, prompt, result: The tool's input, the prompt and the tool's result after the changes of the hooks.
        files: Expressions for the contents of files after the event, by path in the project; None for a file
            that must not exist.
    """

    decision: Word
    reason: re.Pattern[str] | None = None
    context: re.Pattern[str] | None = None
    message: re.Pattern[str] | None = None
    input: Changed | None = None
    prompt: Changed | None = None
    result: Changed | None = None
    files: Mapping[str, re.Pattern[str] | None] = {}


class EventCase(Record):
    """One event and the expected decision.

    Attributes:
        line: Line of the case in its file, from 1.
        because: The author's reason, for people.
        event: The event; its directories are those of the project.
        files: Files that are added to the project: contents by path; None removes a file.
        env: Variables of the agent.
        host: The hooks run on this machine, on a copy of the project.
    """

    name: str
    line: int
    because: str
    event: Event
    expected: Expected
    files: Mapping[str, str | None] = {}
    env: Mapping[str, str] = {}
    compat: Compat = "better"
    host: bool = False


class ExpectationFile(Record):
    """All cases of a file, and the hooks that they are about.

    Attributes:
        path: The file, as the caller named it.
        project: The directory that hooks see as the project.
        documents: The configurations, weakest layer first.
        only: Found in the commands of the hooks that run; None for all hooks.
    """

    path: str
    project: str
    contract: Contract
    documents: tuple[Document, ...]
    cases: tuple[EventCase, ...]
    only: re.Pattern[str] | None = None


def is_expectations(name: str) -> bool:
    """Return whether a file has expectations, by its name."""
    return name.endswith(ENDINGS)

"""The records of annotations."""

from __future__ import annotations

from typing import Literal

from sandhook.record import Record

Level = Literal["error", "warning", "note"]


class Kind(Record):
    """One kind of annotation: its identifier, its usual level, what it means, and the advice."""

    id: str
    level: Level
    what: str
    advice: str


class Annotation(Record):
    """One finding at its place.

    Attributes:
        rule: The identifier of its kind.
        message: What is wrong here, on one line.
        file: A path with slashes, relative to the current directory if it is below; "" without a file.
        line, column: From 1; 0 when unknown.
        path: Where in a configuration.
        hook: Id of the hook, or "".
    """

    rule: str
    level: Level
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    path: str = ""
    hook: str = ""


class Annotated(Record):
    """All findings of a command.

    Attributes:
        kinds: Those of the annotations, and more.
        status: The exit status of the command.
    """

    command: str
    kinds: tuple[Kind, ...]
    annotations: tuple[Annotation, ...]
    status: int

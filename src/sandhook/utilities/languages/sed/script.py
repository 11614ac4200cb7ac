"""The commands of a sed script as they are parsed, and where in the script an error stands.

Source: POSIX.1-2024 XCU 3, sed; GNU sed 4.9's messages.
"""

from __future__ import annotations

from sandhook.record import Record


class ScriptError(Exception):
    """A script that cannot be used; the message says where, as GNU's does."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class Chunk(Record):
    """One -e, or one -f when it has a file name."""

    text: str
    file: str = ""


class Pattern(Record):
    """A regular expression as written, without its delimiters; "" means the last one used."""

    text: str
    icase: bool = False
    multiline: bool = False


class Address(Record):
    """``kind`` is "line", "last", "regex", "step" (first~step), "plus" (+N) or "multiple" (~N)."""

    kind: str
    number: int = 0
    step: int = 0
    pattern: Pattern | None = None


class Part(Record):
    """A piece of a replacement: text, a group (0 is &), or a change of case (one of "ULulE")."""

    text: str = ""
    group: int = -1
    case: str = ""


class Substitution(Record):
    """Pattern, replacement and flags of an s command."""

    pattern: Pattern
    parts: tuple[Part, ...]
    everywhere: bool = False
    number: int = 1
    show: bool = False
    file: str | None = None


class Command(Record):
    """One command. ``argument`` depends on it: text, a file name, a label, a number, a Substitution."""

    name: str
    first: Address | None
    second: Address | None
    negated: bool
    argument: object
    target: int = -1  #: index of the command to go to: "}" for "{", a label for b, t, T


class Program(Record):
    """A parsed script.

    Attributes:
        silent: It begins with "#n".
        files: Names that w, W and s///w write to.
        end: Where its end stands, for errors that show when it runs.
    """

    commands: tuple[Command, ...]
    silent: bool
    files: tuple[str, ...]
    end: str

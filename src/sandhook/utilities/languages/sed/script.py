"""The syntax tree of a sed script.

Source: POSIX.1-2024 XCU 3, sed; GNU sed 4.9's messages.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from sandhook.record import Record


class ScriptError(Exception):
    """An error in a script; the message has its position, as GNU's does."""

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
    """Selects lines.

    Attributes:
        kind: "step" is first~step, "plus" is +N, "multiple" is ~N; the last two only end a range.
    """

    kind: Literal["line", "last", "regex", "step", "plus", "multiple"]
    number: int = 0
    step: int = 0
    pattern: Pattern | None = None


class Part(Record):
    """A piece of a replacement: text, a group (0 is &), or a change of case (one of "ULulE")."""

    text: str = ""
    group: int = -1
    case: str = ""


# --------------------------------------------------------------------------- the work of commands


class Substitution(Record):
    """``s``: pattern, replacement and flags."""

    pattern: Pattern
    parts: tuple[Part, ...]
    is_global: bool = False
    number: int = 1
    prints: bool = False
    file: str | None = None


class Language(Record):
    """What a script means, in addition to its text.

    Attributes:
        posix: GNU's extensions are disabled.
        bytewise: The C locale: every byte is a character.
    """

    posix: bool
    bytewise: bool

    __hash__ = tuple.__hash__
    __eq__ = tuple.__eq__


class Transliteration(Record):
    """``y``: characters and their replacements, in the same order."""

    source: str
    target: str


class Block(Record):
    """``{``: when it is not selected, continue at ``target``, the index of the command after "}"."""

    target: int = -1


class Jump(Record):
    """``b``, or ``t`` and ``T``, which jump depending on the success of s commands.

    Attributes:
        when: None for always.
        target: Index of the command to continue with, -1 before labels are resolved.
    """

    label: str
    when: Literal["replaced", "not replaced"] | None = None
    target: int = -1


class Append(Record):
    """``a``: write a text after the cycle."""

    text: str


class Insert(Record):
    """``i``: write a text."""

    text: str


class Change(Record):
    """``c``: write a text instead of the lines."""

    text: str


class Quit(Record):
    """``q``, or ``Q`` which does not print."""

    status: int
    prints: bool


class Listing(Record):
    """``l``: lines of ``width`` columns, -1 for the width of the options."""

    width: int


class ReadFile(Record):
    """``r``: write a file after the cycle."""

    name: str


class ReadLine(Record):
    """``R``: write the next line of a file after the cycle."""

    name: str


class WriteFile(Record):
    """``w``."""

    name: str


class WriteFirstLine(Record):
    """``W``."""

    name: str


class Plain(Record):
    """A command without arguments."""

    letter: str


Work: TypeAlias = (
    Substitution
    | Transliteration
    | Block
    | Jump
    | Append
    | Insert
    | Change
    | Quit
    | Listing
    | ReadFile
    | ReadLine
    | WriteFile
    | WriteFirstLine
    | Plain
)


class Command(Record):
    """One command: the addresses of its lines, and its work."""

    first: Address | None
    second: Address | None
    negated: bool
    work: Work


class Program(Record):
    """A parsed script.

    Attributes:
        silent: The script begins with "#n".
        files: Names that w, W and s///w write to.
        end: The position of its end, for errors at run time.
    """

    commands: tuple[Command, ...]
    silent: bool
    files: tuple[str, ...]
    end: str

"""What a worker is asked, and how that is encoded."""

from __future__ import annotations

from typing import TypedDict, final

from sandhook.worker import frames


class Request:
    """One program to run.

    Attributes:
        flags: Of ``frames``.
        indent: Spaces a level, with SPACED.
        step: With GATHER, how many values one turn of the program takes; 0 means all.
        program: The wrapped program, as ``server`` describes it.
        variables: JSON text that is passed to the program, with GATHER.
        data: JSON texts, or lines with LINES.
        probe: With HALTS, the program in which ``halt`` is libjq's own.
    """

    __slots__ = ("data", "flags", "indent", "probe", "program", "step", "variables")

    def __init__(
        self,
        program: bytes,
        data: bytes,
        *,
        flags: int = 0,
        indent: int = 2,
        step: int = 1,
        variables: bytes = b"",
        probe: bytes = b"",
    ) -> None:
        self.flags = flags
        self.indent = indent
        self.step = step
        self.program = program
        self.variables = variables
        self.data = data
        self.probe = probe

    def encode(self, seconds: float) -> bytes:
        """Return the frame; the worker ends itself ``seconds`` from when it has read it."""
        head = frames.REQUEST.pack(
            self.flags,
            self.indent,
            self.step,
            seconds,
            len(self.program),
            len(self.variables),
            len(self.data),
            len(self.probe),
        )
        return b"".join((head, self.program, self.variables, self.data, self.probe))


class NativeRequest:
    """One call for ``jq/native.py`` or ``sqlite/session.py``; ``header`` is JSON, see the headers below."""

    __slots__ = ("data", "header")

    def __init__(self, header: bytes, data: bytes) -> None:
        self.header = header
        self.data = data

    def encode(self, seconds: float) -> bytes:
        """Return the frame; the worker ends itself ``seconds`` from when it has read it."""
        head = frames.NATIVE.pack(seconds, len(self.header), len(self.data))
        return b"".join((head, self.header, self.data))


@final
class GrammarHeader(TypedDict):
    """A question to ``jq/native.py``: which of these texts has a wrong grammar? The answer is BROKEN."""

    grammar: list[tuple[str, str]]  #: name of the file and text: the program, then modules


@final
class JqHeader(TypedDict):
    """The header of a call of jq for ``jq/native.py``; texts have U+FFFD for bytes that are not UTF-8."""

    program: str
    before: str  #: definitions of modules, which the program follows on the same line
    check: bool  #: compile only
    reads: bool  #: the program reads inputs itself
    bind: list[str]  #: variables that the first line binds
    asked: list[str]  #: functions to redefine: now, input_filename, input_line_number
    env: dict[str, str]  #: the environment, if the program may read it
    definitions: list[tuple[str, str, str, str]]  #: option, name, text, file of the text
    positional: list[tuple[bool, str]]  #: whether it is JSON, text
    files: list[tuple[str, int, str]]  #: name, bytes, message for a file that cannot be read
    zone: str | None  #: value for TZ; None if the program does not ask
    skew: float  #: seconds to add to the worker's clock
    null_input: bool
    slurp: bool
    raw_input: bool
    parse: int  #: flags of ``jv_parser_new``
    layout: int  #: flags of ``jv_dump_string``
    raw: bool
    ascii: bool
    join: bool
    nul: bool
    seq: bool
    colours: str | None  #: JQ_COLORS, "" for the default; None if no colours were asked for


@final
class SqliteHeader(TypedDict):
    """The header of a call of sqlite3; the data is the database file. Texts have surrogates for stray bytes."""

    name: str  #: path of the database; "" for one in memory
    first: list[str]  #: scripts of -init and -cmd
    commands: list[str]  #: arguments that are statements or dot-commands
    script: str | None  #: standard input, if there are no commands
    files: dict[str, str | None]  #: text of each file that a script may name; None if it cannot be read
    mode: str  #: output mode; "" for the default
    headers: bool | None  #: print names of columns; None for the mode's default
    null: str | None  #: text for NULL
    column: str | None  #: separator of columns
    row: str | None  #: separator of rows
    bail: bool
    echo: bool
    readonly: bool
    max_bytes: int  #: bytes that the database may take

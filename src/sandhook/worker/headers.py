"""The JSON headers of requests, which the host writes and a worker reads.

Imported only for types: creating these classes costs half a millisecond.
"""

from __future__ import annotations

from typing import TypedDict, final


@final
class GrammarHeader(TypedDict):
    """The header of a request that asks ``jq/native.py`` which of these texts has a syntax error; the answer is BROKEN."""

    grammar: list[tuple[str, str]]  #: name of the file and text: the program, then modules


@final
class JqHeader(TypedDict):
    """The header of a call of jq for ``jq/native.py``; texts have U+FFFD for bytes that are not UTF-8."""

    program: str
    before: str  #: definitions of modules, which the program follows on the same line
    check: bool  #: compile only
    reads: bool  #: the program reads inputs itself
    bind: list[str]  #: variables that the first line binds
    host_functions: list[str]  #: to redefine: now, input, inputs, input_filename, input_line_number
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
    colour: bool
    colours: str  #: JQ_COLORS, "" for the default


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

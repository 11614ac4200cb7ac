"""Reading a script's text: a whole file, or standard input a command at a time."""

from __future__ import annotations

from collections.abc import Iterable

from sandhook.errors import ShellSyntaxError
from sandhook.kernel.descriptor import CHUNK, Description
from sandhook.lazy import lazily
from sandhook.state.state import Interpreter, State
from sandhook.vfs.path import join

#: The note for ``Result.notes`` about a script, after its name.
CRLF = "lines end in CRLF, which bash rejects; the carriage returns are ignored"

#: Bytes that are no UTF-8, as `surrogateescape` decodes them.
_UNDECODED = lazily("[\udc80-\udcff]")

#: The maximum number of notes of one run.
_NOTES = 100

#: Bytes at the beginning of a file that show whether it is a program.
_HEAD = 128


def read_script(state: State, path: str) -> str:
    """Return the text of a file, also of /dev/stdin and similar files. Raises OSError."""
    description = state.process.open(path)
    try:
        return read_text(state, description)
    finally:
        description.release()


def has_crlf(text: str) -> bool:
    """Return True if a line of a script ends in CRLF; the bytes that an archive appends to its script are no lines."""
    end = text.find("\r\n")
    return end >= 0 and _UNDECODED.search(text, 0, end) is None


def note(state: State, texts: Iterable[str]) -> None:
    """Add to the notes of the run what is new among these."""
    kernel = state.process.kernel
    for text in texts:
        if len(kernel.notes) < _NOTES and text not in kernel.notes:
            kernel.notes = (*kernel.notes, text)


def is_binary(state: State, path: str) -> bool:
    """Return True if a regular file is not a script: ELF, or a NUL in its first line."""
    process = state.process
    try:
        if process.kernel.fs.stat(join(process.cwd, path)).mode & 0o170000 != 0o100000:
            return False
        description = process.open(path)
        try:
            data = description.read(_HEAD)
        finally:
            description.release()
    except OSError:
        return False
    return data[:4] == b"\x7fELF" or b"\0" in data.partition(b"\n")[0]


def read_text(state: State, description: Description) -> str:
    """Return the rest of a description as script text, without NULs."""
    pieces: list[bytes] = []
    size = 0
    while data := description.read(CHUNK):
        size += len(data)
        if size > state.budget.limits.script_bytes:
            state.budget.fail("script_bytes")
        pieces.append(data)
    return b"".join(pieces).replace(b"\0", b"").decode("utf-8", "surrogateescape")


def read_line(state: State, description: Description) -> bytes:
    """Return the next line, b"" at the end; a line that is too long for a script is cut."""
    state.budget.charge(1)
    try:
        return description.read_until(b"\n", int(state.budget.limits.script_bytes) + 1)
    except OSError:  # for example, a directory
        return b""


def end_of_unit(runtime: Interpreter, state: State, text: str, *, at_end_of_input: bool) -> int:
    """Return the end of the line that completes the first command (0-based), 0 when more is needed."""
    from sandhook.syntax.parser import Parser

    state.budget.charge(1 + (len(text) >> 8))
    parser = Parser(text, "", runtime.parse_options(state))
    try:
        unit = parser.next_unit()
    except ShellSyntaxError as error:
        return 0 if error.incomplete else len(text)
    end = parser.offset if unit is not None else len(text)
    if end < len(text) and text[end - 1 : end] != "\n":
        end = text.find("\n", end) + 1 or len(text)
    if not at_end_of_input and end == len(text) and (parser.warnings or _continues(text)):
        return 0
    return end


def _continues(text: str) -> bool:
    """Return True if the last line ends in an unquoted backslash."""
    line = text.removesuffix("\n")
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1

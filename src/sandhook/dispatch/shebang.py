"""Splits a "#!" line into interpreter and argument, as Linux does.

Source: Linux 6.1, execve(2), "Interpreter scripts"; the tests compare with the kernel that runs them.
"""

from __future__ import annotations

import errno

from sandhook.lazy import cache_short
from sandhook.record import Record

#: Bytes of a file that the kernel reads. A longer line is cut without an error, if the cut is in the argument.
HEAD = 256

BOM = b"\xef\xbb\xbf"

#: Bytes to read of a file, which may begin with a byte order mark.
READ = HEAD + len(BOM)

_BLANK = b" \t"


class Shebang(Record):
    """A "#!" line.

    Attributes:
        interpreter: Its path, as written.
        argument: The text after the interpreter, with its inner blanks, as one argument; None without such text.
        notes: Errors that were tolerated; Linux would not run such a file.
    """

    interpreter: str
    argument: str | None
    notes: tuple[str, ...] = ()


class ShebangError(Exception):
    """A "#!" line that names no interpreter.

    Attributes:
        errno: The error of execve: ENOEXEC, or EACCES for a name that is empty because a NUL ends it.
    """

    def __init__(self, message: str, code: int = errno.ENOEXEC) -> None:
        super().__init__(message)
        self.errno = code


@cache_short(64)
def read_shebang(head: bytes, *, crlf: bool = True) -> Shebang | None:
    """Parse the first line of a file; return None when it is not a "#!" line.

    Args:
        head: The first READ bytes of the file; fewer when the file is shorter.
        crlf: The line may end in CRLF; for Linux the carriage return belongs to the last word.

    Raises:
        ShebangError: The line names no interpreter, or the interpreter's name does not end within HEAD bytes.
    """
    notes = []
    if head.startswith(BOM + b"#!"):
        head = head[len(BOM) :]
        notes.append("a byte order mark stands before '#!'; it was skipped")
    if not head.startswith(b"#!"):
        return None
    head = head[:HEAD]
    buffer = head.ljust(HEAD, b"\0")
    end = buffer.find(b"\n")
    if end >= 0 and b"\0" not in buffer[:end]:
        line = _without_return(buffer[2:end], notes, crlf).rstrip(_BLANK)
    else:
        line = _without_newline(buffer, len(head), notes, crlf)
    text = line.lstrip(_BLANK).partition(b"\0")[0]  # the kernel ends the string at a NUL, as C does
    name, argument = _cut(text)
    if not name:
        raise ShebangError("empty shebang", errno.EACCES if text != line.lstrip(_BLANK) else errno.ENOEXEC)
    return Shebang(_text(name), None if argument is None else _text(argument), tuple(notes))


def is_binary(data: bytes) -> bool:
    """Return True for a program that is no script: a NUL is among its first bytes."""
    return b"\0" in data[:READ]


def program_of(head: bytes) -> str | None:
    """Return the base name of the program in a "#!" line, also after env and its options; None without a program.

    For messages and checks, which start nothing. ``plan`` follows a line as the system does.

    Args:
        head: The first READ bytes of the file.
    """
    try:
        line = read_shebang(head)
    except ShebangError:
        return None
    if line is None:
        return None
    name = line.interpreter.rpartition("/")[2]
    if name != "env":
        return name
    words = (line.argument or "").removeprefix("-S").split()
    program = next((word for word in words if word[:1] != "-" and "=" not in word), "")
    return program.rpartition("/")[2] or None


def _without_newline(buffer: bytes, length: int, notes: list[str], crlf: bool) -> bytes:
    """Return the line of a buffer without a newline; the kernel runs it when the name is complete."""
    name = buffer[2:].lstrip(_BLANK)
    if not name:
        raise ShebangError("empty shebang")
    if not any(byte in name for byte in (b" ", b"\t", b"\0")):
        raise ShebangError(f"the '#!' line is too long: the interpreter does not end within {HEAD} bytes")
    line = buffer[2 : HEAD - 1].rstrip(_BLANK)  # the last byte becomes the NUL at the end
    if length < HEAD and b"\0" not in buffer[:length]:  # the file ends in its first line
        return _without_return(line.rstrip(b"\0"), notes, crlf)
    return line


def _without_return(line: bytes, notes: list[str], crlf: bool) -> bytes:
    if not (crlf and line.endswith(b"\r")):
        return line
    notes.append("the '#!' line ends in a carriage return, which was dropped")
    return line[:-1]


def _cut(text: bytes) -> tuple[bytes, bytes | None]:
    """Return the name, and the text after the blanks that follow it: "" for blanks at the end, as in the kernel."""
    for index, byte in enumerate(text):
        if byte in _BLANK:
            return text[:index], text[index:].lstrip(_BLANK)
    return text, None


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")

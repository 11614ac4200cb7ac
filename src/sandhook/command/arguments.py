"""Reads the arguments of xargs: delimited arguments, words with quotes, whole lines.

Source: POSIX.1-2024 XCU 3, xargs, "extended description".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.command.context import Failure, Reader
from sandhook.command.pieces import split_words
from sandhook.lazy import lazily

#: Prints a warning.
PrintWarning = Callable[[str], None]

_ESCAPES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92}
_NUMBERS = {"x": (16, "0123456789abcdefABCDEF", "ff"), "0": (8, "01234567", "377")}
_NAMES = {b"'": "single", b'"': "double"}
_LOOK = 4_096  #: bytes of a line between two charges
_SPECIAL = lazily(rb"['\"\\\0\v\f\r]")
_NUL_WARNING = (
    "WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you"
    " mean to use the --null option?"
)


def read_delimiter(text: str) -> bytes:
    """Return the delimiter of -d: a character, or an escape like \\n, \\0 or \\x2c."""
    data = text.encode("utf-8", "surrogateescape")
    if len(data) == 1:
        return data
    if text[:1] != "\\":
        raise Failure(
            f"Invalid input delimiter specification {text}: the delimiter must be either a single character "
            "or an escape sequence starting with \\."
        )
    if text[1] in _ESCAPES:
        return bytes([_ESCAPES[text[1]]])
    if text[1] != "x" and not text[1].isdigit():
        raise Failure(f"Invalid escape sequence {text} in input delimiter specification.")
    base, allowed, most = _NUMBERS.get(text[1], _NUMBERS["0"])
    digits = text[2 if base == 16 else 1 :]
    number = digits[: len(digits) - len(digits.lstrip(allowed))]
    prefix = f"Invalid escape sequence {text} in input delimiter specification; "
    value = int(number[-16:] or "0", base) if len(number.lstrip("0")) < 16 else 256
    if value > 255:
        raise Failure(f"{prefix}character values must not exceed {most}.")
    if len(number) < len(digits):
        raise Failure(f"{prefix}trailing characters {digits[len(number) :]} not recognised.")
    return bytes([value])


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def read_delimited(reader: Reader, delimiter: bytes) -> Iterator[str]:
    """Yield arguments that end with a delimiter; nothing in them is special."""
    for data in reader.lines(delimiter):
        yield _text(data.removesuffix(delimiter).partition(b"\0")[0])


def words(reader: Reader, eof: str | None, warning: PrintWarning) -> Iterator[str]:
    """Yield the words of all lines; quotes protect blanks, a backslash the next character.

    The word ``eof`` ends the input.
    """
    for line in _lines(reader, warning):
        for word in _words(line, reader):
            if word == eof:
                return
            yield word


def logical_lines(reader: Reader, eof: str | None, warning: PrintWarning) -> Iterator[list[str]]:
    """Yield the words of each line that has some; a trailing blank joins the next line."""
    pending: list[str] = []
    for line in _lines(reader, warning):
        before = len(pending)
        for word in _words(line, reader):
            if word == eof:
                if pending:
                    yield pending
                return
            pending.append(word)
        if len(pending) == before or line.rstrip(b"\n")[-1:] in (b" ", b"\t"):
            continue  # lines without words do not count
        if pending:
            yield pending
            pending = []
    if pending:
        yield pending


def whole_lines(reader: Reader, eof: str | None, warning: PrintWarning) -> Iterator[str]:
    """Yield each line as one argument, without leading blanks, for -I; empty lines are skipped."""
    for line in _lines(reader, warning):
        text = b"".join(_pieces(line.lstrip(b" \t\n\v\f\r").removesuffix(b"\n"), reader))
        if eof is not None and _text(text) == eof:
            return
        if text or (
            line[-1:] == b"\n" and line.strip(b" \t\n\v\f\r")
        ):  # quotes around nothing are an argument
            yield _text(text)


def _lines(reader: Reader, warning: PrintWarning) -> Iterator[bytes]:
    """Yield lines; a backslash at the end continues a line. Warns at the first NUL."""
    pending: list[bytes] = []
    warned = False
    for line in reader.lines():
        if not warned and b"\0" in line:
            warned = True
            warning(_NUL_WARNING)
        pending.append(line)
        if line[-2:] == b"\\\n" and (len(line) - 1 - len(line[:-1].rstrip(b"\\"))) % 2:
            continue
        yield b"".join(pending)
        pending.clear()
    if pending:
        yield b"".join(pending)


def _pieces(line: bytes, reader: Reader) -> Iterator[bytes]:
    """Yield the pieces of a line without its quotes and backslashes."""
    if not _SPECIAL.search(line):
        yield line
        return
    index = 0
    look = _LOOK
    while index < len(line):
        if index >= look:
            reader.charge(_LOOK >> 3)
            look = index + _LOOK
        byte = line[index : index + 1]
        if byte in _NAMES:
            yield _read_quoted(line, index)
            index = line.index(byte, index + 1)
        elif byte == b"\\":
            index += 1
            yield line[index : index + 1]
        else:
            yield byte
        index += 1


def _read_quoted(line: bytes, start: int) -> bytes:
    quote = line[start : start + 1]
    end = line.find(quote, start + 1)
    if end < 0 or b"\n" in line[start:end]:
        raise Failure(
            f"unmatched {_NAMES[quote]} quote; by default quotes are special to xargs unless you use the -0 option"
        )
    return line[start + 1 : end]


def _words(line: bytes, reader: Reader) -> Iterator[str]:
    if not _SPECIAL.search(line):
        for part in split_words(line, reader.charge):
            yield from map(_text, part)
        return
    word: list[bytes] | None = None
    index = 0
    look = _LOOK
    while index < len(line):
        if index >= look:
            reader.charge(_LOOK >> 3)
            look = index + _LOOK
        byte = line[index : index + 1]
        if byte in b" \t\n":
            if word is not None:
                yield _text(b"".join(word).partition(b"\0")[0])
                word = None
            index += 1
            continue
        word = [] if word is None else word
        if byte in _NAMES:
            quoted = _read_quoted(line, index)
            word.append(quoted)
            index += len(quoted) + 2
        elif byte == b"\\":
            word.append(line[index + 1 : index + 2])
            index += 2
        else:
            word.append(byte)
            index += 1
    if word:
        word_bytes = b"".join(word)
        if word_bytes:  # what is empty and ends the input without a newline is no argument
            yield _text(word_bytes.partition(b"\0")[0])

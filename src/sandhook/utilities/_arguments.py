"""How xargs reads arguments: delimited ones, words with quotes, whole lines.

Source: POSIX.1-2024 XCU 3, xargs, "extended description".
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.utilities._base import Failure, Reader

_ESCAPES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11, "\\": 92, "0": 0}
_NAMES = {b"'": "single", b'"': "double"}


def read_delimiter(text: str) -> bytes:
    """Return the byte that -d means: a character, or an escape like \\n, \\0 or \\x2c."""
    data = text.encode("utf-8", "surrogateescape")
    if len(data) == 1:
        return data
    if text[:1] == "\\" and len(text) > 1:
        if text[1:] in _ESCAPES:
            return bytes([_ESCAPES[text[1:]]])
        base, digits = (16, text[2:]) if text[1] == "x" else (8, text[1:])
        allowed = "0123456789abcdefABCDEF" if base == 16 else "01234567"
        if (
            digits
            and len(digits) < 4
            and all(digit in allowed for digit in digits)
            and int(digits, base) < 256
        ):
            return bytes([int(digits, base)])
        raise Failure(f"Invalid escape sequence {text} in input delimiter specification.")
    raise Failure(
        f"Invalid input delimiter specification {text}: the delimiter must be either a single character "
        "or an escape sequence starting with \\."
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def delimited(reader: Reader, delimiter: bytes) -> Iterator[str]:
    """Yield arguments that end with a delimiter; nothing in them is special."""
    for data in reader.lines(delimiter):
        yield _text(data.removesuffix(delimiter))


def logical_lines(reader: Reader, eof: str | None) -> Iterator[list[str]]:
    """Yield the words of each line that has some; a trailing blank joins the next line.

    Quotes protect blanks, a backslash the next character; an argument that is ``eof`` ends it all.
    """
    pending: list[str] = []
    for line in _lines(reader):
        words = _words(line)
        if eof is not None and eof in words:
            pending += words[: words.index(eof)]
            break
        pending += words
        if line.rstrip(b"\n")[-1:] in (b" ", b"\t") and words:
            continue
        if pending:
            yield pending
            pending = []
    if pending:
        yield pending


def whole_lines(reader: Reader, eof: str | None) -> Iterator[str]:
    """Yield each line as one argument, without leading blanks, for -I; empty lines are skipped."""
    for line in _lines(reader):
        text = b"".join(_pieces(line.lstrip(b" \t\n\v\f\r").removesuffix(b"\n")))
        if eof is not None and _text(text) == eof:
            return
        if text:
            yield _text(text)


def _lines(reader: Reader) -> Iterator[bytes]:
    """Yield lines; one that ends in a backslash goes on behind its newline."""
    pending = b""
    for line in reader.lines():
        pending += line
        if line[-2:] == b"\\\n" and (len(pending) - 1 - len(pending[:-1].rstrip(b"\\"))) % 2:
            continue
        yield pending
        pending = b""
    if pending:
        yield pending


def _pieces(line: bytes) -> Iterator[bytes]:
    """Yield what is left of a line when quotes and backslashes have done their work."""
    index = 0
    while index < len(line):
        byte = line[index : index + 1]
        if byte in _NAMES:
            yield _quoted(line, index)
            index = line.index(byte, index + 1)
        elif byte == b"\\":
            index += 1
            yield line[index : index + 1]
        else:
            yield byte
        index += 1


def _quoted(line: bytes, start: int) -> bytes:
    quote = line[start : start + 1]
    end = line.find(quote, start + 1)
    if end < 0 or b"\n" in line[start:end]:
        raise Failure(
            f"unmatched {_NAMES[quote]} quote; by default quotes are special to xargs unless you use the -0 option"
        )
    return line[start + 1 : end]


def _words(line: bytes) -> list[str]:
    words: list[str] = []
    word: list[bytes] | None = None
    index = 0
    while index < len(line):
        byte = line[index : index + 1]
        if byte in b" \t\n\v\f\r":
            if word is not None:
                words.append(_text(b"".join(word)))
                word = None
            index += 1
            continue
        word = [] if word is None else word
        if byte in _NAMES:
            inside = _quoted(line, index)
            word.append(inside)
            index += len(inside) + 2
        elif byte == b"\\":
            word.append(line[index + 1 : index + 2])
            index += 2
        else:
            word.append(byte)
            index += 1
    if word is not None:
        words.append(_text(b"".join(word)))
    return words

"""Here-documents: registered when their delimiter is read, read when the line ends.

Source: POSIX.1-2024 XCU 2.7.4; bash 5.2 reference manual 3.6.6.
"""

from __future__ import annotations

from sandhook.syntax.context import Context
from sandhook.syntax.nodes import (
    AnsiQuoted,
    DoubleQuoted,
    Escaped,
    ExtendedPattern,
    HereDocument,
    Literal,
    SingleQuoted,
    Word,
)
from sandhook.syntax.reader import ReadWarning
from sandhook.syntax.words import WordReader


def delimiter(word: Word, raw: str) -> tuple[str, bool]:
    """Return the delimiter after quote removal, and whether any of it was quoted.

    Expansions in it mean themselves: ``<<$x`` ends at a line "$x".
    """
    text: list[str] = []
    quoted = False
    for part in word.parts:
        if isinstance(part, Literal):
            text.append(part.text)
        elif isinstance(part, (Escaped, SingleQuoted, AnsiQuoted)):
            text.append(part.text)
            quoted = True
        elif isinstance(part, DoubleQuoted):
            quoted = True
            for inner in part.parts:
                if isinstance(inner, (Literal, Escaped)):
                    text.append(inner.text)
                elif not isinstance(inner, (SingleQuoted, AnsiQuoted, DoubleQuoted, ExtendedPattern)):
                    text.append(raw[inner.span[0] - word.span[0] : inner.span[1] - word.span[0]])
        elif isinstance(part, ExtendedPattern):
            return raw, quoted
        else:
            text.append(raw[part.span[0] - word.span[0] : part.span[1] - word.span[0]])
    return "".join(text), quoted


def read_documents(reader: WordReader, context: Context) -> None:
    """Read the bodies of the context's pending here-documents, which begin at ``position``."""
    pending, context.pending = context.pending, []
    for document in pending:
        token = document.token
        wanted, quoted = delimiter(token.value, token.text)
        if document.strip_tabs:
            wanted = wanted.lstrip("\t")
        line = reader.line_at(reader.position)
        text = _read_body(reader, wanted, quoted, document.strip_tabs)
        token.document = HereDocument(wanted, quoted, text, document.strip_tabs, line)


def _read_body(reader: WordReader, wanted: str, quoted: bool, strip_tabs: bool) -> str:
    text, length, at = reader.text, reader.length, reader.position
    first = reader.line_at(at) - 1
    strip_returns = reader.carriage_returns and text[at - 2 : at] == "\r\n"
    lines: list[str] = []
    while at < length:
        reader.count_piece()
        end = text.find("\n", at)
        line = text[at:end]
        if strip_returns and line.endswith("\r"):
            line = line[:-1]
        if not quoted and line.endswith("\\"):
            end, line = _join_continued(reader, end, line, strip_returns)
        if strip_tabs:
            line = line.lstrip("\t")
        if line == wanted:
            reader.position = end + 1
            return "".join(lines)
        if reader.substitutions and line.startswith(wanted) and ")" in line[len(wanted) :]:
            reader.position = end - (len(line) - len(wanted))
            _warn(reader, wanted, first, reader.line_at(reader.position))
            return "".join(lines)
        lines.append(line + "\n")
        at = end + 1
    reader.position = length
    _warn(reader, wanted, first, reader.line_at(length) - 1)
    return "".join(lines)


def _join_continued(reader: WordReader, end: int, line: str, strip_returns: bool) -> tuple[int, str]:
    """Join the lines of an unquoted body that end in an unescaped backslash.

    A backslash that ends the script is ordinary, as in a word.
    """
    text = reader.text
    pieces = []
    while (len(line) - len(line.rstrip("\\"))) % 2:
        if end + 1 >= reader.length:
            line = line + "\\" if reader.newline_added else line[:-1]
            break
        reader.count_piece()
        pieces.append(line[:-1])
        at = end + 1
        end = text.find("\n", at)
        line = text[at:end]
        if strip_returns and line.endswith("\r"):
            line = line[:-1]
    return end, "".join([*pieces, line])


def _warn(reader: WordReader, wanted: str, first: int, last: int) -> None:
    """Warn of a missing delimiter; ``first`` is the line before the body, ``last`` the last line read."""
    text = f"delimited by end-of-file (wanted `{wanted}')"
    reader.warnings.append(ReadWarning(last, text, first))

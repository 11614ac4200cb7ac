"""Here-documents: found when their delimiter is read, read when the line ends.

Source: POSIX.1-2024 XCU 2.7.4; bash 5.2 reference manual 3.6.6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from sandhook.syntax.tokens import Token

if TYPE_CHECKING:
    from sandhook.syntax.lexer import Lexer


class PendingDocument:
    """A here-document whose body is not read yet; ``token`` is its delimiter's."""

    __slots__ = ("strip_tabs", "token")

    def __init__(self, token: Token, strip_tabs: bool) -> None:
        self.token = token
        self.strip_tabs = strip_tabs


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


def read_documents(lexer: Lexer) -> None:
    """Read the bodies of all pending here-documents, which begin at ``position``."""
    pending, lexer.pending = lexer.pending, []
    for document in pending:
        token = document.token
        wanted, quoted = delimiter(token.value, token.text)
        if document.strip_tabs:
            wanted = wanted.lstrip("\t")
        line = lexer.line_at(lexer.position)
        text = _read_body(lexer, wanted, quoted, document.strip_tabs)
        token.document = HereDocument(wanted, quoted, text, document.strip_tabs, line)


def _read_body(lexer: Lexer, wanted: str, quoted: bool, strip_tabs: bool) -> str:
    text, length, at = lexer.text, lexer.length, lexer.position
    first = lexer.line_at(at) - 1
    strip_returns = lexer.carriage_returns and text[at - 2 : at] == "\r\n"
    lines: list[str] = []
    while at < length:
        end = text.find("\n", at)
        line = text[at:end]
        if strip_returns and line.endswith("\r"):
            line = line[:-1]
        if not quoted and line.endswith("\\"):
            end, line = _join_continued(lexer, end, line, strip_returns)
        if strip_tabs:
            line = line.lstrip("\t")
        if line == wanted:
            lexer.position = end + 1
            return "".join(lines)
        if lexer.substitutions and line.startswith(wanted) and ")" in line[len(wanted) :]:
            lexer.position = end - (len(line) - len(wanted))
            _warn(lexer, wanted, first, lexer.line_at(lexer.position))
            return "".join(lines)
        lines.append(line + "\n")
        at = end + 1
    lexer.position = length
    _warn(lexer, wanted, first, lexer.line_at(length) - 1)
    return "".join(lines)


def _join_continued(lexer: Lexer, end: int, line: str, strip_returns: bool) -> tuple[int, str]:
    """Join the lines of an unquoted body that end in an unescaped backslash."""
    text = lexer.text
    pieces = []
    while (len(line) - len(line.rstrip("\\"))) % 2 and end + 1 < lexer.length:
        pieces.append(line[:-1])
        at = end + 1
        end = text.find("\n", at)
        line = text[at:end]
        if strip_returns and line.endswith("\r"):
            line = line[:-1]
    return end, "".join([*pieces, line])


def _warn(lexer: Lexer, wanted: str, first: int, last: int) -> None:
    """Note a missing delimiter; ``first`` is the line before the body, ``last`` the last one read."""
    lexer.warnings.append(
        (last, f"here-document at line {first} delimited by end-of-file (wanted `{wanted}')")
    )

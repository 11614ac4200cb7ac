"""What bash writes where a token stands that the grammar does not allow.

Source: bash 5.2 parse.y, report_syntax_error.
"""

from __future__ import annotations

from sandhook.errors import ErrorPlace
from sandhook.syntax._bashlex import OPERATORS
from sandhook.syntax.tokens import END, Token
from sandhook.syntax.words import WordReader
from sandhook.text.quoting import ansi_c, needs_ansi_c
from sandhook.typed import NoReturn


def unexpected(reader: WordReader, token: Token, where: ErrorPlace = "") -> NoReturn:
    """Raise ShellSyntaxError for a token that the grammar does not allow here.

    Args:
        reader: The text that the token was read from.
        token: The token.
        where: The construct that the token is within, for ``ShellSyntaxError.where``.
    """
    where = where or ("substitution" if reader.substitutions else "")
    span = (token.start, token.end)
    if token.kind == END:
        if reader.substitutions:
            reader.fail("unexpected EOF while looking for matching `)'", span, incomplete=True)
        reader.fail("syntax error: unexpected end of file", span, incomplete=True)
    line = reader.line_at(max(token.start, token.end - 1))
    if token.kind == "REDIR_WORD":
        text = reader.text[token.start : token.end + 1]
        reader.fail(f"syntax error near `{text}'", span, token=text, line=line, where=where)
    text = token.text
    if token.kind in ("WORD", "ASSIGNMENT_WORD"):
        from sandhook.syntax.unparse import unparse  # loaded for messages only: bash prints the word anew

        text = unparse(token.value)
    if needs_ansi_c(text):
        text = ansi_c(text)
    message = f"syntax error near unexpected token `{text}'"
    reader.fail(message, span, token=text, line=line, where=where, repeats="line")


def unexpected_operator(reader: WordReader, at: int, where: ErrorPlace) -> NoReturn:
    """Raise ShellSyntaxError for the operator at ``at``, where only words are allowed."""
    text = reader.text
    size = next(size for size in (3, 2, 1) if text[at : at + size] in OPERATORS)
    unexpected(reader, Token("", text[at : at + size], at, at + size), where)

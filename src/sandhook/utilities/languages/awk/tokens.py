"""A cursor over the tokens of a program: lookahead, expectations, and the count of nested levels."""

from __future__ import annotations

from typing import NoReturn

from sandhook.command.pieces import Charge, free
from sandhook.utilities.languages.awk.lexer import Dialect, ProgramError, Token, tokenize
from sandhook.utilities.languages.awk.warnings import Found

NESTING = 100  #: levels of braces and prefix operators; a parenthesis counts as two


class Tokens:
    """Reads the tokens of one program in order.

    Attributes:
        current: The token at the cursor; the last one has the kind "end".
        at: Index of ``current``.
        depth: Levels of nesting at the cursor.
        warnings: What gawk reports about the strings and regular expressions.
    """

    def __init__(self, text: str, dialect: Dialect, charge: Charge = free) -> None:
        self.warnings: list[Found] = []
        self._tokens = tokenize(text, dialect, charge, self.warnings)
        self._charge = charge
        self.depth = 0
        self.rewind(0)

    @property
    def kind(self) -> str:
        """The kind of the current token."""
        return self.current.kind

    @property
    def at_line_end(self) -> bool:
        """True at the end of a line that another one follows."""
        return self.current.kind == "newline" and self._tokens[self.at + 1].kind != "end"

    @property
    def following(self) -> str:
        """The kind of the token after the current one. Must not be read at the end."""
        return self._tokens[self.at + 1].kind

    @property
    def previous(self) -> Token:
        """The token before the current one."""
        return self._tokens[self.at - 1]

    def token_before(self, count: int) -> Token:
        """Return the token that is ``count`` tokens before the current one."""
        return self._tokens[self.at - count]

    def advance(self) -> Token:
        """Return the current token and move to the next one."""
        token = self.current
        self._charge(4)
        if self.at + 1 < len(self._tokens):
            self.rewind(self.at + 1)
        return token

    def rewind(self, at: int) -> None:
        """Move the cursor to an index. Raises ProgramError for text that is no token."""
        self.at = at
        self.current = self._tokens[at]
        if self.current.kind == "invalid":
            self.fail(self.current.value)

    def accept(self, kind: str) -> bool:
        """Move past a token of this kind; return False when the current one is another."""
        if self.current.kind == kind:
            self.advance()
            return True
        return False

    def expect(self, kind: str) -> Token:
        """Return the current token, which must be of this kind. Raises ProgramError."""
        if self.current.kind != kind:
            self.fail_unexpected()
        return self.advance()

    def skip_newlines(self) -> None:
        """Move past newlines."""
        while self.current.kind == "newline":
            self.advance()

    def skip_terminators(self) -> None:
        """Move past newlines and semicolons."""
        while self.current.kind in ("newline", ";"):
            self.advance()

    def enter(self) -> None:
        """Count one more level of nesting. Raises ProgramError for more than ``NESTING``."""
        self.depth += 1
        if self.depth > NESTING:
            self.fail_nesting()

    def leave(self) -> None:
        """Leave one level of nesting."""
        self.depth -= 1

    def fail_nesting(self) -> NoReturn:
        """Raise the error for too many levels."""
        self.fail(f"program nests deeper than {NESTING} levels")

    def fail_unexpected(self) -> NoReturn:
        """Raise the error for a token that the grammar does not allow."""
        kind = self.current.kind
        message = "unexpected newline or end of string" if kind in ("newline", "end") else "syntax error"
        self.fail(message)

    def fail(self, message: str, token: Token | None = None) -> NoReturn:
        """Raise ProgramError at a token, by default the current one."""
        token = token or self.current
        raise ProgramError(message, token.line, token.at)

"""Reads the tokens of an item of bc, and collects its code."""

from __future__ import annotations

from collections.abc import Callable

from sandhook.utilities.extras.bc.instructions import Code, Instruction
from sandhook.utilities.extras.bc.lexer import Lexer

_MAX_NESTING = 50


class BcSyntaxError(Exception):
    """A syntax error; the message is GNU's."""

    def __init__(self, message: str = "syntax error") -> None:
        super().__init__(message)


class Assembler:
    """Reads tokens, and collects the instructions of one item.

    Attributes:
        code: The instructions so far.
    """

    def __init__(self, lexer: Lexer, charge: Callable[[int], None]) -> None:
        self.lexer = lexer
        self.code: Code = []
        self._charge = charge
        self._depth = 0

    def begin(self) -> None:
        """Begin another item."""
        self.code = []
        self._depth = 0

    # ------------------------------------------------------------------ tokens

    def next_is(self, *texts: str) -> bool:
        """Return True when the next token is one of these operators or keywords."""
        kind, text = self.lexer.peek()
        return kind in ("op", "word") and text in texts

    def accept(self, *texts: str) -> str:
        """Return the next token and move past it when it is one of these; else return ""."""
        return self.lexer.next()[1] if self.next_is(*texts) else ""

    def expect(self, text: str) -> None:
        """Move past an operator or keyword. Raises BcSyntaxError when the next token is another."""
        if not self.accept(text):
            raise BcSyntaxError

    def skip_newlines(self) -> None:
        """Move past newlines."""
        while self.lexer.peek()[0] == "newline":
            self.lexer.next()

    def enter(self) -> None:
        """Count one more level of nesting. Raises BcSyntaxError for too many."""
        self._charge(1)
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise BcSyntaxError("nesting too deep")

    def leave(self) -> None:
        """Count one level of nesting less."""
        self._depth -= 1

    # ------------------------------------------------------------------ code

    @property
    def next_index(self) -> int:
        """The index of the next instruction."""
        return len(self.code)

    def emit(self, instruction: Instruction) -> int:
        """Append an instruction; return its index."""
        self._charge(1)
        self.code.append(instruction)
        return len(self.code) - 1

    def patch(self, at: int, target: int | None = None) -> None:
        """Set the target of a jump, by default the next instruction."""
        self.code[at] = self.code[at]._replace(target=self.next_index if target is None else target)

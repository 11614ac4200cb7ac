"""Tokens, whose kinds are the terminals of the grammar."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.syntax.nodes import HereDocument, Word
from sandhook.typed import Any

END = "EOF"


class Token:
    """One token.

    Attributes:
        kind: Its name in the grammar: ``WORD``, ``IF``, ``AND_AND``, ``EOF``, ...
        text: Its source text, for operators and reserved words their spelling.
        start, end: Offsets in the reader's text, 0-based, end exclusive.
        value: A WORD's Word or Assignment, a NUMBER's int, an ARITH_CMD's Word, an
            ARITH_FOR_EXPRS' three Words, a COND_CMD's Condition.
        document: The here-document of a WORD that is its delimiter, once it was read.
        arguments: The words after a WORD that names a command, as far as they were read with it.
    """

    __slots__ = ("arguments", "document", "end", "kind", "start", "text", "value")

    def __init__(self, kind: str, text: str, start: int, end: int, value: Any = None) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end
        self.value = value
        self.document: HereDocument | None = None
        self.arguments: Sequence[Word] = ()

    def __repr__(self) -> str:
        return f"Token({self.kind}, {self.text!r}, {self.start}, {self.end})"

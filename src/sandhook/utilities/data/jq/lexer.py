"""The tokens of a jq program, in enough detail to determine which names it uses.

Source: jq 1.8, lexer.l and parser.y (the grammar of the manual). A name in a string, in
a comment or after a dot does not count as a use; inside ``\\( )`` of a string it does.
"""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.limits import check_clock

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(")]}")

#: The mark on the stack for the parenthesis that ends an interpolation.
_INTERPOLATION = "\\)"

#: Keywords, which are plain names where the parser expects a key: ``{if: 1}``, ``{if}``, ``.if``, ``.[]?.if``.
KEYWORDS = frozenset(
    {
        "def", "if", "then", "elif", "else", "end", "as", "reduce", "foreach", "try", "catch",
        "label", "import", "include", "module", "and", "or", "__loc__",
    }
)  # fmt: skip
_OPERATORS = ("?//=", "?//", "//=", "|=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "//", "..")
_SPACE = frozenset(" \t\r\n")
_NAME_START = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NAME = _NAME_START | frozenset("0123456789")
_DIGITS = frozenset("0123456789")
_DIGITS_AND_POINT = frozenset("0123456789.")


class UnbalancedError(Exception):
    """A bracket or a string is not closed, or closed twice; libjq's message has the position."""


class Token:
    """One token.

    Attributes:
        kind: "name" (also keywords and ``a::b``), "variable" (``$x``), "field" (``.x``),
            "format" (``@x``), "number", "string" (a string, or its part after the last
            interpolation), "open" and "close" of an interpolation, else "" (brackets, operators).
        text: As written, without the sign of a variable, field or format.
        start, end: Offsets in the program, 0-based, end exclusive.
    """

    __slots__ = ("end", "kind", "start", "text")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        self.kind = kind
        self.text = text
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Token({self.kind!r}, {self.text!r})"


def tokenize(program: str) -> list[Token]:
    """Return the tokens of a program. Raises UnbalancedError for brackets that do not match."""
    tokens: list[Token] = []
    for token in _Lexer(program).tokens():
        tokens.append(token)
        if not len(tokens) & 511:
            check_clock()
    return tokens


class _Lexer:
    """One pass over a program; nesting uses a list, not recursion."""

    def __init__(self, program: str) -> None:
        self._text = program
        self._at = 0
        self._closers: list[str] = []

    def tokens(self) -> Iterator[Token]:
        text = self._text
        while self._at < len(text):
            start = self._at
            character = text[start]
            if character in _SPACE:
                self._at += 1
            elif character == "#":
                self._comment()
            elif character == '"':
                self._at += 1
                yield self._string(start)
            elif character == "$":
                yield self._variable()
            elif character == "@":
                self._at += 1
                self._name()
                yield Token("format", text[start + 1 : self._at], start, self._at)
            elif character in _NAME_START:
                self._name()
                yield Token("name", text[start : self._at], start, self._at)
            elif character == "." and text[start + 1 : start + 2] in _NAME_START:
                self._at += 1
                self._name()
                yield Token("field", text[start + 1 : self._at], start, self._at)
            elif character in _DIGITS or (character == "." and text[start + 1 : start + 2] in _DIGITS):
                self._number()
                yield Token("number", text[start : self._at], start, self._at)
            elif character == ")" and self._closers and self._closers[-1] == _INTERPOLATION:
                self._closers.pop()
                self._at += 1
                yield Token("close", ")", start, self._at)
                yield self._string(self._at)
            else:
                yield self._operator()
        if self._closers:
            raise UnbalancedError

    def _comment(self) -> None:
        """Skip a comment; an odd number of backslashes before its newline continues it."""
        text = self._text
        while self._at < len(text) and text[self._at] != "\n":
            if text[self._at] == "\\":
                self._at += 3 if text.startswith("\r\n", self._at + 1) else 2
            else:
                self._at += 1

    def _variable(self) -> Token:
        """Read ``$name``; white space and comments may follow the sign."""
        text = self._text
        start = self._at
        self._at += 1
        while self._at < len(text):
            if text[self._at] in _SPACE:
                self._at += 1
            elif text[self._at] == "#":
                self._comment()
            else:
                break
        name = self._at
        self._name()
        return Token("variable", text[name : self._at], start, self._at)

    def _name(self) -> None:
        """Skip a name; ``a::b`` is one name."""
        text = self._text
        while self._at < len(text):
            if text[self._at] in _NAME:
                self._at += 1
            elif text.startswith("::", self._at) and text[self._at + 2 : self._at + 3] in _NAME_START:
                self._at += 2
            else:
                return

    def _number(self) -> None:
        text = self._text
        while text[self._at : self._at + 1] in _DIGITS_AND_POINT:
            self._at += 1
        if text[self._at : self._at + 1] in ("e", "E"):
            at = self._at + 1
            if text[at : at + 1] in ("+", "-"):
                at += 1
            if text[at : at + 1] in _DIGITS:
                while text[at : at + 1] in _DIGITS:
                    at += 1
                self._at = at

    def _operator(self) -> Token:
        text = self._text
        start = self._at
        for operator in _OPERATORS:
            if text.startswith(operator, start):
                self._at += len(operator)
                return Token("", operator, start, self._at)
        character = text[start]
        self._at += 1
        if character in OPENING:
            self._closers.append(OPENING[character])
        elif character in CLOSING and (not self._closers or self._closers.pop() != character):
            raise UnbalancedError
        return Token("", character, start, self._at)

    def _string(self, start: int) -> Token:
        """Read a string up to its end or its next interpolation."""
        text = self._text
        begin = self._at
        while self._at < len(text):
            character = text[self._at]
            if character == '"':
                self._at += 1
                return Token("string", text[begin : self._at - 1], start, self._at)
            if character != "\\":
                self._at += 1
                continue
            self._at += 2
            if text[self._at - 1 : self._at] == "(":
                self._closers.append(_INTERPOLATION)
                return Token("open", text[begin : self._at - 2], start, self._at)
        raise UnbalancedError


def keys(tokens: list[Token]) -> frozenset[int]:
    """Return the offsets of the names that are keys of an object or of a pattern: ``{a: 1, b}``."""
    offsets: set[int] = set()
    depth: list[str] = []
    key_expected = False
    for token in tokens:
        if token.kind == "name" and key_expected and depth[-1] == "{":
            offsets.add(token.start)
        key_expected = False
        if token.text in OPENING and token.kind in ("", "open"):
            depth.append(token.text)
            key_expected = token.text == "{"
        elif token.kind == "open":
            depth.append("(")
        elif token.kind == "close" or (token.kind == "" and token.text in CLOSING):
            depth.pop()
        elif token.kind == "" and token.text == "," and depth:
            key_expected = depth[-1] == "{"
    return frozenset(offsets)


def definitions(tokens: list[Token]) -> frozenset[str]:
    """Return the names that a program defines itself, parameters included."""
    names: set[str] = set()
    in_heading = False
    for previous, token in zip([Token("", "", 0, 0), *tokens], tokens):
        if previous.kind == "name" and previous.text == "def":
            in_heading = True
        if in_heading and token.kind == "name":
            names.add(token.text)
        elif in_heading and token.kind == "" and token.text == ":":
            in_heading = False
    return frozenset(names)

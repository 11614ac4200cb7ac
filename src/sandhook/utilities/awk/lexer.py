"""The tokens of an awk program.

Source: POSIX.1-2024 XCU 3, awk, "lexical conventions"; gawk 5.2 manual for its additional escapes.
"""

from __future__ import annotations

import re

from sandhook.record import Record

KEYWORDS = frozenset(
    [
        "BEGIN",
        "END",
        "BEGINFILE",
        "ENDFILE",
        "function",
        "func",
        "if",
        "else",
        "while",
        "for",
        "do",
        "break",
        "continue",
        "next",
        "nextfile",
        "exit",
        "return",
        "delete",
        "in",
        "getline",
        "print",
        "printf",
        "switch",
        "case",
        "default",
    ]
)
BUILTINS = frozenset(
    [
        "length",
        "substr",
        "index",
        "split",
        "sub",
        "gsub",
        "gensub",
        "match",
        "tolower",
        "toupper",
        "sprintf",
        "sin",
        "cos",
        "atan2",
        "exp",
        "log",
        "sqrt",
        "int",
        "rand",
        "srand",
        "strftime",
        "systime",
        "mktime",
        "asort",
        "asorti",
        "and",
        "or",
        "xor",
        "lshift",
        "rshift",
        "compl",
        "strtonum",
        "isarray",
        "typeof",
        "close",
        "fflush",
        "system",
        "patsplit",
        "mkbool",
    ]
)
#: What gawk has and this awk refuses by name.
REFUSED = frozenset(["bindtextdomain", "dcgettext", "dcngettext"])
_DIRECTIVES = frozenset(("include", "load", "namespace"))
REFUSED_VARIABLES = frozenset(("SYMTAB", "FUNCTAB"))

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_BLANK = re.compile(r"(?:[ \t\r]|\\\r?\n|#[^\n]*)+")
_OPERATORS = (
    "**=", "^=", "**", "+=", "-=", "*=", "/=", "%=", "==", "<=", ">=", "!=", "!~", "++", "--", "&&", "||", ">>",
    "|&", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|", "?", ":",
    "~", "$", "=",
)  # fmt: skip
_CANONICAL = {"**": "^", "**=": "^="}
#: A "/" behind one of these divides; anywhere else it begins a regular expression.
_OPERANDS = frozenset(("number", "string", "ere", "regexp", "name", "builtin", ")", "]", "++", "--", "$"))
_SIMPLE = {
    "n": "\n",
    "t": "\t",
    "\\": "\\",
    '"': '"',
    "/": "/",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "r": "\r",
    "v": "\v",
}


class ProgramError(Exception):
    """A program that cannot be used; ``line`` is 1-based, ``at`` an offset in the text."""

    def __init__(self, message: str, line: int, at: int) -> None:
        super().__init__(message)
        self.line = line
        self.at = at


class Token(Record):
    """``kind`` is "number", "string", "ere", "regexp" (``@/re/``), "name", "call" (a name right before "("),
    "indirect" (one behind "@"), "builtin", "newline", "end", or the keyword or operator itself."""

    kind: str
    value: str
    line: int
    at: int


def tokenize(text: str) -> list[Token]:
    """Take a program apart. Raises ProgramError."""
    tokens: list[Token] = []
    at, line, size = 0, 1, len(text)
    previous = ""
    while True:
        blank = _BLANK.match(text, at)
        if blank:
            line += text.count("\n", at, blank.end())
            at = blank.end()
        if at >= size:
            break
        char = text[at]
        start = at
        if char == "\n":
            kind, value, at = "newline", "\n", at + 1
        elif char == '"':
            value, at = _string(text, at + 1, line)
            kind = "string"
        elif char == "/" and previous not in _OPERANDS:
            value, at = _regex(text, at + 1, line)
            kind = "ere"
        elif found := _NAME.match(text, at):
            value, at = found[0], found.end()
            kind = _word(value, text, at, line, start)
        elif found := _NUMBER.match(text, at):
            kind, value, at = "number", found[0], found.end()
        elif char == "@":
            if text.startswith("@/", at):
                value, at = _regex(text, at + 2, line)
                kind = "regexp"
            elif (word := _NAME.match(text, at + 1)) and text[word.end() : word.end() + 1] == "(":
                kind, value, at = "indirect", word[0], word.end()
            elif word and word[0] in _DIRECTIVES:
                raise ProgramError(f"@{word[0]} is not supported (L-AWK-002)", line, at)
            else:
                raise ProgramError("syntax error", line, at)
        else:
            kind = next((known for known in _OPERATORS if text.startswith(known, at)), "")
            if not kind:
                raise ProgramError(f"syntax error: invalid char '{char}' in expression", line, at)
            at += len(kind)
            value = kind = _CANONICAL.get(kind, kind)
        tokens.append(Token(kind, value, line, start))
        previous = kind
        line += text.count("\n", start, at)
    tokens.append(Token("newline", "\n", line, size))
    tokens.append(Token("end", "", line, size))
    return tokens


def _word(value: str, text: str, at: int, line: int, start: int) -> str:
    if value in KEYWORDS:
        return "function" if value == "func" else value
    if value in BUILTINS:
        return "builtin"
    if value in REFUSED or value in REFUSED_VARIABLES:
        raise ProgramError(f"{value} is not supported (L-AWK-002)", line, start)
    return "call" if text[at : at + 1] == "(" else "name"


def _string(text: str, at: int, line: int) -> tuple[str, int]:
    end = at
    while end < len(text) and text[end] != '"':
        if text[end] == "\n":
            break
        end += 2 if text[end] == "\\" else 1
    if end >= len(text) or text[end] != '"':
        raise ProgramError("unterminated string", line, at - 1)
    return unescape(text[at:end]), end + 1


def _regex(text: str, at: int, line: int) -> tuple[str, int]:
    """Read up to the closing slash; one in brackets does not close."""
    end = at
    bracket = False
    while end < len(text) and text[end] != "\n":
        char = text[end]
        if char == "\\":
            end += 2
            continue
        if bracket:
            if text.startswith("[:", end) and (close := text.find(":]", end)) > 0:
                end = close + 1
            elif char == "]":
                bracket = False
        elif char == "[":
            bracket = True
            end += text.startswith("^", end + 1)
            end += text.startswith("]", end + 1)
        elif char == "/":
            return text[at:end], end + 1
        end += 1
    raise ProgramError("unterminated regexp", line, at)


_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(\n)|(.)|$)", re.DOTALL)


def unescape(text: str) -> str:
    """Replace the escapes of a string; an unknown one stands for its letter."""
    if "\\" not in text:
        return text

    def replace(found: re.Match[str]) -> str:
        digits, octal, newline, letter = found.groups()
        if digits or octal:
            number = int(digits, 16) if digits else int(octal, 8) & 0xFF
            return bytes([number]).decode("utf-8", "surrogateescape")
        if newline:
            return ""
        if letter is None:
            return "\\"
        return _SIMPLE.get(letter, letter)

    joined = _ESCAPE.sub(replace, text)
    if joined.isascii():
        return joined
    return joined.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")

"""The tokens of an awk program.

Source: POSIX.1-2024 XCU 3, awk, "lexical conventions"; gawk 5.2 manual for its additional escapes.
"""

from __future__ import annotations

from sandhook.command.pieces import Charge, free
from sandhook.lazy import lazily
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.languages.awk.values import Misplaced
from sandhook.utilities.languages.awk.warnings import Found, unknown_escapes

if TYPE_CHECKING:
    import re

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
#: Functions that only gawk has.
_GAWK_FUNCTIONS = frozenset(
    [
        "gensub",
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
        "patsplit",
        "mkbool",
    ]
)
BUILTINS = _GAWK_FUNCTIONS | frozenset(
    [
        "length",
        "substr",
        "index",
        "split",
        "sub",
        "gsub",
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
        "close",
        "fflush",
        "system",
        "inplace::begin",
        "inplace::end",
    ]
)
#: Functions, keywords and variables that only gawk has.
_EXTENSIONS = _GAWK_FUNCTIONS | frozenset(
    [
        "BEGINFILE",
        "ENDFILE",
        "func",
        "switch",
        "case",
        "default",
        "bindtextdomain",
        "dcgettext",
        "dcngettext",
        "IGNORECASE",
        "FPAT",
        "FIELDWIDTHS",
        "RT",
        "PROCINFO",
        "ERRNO",
        "SYMTAB",
        "FUNCTAB",
        "ARGIND",
    ]
)
#: Functions of gawk that are not supported (L-AWK-002).
UNSUPPORTED = frozenset(["bindtextdomain", "dcgettext", "dcngettext"])

_NAME = lazily(r"[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)?")
VARIABLE = _NAME  #: what -v and operands may assign to
_NAMESPACE = lazily(r'[ \t]*"([^"\n]*)"(?:[ \t]*;)?')
_NUMBER = lazily(r"0[xX][0-9A-Fa-f]+|(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]+)?")
_DECIMAL = lazily(r"(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][-+]?[0-9]+)?")
_BLANK = lazily(r"(?>[ \t\r]++|\\\r?\n|#[^\n]*)++")
_OPERATORS = (
    "**=", "^=", "**", "+=", "-=", "*=", "/=", "%=", "==", "<=", ">=", "!=", "!~", "++", "--", "&&", "||", ">>",
    "|&", "{", "}", "(", ")", "[", "]", ";", ",", "+", "-", "*", "/", "%", "^", "!", ">", "<", "|", "?", ":",
    "~", "$", "=",
)  # fmt: skip
_CANONICAL = {"**": "^", "**=": "^="}
#: A "/" after one of these divides; elsewhere it begins a regular expression.
_OPERANDS = frozenset(("number", "string", "ere", "regexp", "name", "builtin", ")", "]", "++", "--"))
#: The errors of characters that begin no token, where they are not "invalid char".
_INVALID = {".": "syntax error", "&": "syntax error", "\\": "backslash not last character on line"}
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
    """A syntax error; ``line`` is 1-based, ``at`` is an offset in the text, ``misplaced`` is that of Fatal."""

    misplaced: tuple[Misplaced, ...] = ()

    def __init__(self, message: str, line: int, at: int) -> None:
        super().__init__(message)
        self.line = line
        self.at = at


class Token(Record):
    """``kind`` is "number", "string", "ere", "regexp" (``@/re/``), "name", "call" (a name right before "("),
    "indirect" (a name after "@"), "builtin", "newline", "end", or the keyword or operator itself.
    "invalid" is text that is no token; its value is the error, which is reported when the parser gets there."""

    kind: str
    value: str
    line: int
    at: int


class Dialect(Record):
    """The version of the language.

    Attributes:
        extensions: gawk's keywords, functions and numbers are enabled (not with ``-c``).
        posix: ``**`` and ``\\x41`` are disabled too (``-P``).
        bytewise: Characters are bytes, as in the C locale; the program's text consists of such characters.
    """

    extensions: bool
    posix: bool
    bytewise: bool = False


GAWK = Dialect(True, False)


def tokenize(
    text: str, dialect: Dialect = GAWK, charge: Charge = free, warnings: list[Found] | None = None
) -> list[Token]:
    """Return the tokens of a program, up to the first text that is no token; add to ``warnings`` what gawk reports."""
    return _Lexer(text, dialect, [] if warnings is None else warnings).tokens(charge)


class _Lexer:
    """Divides one program into tokens; it is used once."""

    def __init__(self, text: str, dialect: Dialect, warnings: list[Found]) -> None:
        self.text = text
        self.warnings = warnings
        self.dialect = dialect
        self.namespace = ""
        self.line = 1
        self.braces = 0

    def tokens(self, charge: Charge) -> list[Token]:
        text, size = self.text, len(self.text)
        tokens: list[Token] = []
        at, previous = 0, ""
        while True:
            blank = _BLANK.match(text, at)
            if blank:
                self.line += text.count("\n", at, blank.end())
                at = blank.end()
            if at >= size:
                break
            start = at
            charge(2)
            try:
                kind, value, at = self._token(at, previous)
            except ProgramError as error:
                tokens.append(Token("invalid", str(error), error.line, error.at))
                break
            if kind:
                tokens.append(Token(kind, value, self.line, start))
                previous = kind
            self.line += text.count("\n", start, at)
        tokens.append(Token("newline", "\n", self.line, size))
        tokens.append(Token("end", "", self.line, size))
        return tokens

    def _token(self, at: int, previous: str) -> tuple[str, str, int]:
        """Return the kind, the value and the end of a token; the kind is "" for a directive."""
        text, line = self.text, self.line
        char = text[at]
        if char == "\n":
            return "newline", "\n", at + 1
        if char == '"':
            value, end = _string(text, at + 1, line, self.dialect)
            self._warn("string", at, end)
            return "string", value, end
        if char == "/" and previous not in _OPERANDS:
            value, end = _regex(text, at + 1, line)
            self._warn("expression", at, end)
            return "ere", value, end
        if word := _NAME.match(text, at):
            return self._word(word[0], at, word.end())
        if number := (_NUMBER if self.dialect.extensions else _DECIMAL).match(text, at):
            return "number", number[0], number.end()
        if char == "@" and self.dialect.extensions:
            return self._extension(at)
        kind = next((operator for operator in _OPERATORS if text.startswith(operator, at)), "")
        if not kind:
            message = _INVALID.get(char) or f"invalid char '{char}' in expression"
            raise ProgramError(message, line, at)
        if (kind[:2] == "**" and self.dialect.posix) or (kind == "|&" and not self.dialect.extensions):
            raise ProgramError("syntax error", line, at + 1)
        self.braces += (kind == "{") - (kind == "}")
        operator = _CANONICAL.get(kind, kind)
        return operator, operator, at + len(kind)

    def _warn(self, kind: str, at: int, end: int) -> None:
        if "\\" in (source := self.text[at + 1 : end - 1]):
            self.warnings += unknown_escapes(kind, source, self.line, at)

    def _extension(self, at: int) -> tuple[str, str, int]:
        """Return a token that begins with "@": ``@/re/``, an indirect call, or a directive."""
        text = self.text
        if text.startswith("@/", at):
            value, end = _regex(text, at + 2, self.line)
            self._warn("expression", at, end)
            return "regexp", value, end
        word = _NAME.match(text, at + 1)
        if word is None:
            raise ProgramError("syntax error", self.line, at)
        if text[word.end() : word.end() + 1] == "(":
            return "indirect", self._qualify(word[0], at + 1), word.end()
        if word[0] == "namespace" and not self.braces and (directive := _NAMESPACE.match(text, word.end())):
            self._enter(directive[1], at)
            return "", "", directive.end()
        if word[0] == "load":
            raise ProgramError("@load is not supported (L-AWK-002)", self.line, at)
        raise ProgramError("syntax error", self.line, at + 1)

    def _enter(self, name: str, at: int) -> None:
        if not _NAME.fullmatch(name) or "::" in name:
            raise ProgramError(f"namespace name `{name}' must meet identifier naming rules", self.line, at)
        if name in KEYWORDS or name in BUILTINS:
            raise ProgramError(
                f"using reserved identifier `{name}' as a namespace is not allowed", self.line, at
            )
        self.namespace = "" if name == "awk" else name

    def _word(self, word: str, at: int, end: int) -> tuple[str, str, int]:
        if self.dialect.extensions or word not in _EXTENSIONS:
            if word in KEYWORDS:
                return ("function" if word == "func" else word), word, end
            if word in BUILTINS:
                return "builtin", word, end
            if word in UNSUPPORTED:
                raise ProgramError(f"{word} is not supported (L-AWK-002)", self.line, at)
        if self.text[end : end + 1] != "(":
            return "name", self._qualify(word, at), end
        return "call", self._qualify(word, at) if self.dialect.extensions else word, end

    def _qualify(self, word: str, at: int) -> str:
        """Return a name with its namespace, except ``awk::``."""
        if not self.dialect.extensions:
            return f"_::{word}" if word in _EXTENSIONS else word
        space, colons, name = word.partition("::")
        if not colons:
            is_global = not self.namespace or (word.isalpha() and word.isupper())
            return word if is_global else f"{self.namespace}::{word}"
        if name in KEYWORDS or name in BUILTINS:
            raise ProgramError(
                f"using reserved identifier `{name}' as second component of a qualified name is not allowed",
                self.line,
                at,
            )
        return name if space == "awk" else word


def _string(text: str, at: int, line: int, dialect: Dialect) -> tuple[str, int]:
    end = at
    while end < len(text) and text[end] != '"':
        if text[end] == "\n":
            break
        end += 2 if text[end] == "\\" else 1
    if end >= len(text) or text[end] != '"':
        raise ProgramError("unterminated string", line, at - 1)
    inner = text[at:end]
    inner = inner.replace("\\x", "x") if dialect.posix else inner
    return unescape(inner, dialect.bytewise), end + 1


def _regex(text: str, at: int, line: int) -> tuple[str, int]:
    """Return the text up to the closing slash, and the offset after it. A slash in brackets does not close."""
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


_ESCAPE = lazily(r"(?s)\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(\n)|(.)|$)")


def unescape(text: str, bytewise: bool = False) -> str:
    """Replace the escapes of a string; an unknown escape means its letter."""
    if "\\" not in text:
        return text

    def replace(match: re.Match[str]) -> str:
        digits, octal, newline, letter = match.groups()
        if digits or octal:
            number = int(digits, 16) if digits else int(octal, 8) & 0xFF
            return bytes([number]).decode("utf-8", "surrogateescape")
        if newline:
            return ""
        if letter is None:
            return "\\"
        return _SIMPLE.get(letter, letter)

    result = _ESCAPE.sub(replace, text)
    if bytewise or result.isascii():
        return result
    return result.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")

"""The tokens of bc.

Source: POSIX.1-2024 XCU 3, bc, "Lexical Conventions"; GNU bc 1.07.1 manual.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_TOKEN = re.compile(
    r"(?P<blank>(?>[ \t\f\r\v]++|\\\n)++)"
    r"|(?P<comment>\#[^\n]*)"
    r"|(?P<newline>\n)"
    r"|(?P<number>(?>[0-9A-Z]++(?>\\\n)?+)++(?:\.(?>(?:\\\n)?[0-9A-Z]++)*+)?|\.(?>(?:\\\n)?[0-9A-Z]++)++)"
    r"|(?P<name>[a-z][a-z0-9_]*)"
    r"|(?P<op>\|\||&&|<=|>=|==|!=|\+\+|--|[-+*/%^]=|[-+*/%^=<>!(){}\[\],;.])",
)
_KEYWORDS = frozenset(
    [
        "auto",
        "break",
        "continue",
        "define",
        "else",
        "for",
        "halt",
        "history",
        "ibase",
        "if",
        "last",
        "length",
        "limits",
        "obase",
        "print",
        "quit",
        "random",
        "read",
        "return",
        "scale",
        "sqrt",
        "void",
        "warranty",
        "while",
    ]
)


class Lexer:
    """Divides the lines of an input into tokens, one line at a time.

    Args:
        report: Prints a message about a character.

    Attributes:
        line: 1-based number of the current line.
    """

    def __init__(
        self, lines: Iterator[str], error: Callable[[str], None], charge: Callable[[int], None]
    ) -> None:
        self._lines = lines
        self._charge = charge
        self.line = 1
        self._text = ""
        self._at = 0
        self._pushed_back: list[tuple[str, str]] = []
        self._error = error

    def raw_line(self) -> str:
        """Return the rest of the current line, or the next line: the input of read()."""
        text = self._text[self._at :] or next(self._lines, "")
        self._text, self._at = "", 0
        return text

    def peek(self) -> tuple[str, str]:
        """Return the kind and the text of the next token."""
        if not self._pushed_back:
            self._pushed_back.append(self._scan())
        return self._pushed_back[-1]

    def next(self) -> tuple[str, str]:
        """Return the next token, and move past it."""
        token = self.peek()
        self._pushed_back.pop()
        return token

    def push_back(self, token: tuple[str, str]) -> None:
        """Make a token the next one again."""
        self._pushed_back.append(token)

    def skip_line(self) -> None:
        """Drop tokens up to the end of the line."""
        while self.peek()[0] not in ("newline", "end"):
            self.next()
        if self.peek()[0] == "newline":
            self.next()

    def _read_line(self) -> bool:
        line = next(self._lines, "")
        self._text = self._text[self._at :] + line
        self._at = 0
        return bool(line)

    def _scan(self) -> tuple[str, str]:
        while True:
            self._charge(4)
            if self._at >= len(self._text) and not self._read_line():
                return "end", ""
            while self._text.endswith("\\\n") and self._read_line():
                pass
            rest = self._text[self._at : self._at + 2]
            if rest[:1] == '"':
                return "string", self._read_delimited(1, '"')
            if rest == "/*":
                self._read_delimited(2, "*/")
                continue
            match = _TOKEN.match(self._text, self._at)
            if match is None:
                self._at += 1
                self._error(f"illegal character: {rest[:1]}")
                continue
            self._at = match.end()
            kind = match.lastgroup or ""
            if kind in ("blank", "comment"):
                self.line += match[0].count("\n")
                continue
            if kind == "newline":
                self.line += 1
            text = match[0]
            if kind == "number":
                self.line += text.count("\n")
                text = text.replace("\\\n", "")
            if kind == "name" and text in _KEYWORDS:
                kind = "word"
            return kind, text

    def _read_delimited(self, skip: int, end: str) -> str:
        """Return the text up to ``end``, which may be on a later line."""
        start = skip
        while (stop := self._text.find(end, self._at + start)) < 0:
            length = len(self._text) - self._at
            if not self._read_line():
                stop = len(self._text)
                break
            start = max(skip, length - 1)
        text = self._text[self._at + skip : stop]
        self._at = min(stop + len(end), len(self._text))
        self.line += text.count("\n")
        return text

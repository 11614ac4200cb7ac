"""Parses the elements of text such as ``(a "b c" [3]=d)`` in ``declare -a "x=$text"``.

Such text may come from data, so nothing in it is expanded (L-INJ-001): it is split at blanks and
its quotes are removed. Compound values in the source of the script are parsed by ``syntax``.
"""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.limits import PIECE, check_clock, check_fits, timed_items
from sandhook.state.assigned import Element, Elements
from sandhook.syntax.quoting import decode_ansi

_BLANKS = " \t\n"
_BLANK_RUN = lazily(r"[ \t\n]+")
_PLAIN_RUN = lazily(r"[^ \t\n\]\\'\"$`;|&<>()]+")
_OPERATORS = ";|&<>()"
_CLOSING = {"(": ")", "{": "}"}
_PLAIN_QUOTED_RUN = lazily(r"[^\"\\]+")

#: Bytes that an element takes, and a piece of text.
_ELEMENT_BYTES = 160
_PIECE_BYTES = 64


class ElementsError(Exception):
    """The text is no list of words.

    Attributes:
        token: The operator that is none of its words, or the character that closes what is open at its end.
        unclosed: The latter.
    """

    def __init__(self, token: str, unclosed: bool) -> None:
        super().__init__(token)
        self.token, self.unclosed = token, unclosed


def read_elements(text: str) -> Elements:
    """Return the elements of ``text``, which begins with "(" and ends with ")". Raises ElementsError."""
    return _ElementParser(text[1:-1]).elements()


class _ElementParser:
    """Parses words from left to right. Substitutions are text of their word."""

    __slots__ = ("_at", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def elements(self) -> Elements:
        parsed: Elements = []
        while self._skip_blanks():
            parsed.append(self._element())
            if not len(parsed) & 511:
                check_clock()
                check_fits(len(parsed) * _ELEMENT_BYTES)
        return parsed

    def _look(self, pieces: list[str]) -> None:
        """Look at the clock and the memory when a word has many pieces. Raises LimitExceeded."""
        if len(pieces) & 1023 == 1023:
            check_clock()
            check_fits(len(pieces) * _PIECE_BYTES)

    def _skip_blanks(self) -> bool:
        """Skip blanks and comments; return True when a word follows."""
        text = self._text
        while self._at < len(text):
            if text[self._at] == "#":
                end = text.find("\n", self._at)
                self._at = len(text) if end < 0 else end
            elif (blanks := _BLANK_RUN.match(text, self._at)) is not None:
                self._at = blanks.end()
            else:
                return True
        return False

    def _element(self) -> Element:
        start = self._at
        if self._text[start] == "[":
            self._at += 1
            subscript = self._unquoted("]")
            rest = self._text[self._at : self._at + 3]
            for operator in ("]=", "]+="):
                if rest.startswith(operator):
                    self._at += len(operator)
                    return Element(subscript, operator == "]+=", self._unquoted(_BLANKS))
            self._at = start
        return Element(None, False, self._unquoted(_BLANKS))

    def _unquoted(self, ends: str) -> str:
        """Read up to one of the unquoted characters ``ends`` and remove quotes."""
        text = self._text
        pieces: list[str] = []
        while self._at < len(text):
            letter = text[self._at]
            if letter in ends:
                break
            if (plain := _PLAIN_RUN.match(text, self._at)) is not None:
                pieces.append(plain[0])
                self._at = plain.end()
                continue
            self._look(pieces)
            self._at += 1
            if letter == "\\":
                pieces.append(
                    text[self._at : self._at + 1].replace("\n", "") if self._at < len(text) else letter
                )
                self._at += 1
            elif letter == "'":
                pieces.append(self._until("'"))
            elif letter == '"':
                pieces.append(self._double_quoted())
            elif letter == "$" and text[self._at : self._at + 1] == "'":
                self._at += 1
                pieces.append(self._ansi())
            elif letter == "`":
                pieces.append(f"`{self._until('`')}`")
            elif (text.startswith("(", self._at) and letter in "$<>") or (
                text.startswith("{", self._at) and letter == "$"
            ):
                pieces.append(letter + self._bracketed())
            elif letter in _OPERATORS and ends == _BLANKS:
                raise ElementsError(letter, False)
            else:
                pieces.append(letter)
        return "".join(pieces)

    def _bracketed(self) -> str:
        """Read the brackets of a substitution, with those inside of it."""
        start, depth = self._at, 0
        opening = self._text[start]
        closing = _CLOSING[opening]
        for at, letter in enumerate(timed_items(self._text[start:]), start):
            depth += (letter == opening) - (letter == closing)
            if not depth:
                self._at = at + 1
                return self._text[start : self._at]
        raise ElementsError(closing, True)

    def _until(self, quote: str) -> str:
        end = self._text.find(quote, self._at)
        if end < 0:
            raise ElementsError(quote, True)
        text = self._text[self._at : end]
        self._at = end + 1
        return text

    def _double_quoted(self) -> str:
        text = self._text
        pieces: list[str] = []
        while self._at < len(text) and text[self._at] != '"':
            letter = text[self._at]
            if letter == "\\" and text[self._at + 1 : self._at + 2] in ("$", "`", '"', "\\", "\n"):
                self._at += 1
                letter = text[self._at].replace("\n", "")
            elif (plain := _PLAIN_QUOTED_RUN.match(text, self._at)) is not None:
                pieces.append(plain[0])
                self._at = plain.end()
                continue
            self._look(pieces)
            pieces.append(letter)
            self._at += 1
        if self._at >= len(text):
            raise ElementsError('"', True)
        self._at += 1
        return "".join(pieces)

    def _ansi(self) -> str:
        text = self._text
        start = self._at
        while self._at < len(text) and text[self._at] != "'":
            if self._at - start > PIECE:
                check_clock()
            self._at += 2 if text[self._at] == "\\" else 1
        if self._at >= len(text):
            raise ElementsError("'", True)
        decoded = decode_ansi(text[start : self._at])
        self._at += 1
        return decoded

"""awk's regular expressions over text: awk's escapes, and matches counted in characters.

Source: POSIX.1-2024 XCU 3, awk, "regular expressions"; gawk 5.2 manual for \\y, \\s and similar escapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.command.pieces import PIECE
from sandhook.lazy import cache_short, lazily
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import Match, Regex, compile_regex
from sandhook.pattern.translate import Dialect
from sandhook.record import Record
from sandhook.typed import TYPE_CHECKING
from sandhook.utilities.languages.awk.values import Fatal
from sandhook.utilities.languages.awk.warnings import unknown_escapes

if TYPE_CHECKING:
    import re

_ESCAPE = lazily(r"(?s)\\(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|(.))")
_CONTROLS = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "/": "/",
    '"': '"',
    "&": "&",
}
_CHOICE = lazily(r"\[([^]\[\\^-]{1,8})\]")
_META = lazily(r"[][\\^$.*+?(){}|]")
Span = tuple[int, int]
COUNTED = 1_023  #: the number of pieces is charged when its low bits, which this masks, are all 1


def _translate(source: str) -> str:
    """Translate awk's escapes to the escapes of the expression compiler."""

    def replace(match: re.Match[str]) -> str:
        digits, octal, letter = match.groups()
        if letter is None:
            code = int(digits, 16) if digits else int(octal, 8) & 0xFF
            char = bytes([code]).decode("utf-8", "surrogateescape")
            return "\\" + char if _META.match(char) else char
        if letter == "y":
            return "\\b"
        if letter in "89":  # no digits of octal numbers, and awk has no back-references
            return letter
        return _CONTROLS.get(letter, match[0])

    text = _ESCAPE.sub(replace, source) if "\\" in source else source
    return _newlines(text) if "\n" in text else text


_BRACKET = lazily(r"(?s)\\.|\[\^?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]|\n")


def _newlines(text: str) -> str:
    """Put newlines into brackets: elsewhere a newline means "|", as in grep."""
    return _BRACKET.sub(lambda match: "[\n]" if match[0] == "\n" else match[0], text)


_DIALECT = Dialect(extended=True, lenient=True, ordinary=True, bracket_escapes=True)
_BYTE_DIALECT = _DIALECT._replace(bytewise=True)


class Matching(Record):
    """How expressions match.

    Attributes:
        icase: IGNORECASE is set.
        bytewise: Characters are bytes: texts have a lone surrogate for each byte outside ASCII.
    """

    icase: bool = False
    bytewise: bool = False

    __hash__ = tuple.__hash__
    __eq__ = tuple.__eq__


CHARACTERS = Matching()


class Invalid(Fatal):
    """An expression that does not compile. In a constant it is an error of the program.

    Attributes:
        reason: The error and the expression.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"invalid regexp: {reason}")
        self.reason = reason


class Pattern:
    """A compiled expression; immutable and shared.

    Attributes:
        literal: The only text that the expression matches; None when it matches others.
        choice: The characters of an expression that is a short bracket expression; None for others.
        unknown: Warnings about escapes in the expression.
        start: The text after "^" in an expression that is "^" and a literal text; None for others.
        codec: Decodes a part of the data to text.
    """

    __slots__ = ("choice", "codec", "literal", "regex", "start", "unknown")

    def __init__(self, source: str, matching: Matching) -> None:
        text = _translate(source)
        icase, bytewise = matching
        self.unknown = unknown_escapes("expression", source) if "\\" in source else []
        self.codec = "ascii" if bytewise else "utf-8"
        try:
            self.regex: Regex = compile_regex(text, _BYTE_DIALECT if bytewise else _DIALECT, icase=icase)
        except PatternError as error:
            raise Invalid(f"{error}: /{source[:200]}/") from None
        plain = text[1:] if text[:1] == "^" else text
        simple = not icase and _META.search(plain) is None
        self.literal = text if simple and text[:1] != "^" else None
        choice = _CHOICE.fullmatch(text)
        self.choice = choice[1] if choice and not icase else None
        self.start = plain if simple and text[:1] == "^" else None

    def test(self, text: str) -> bool:
        """Return True when the expression matches anywhere."""
        if self.literal is not None:
            return self.literal in text
        if self.start is not None:
            return text.startswith(self.start)
        return self.regex.selecting.search(text.encode("utf-8", "surrogateescape")) is not None

    def every(self, data: bytes) -> Iterator[Match]:
        """Yield the matches as gensub numbers them: an empty match directly after another one counts too."""
        at = 0
        while (match := self.regex.search(data, at)) is not None:
            yield match
            start, end = match.spans[0]
            at = end if end > start else self.regex.after(data, end)

    def pieces(self, text: str, count_pieces: Callable[[int], None]) -> list[str]:
        """Split at every match that is not empty; return the pieces."""
        if self.literal:
            if len(text) > PIECE:
                count_pieces(text.count(self.literal))
            return text.split(self.literal)
        if self.choice is None:
            return self.split(text, count_pieces)[0]
        first = self.choice[0]
        for other in self.choice[1:]:
            text = text.replace(other, first)
        if len(text) > PIECE:
            count_pieces(text.count(first))
        return text.split(first)

    def spans(self, text: str) -> list[Span] | None:
        """Return the spans of the first match and its groups in characters, None for no match."""
        data = text.encode("utf-8", "surrogateescape")
        match = self.regex.search(data)
        if match is None:
            return None
        if len(data) == len(text):
            return list(match.spans)
        return [
            span if span[0] < 0 else (len(self.decode(data[: span[0]])), len(self.decode(data[: span[1]])))
            for span in match.spans
        ]

    def decode(self, data: bytes) -> str:
        """Return a part of the data as text."""
        return data.decode(self.codec, "surrogateescape")

    def split(self, text: str, count_pieces: Callable[[int], None]) -> tuple[list[str], list[str]]:
        """Split at every match that is not empty; return pieces and separators."""
        data = text.encode("utf-8", "surrogateescape")
        pieces: list[bytes] = []
        separators: list[bytes] = []
        at = 0
        for match in self.regex.finditer(data):
            start, end = match.spans[0]
            if end > start:
                if len(pieces) & COUNTED == COUNTED:
                    count_pieces(2 * len(pieces))
                pieces.append(data[at:start])
                separators.append(data[start:end])
                at = end
        pieces.append(data[at:])
        return list(map(self.decode, pieces)), list(map(self.decode, separators))


@cache_short(256)
def _compile(source: str, matching: Matching) -> Pattern:
    return Pattern(source, matching)


def pattern(source: str, matching: Matching = CHARACTERS) -> Pattern:
    """Compile an expression, or return it from the cache. Raises Invalid."""
    return _compile(source, matching)


def escape(text: str) -> str:
    """Return an expression that matches ``text`` alone."""
    return _META.sub(lambda match: "\\" + match[0] if match[0] != "^" else "\\^", text)

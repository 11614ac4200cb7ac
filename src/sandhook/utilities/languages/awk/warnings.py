"""The warnings that gawk prints without ``--lint``: escapes that it does not know, and odd arguments.

Oracle: gawk 5.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sandhook.command.context import Context
from sandhook.lazy import lazily
from sandhook.record import Record

_ESCAPE = lazily(r"(?s)\\(?:(x)(?![0-9A-Fa-f])|(.))")
#: Letters after a backslash that have a meaning, or that gawk accepts silently. A slash in a string is not one.
_OF_STRINGS = frozenset('"01234567\\abfnrtvx\n\r')
_OF_EXPRESSIONS = frozenset("$'()*+-./0123456789<>?BSW[\\]^`abfnrstvwxy{|}\n\r")


class Found(Record):
    """A warning about the text of a program.

    Attributes:
        kind: "string" or "expression"; gawk warns once of each escape of either kind.
        letter: The letter of the escape, "" for a warning that is repeated.
        line: The line, 1-based.
        at: The offset of the string or expression in the program.
    """

    kind: str
    letter: str
    line: int
    at: int

    @property
    def text(self) -> str:
        """The warning."""
        if not self.letter:
            return "no hex digits in `\\x' escape sequence"
        if self.kind == "string":
            return f"escape sequence `\\{self.letter}' treated as plain `{self.letter}'"
        return f"regexp escape sequence `\\{self.letter}' is not a known regexp operator"


def unknown_escapes(kind: str, text: str, line: int = 0, at: int = 0) -> list[Found]:
    """Return a warning for each escape in the source of a string or an expression that gawk does not know."""
    known = _OF_STRINGS if kind == "string" else _OF_EXPRESSIONS
    found = []
    for match in _ESCAPE.finditer(text):
        letter = match[2] or ""
        if (letter not in known and letter >= " ") or not letter:
            found.append(Found(kind, _first_byte(letter), line, at))
    return found


def _first_byte(letter: str) -> str:
    """Return what gawk shows of a character: its first byte."""
    data = letter.encode("utf-8", "surrogateescape")[:1]
    return data.decode("utf-8", "surrogateescape")


class Warnings:
    """Prints the warnings of one run.

    Args:
        locate: Returns the place of a line in the sources, for messages.
        is_gawk: Other implementations of the language print none of them.
    """

    __slots__ = ("_ctx", "_is_gawk", "_locate", "_seen")

    def __init__(self, ctx: Context, locate: Callable[[int], str], *, is_gawk: bool) -> None:
        self._ctx = ctx
        self._locate = locate
        self._is_gawk = is_gawk
        self._seen: set[tuple[str, str]] = set()

    def print(self, text: str, line: int = 0, record: str = "") -> None:
        """Print a warning; ``record`` is the position of the record, after that of the line."""
        if not self._is_gawk:
            return
        self._ctx.flush()
        where = f"{self._locate(line)}{record}" if line else ""
        self._ctx.error(f"{where}warning: {text}")

    def print_found(self, found: Iterable[Found], line: int = 0, record: str = "") -> None:
        """Print each warning that was not printed before; without ``line``, with their own lines."""
        for each in found:
            key = each.kind, each.letter
            if key not in self._seen:
                if each.letter:
                    self._seen.add(key)
                self.print(each.text, line or each.line, record)

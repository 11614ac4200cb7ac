"""Bracket expressions of shell patterns: ``[abc]``, ``[!a-z]``, ``[[:alpha:]]``.

Source: POSIX.1-2024 XCU 2.14.1 and XBD 9.3.5; ranges go by code point, as in the C.UTF-8 locale.
Oracle: bash 5.2, also where POSIX leaves the behaviour open (an unknown class matches nothing).
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.lazy import lazily, lazy_module
from sandhook.limits import check_clock, check_fits
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import bisect
else:  # for brackets with ranges
    bisect = lazy_module("bisect")

#: A backslash in the name of a class, which bash removes.
_QUOTING = lazily(r"(?s)\\(.?)")

#: Members between two looks at the clock, and the bytes that one takes.
_MEMBERS_PER_LOOK = 512
_MEMBER_BYTES = 256

#: Bytes that are not UTF-8, as surrogateescape decodes them: one character each, in no class.
_ESCAPED = range(0xDC80, 0xDD00)

#: Unicode's own blanks, without the three that never break (glibc keeps those out).
_WIDE_BLANKS = frozenset("\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u205f\u3000")

#: Spaces that never break: punctuation in glibc.
_HARD_SPACES = frozenset("\u00a0\u2007\u202f")

CLASSES: dict[str, Callable[[str], bool]] = {
    "alpha": lambda c: c.isalpha() if c.isascii() else _is_wide_letter(c),
    "digit": lambda c: "0" <= c <= "9",
    "alnum": lambda c: c.isalnum() if c.isascii() else _is_wide_letter(c),
    "upper": lambda c: c.isupper() or c.istitle(),
    "lower": lambda c: c.islower() or c in "\u01c5\u01c8\u01cb\u01f2",
    "space": lambda c: c in " \t\n\r\v\f\u2028\u2029" or c in _WIDE_BLANKS,
    "blank": lambda c: c in " \t" or c in _WIDE_BLANKS,
    "punct": lambda c: _is_graph(c) and not (c.isalnum() if c.isascii() else _is_wide_letter(c)),
    "print": lambda c: _is_graph(c) or c == " " or c in _WIDE_BLANKS,
    "graph": lambda c: _is_graph(c),
    "cntrl": lambda c: c < " " or "\x7f" <= c < "\xa0" or c in "\u2028\u2029",
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
    "word": lambda c: c == "_" or (c.isalnum() if c.isascii() else _is_wide_letter(c)),
    "ascii": str.isascii,
}

#: Collating symbols that have a name (POSIX XBD 6.1, the portable character set).
SYMBOLS: dict[str, str] = {
    "NUL": "\0", "SOH": "\x01", "STX": "\x02", "ETX": "\x03", "EOT": "\x04", "ENQ": "\x05",
    "ACK": "\x06", "alert": "\a", "backspace": "\b", "tab": "\t", "newline": "\n",
    "vertical-tab": "\v", "form-feed": "\f", "carriage-return": "\r", "space": " ",
    "exclamation-mark": "!", "quotation-mark": '"', "number-sign": "#", "dollar-sign": "$",
    "percent-sign": "%", "ampersand": "&", "apostrophe": "'", "left-parenthesis": "(",
    "right-parenthesis": ")", "asterisk": "*", "plus-sign": "+", "comma": ",", "hyphen": "-",
    "hyphen-minus": "-", "minus": "-", "dash": "-", "period": ".", "full-stop": ".", "slash": "/",
    "solidus": "/", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5",
    "six": "6", "seven": "7", "eight": "8", "nine": "9", "colon": ":", "semicolon": ";",
    "less-than-sign": "<", "equals-sign": "=", "greater-than-sign": ">", "question-mark": "?",
    "commercial-at": "@", "left-square-bracket": "[", "backslash": "\\", "reverse-solidus": "\\",
    "right-square-bracket": "]", "circumflex": "^", "circumflex-accent": "^", "underscore": "_",
    "low-line": "_", "grave-accent": "`", "left-brace": "{", "left-curly-bracket": "{",
    "vertical-line": "|", "right-brace": "}", "right-curly-bracket": "}", "tilde": "~", "DEL": "\x7f",
}  # fmt: skip


def _is_wide_letter(c: str) -> bool:
    """Return iswalpha of glibc for a character outside ASCII; it includes marks, digits and circled letters."""
    if c.isalpha() or c.isdecimal() or "\u24b6" <= c <= "\u24e9":
        return True
    from unicodedata import category, combining

    kind = category(c)
    return kind in ("Mc", "Nl") or (kind == "Mn" and not combining(c))  # vowel signs, but not accents


def _is_graph(c: str) -> bool:
    if c.isprintable() or c.isascii():
        return c.isprintable() and c != " "
    if c in _HARD_SPACES:
        return True
    from unicodedata import category

    return category(c) == "Cf"


def fold(c: str) -> str:
    """Return the lower case of one character when that is one character too."""
    low = c.lower()
    return low if len(low) == 1 else c


class Bracket:
    """The set of characters that one bracket expression matches.

    Args:
        negated: The expression began with "!" or "^".
        nocase: Case is ignored.
    """

    __slots__ = ("_chars", "_classes", "_highs", "_lows", "_negated", "_nocase", "_ranges")

    def __init__(self, negated: bool, nocase: bool) -> None:
        self._negated = negated
        self._nocase = nocase
        self._chars: set[str] = set()
        self._ranges: set[tuple[str, str]] = set()
        self._lows: list[str] = []  # of the ranges in order, joined where they overlap
        self._highs: list[str] = []
        self._classes: list[str] = []

    def add_char(self, c: str) -> None:
        self._chars.add(fold(c) if self._nocase else c)

    def add_range(self, low: str, high: str) -> None:
        if self._nocase:
            low, high = fold(low), fold(high)
        if low <= high:
            self._ranges.add((low, high))

    def add_class(self, name: str) -> None:
        """Add the class ``[:name:]``; an unknown class matches nothing."""
        if name in CLASSES and name not in self._classes:
            self._classes.append(name)

    def test(self, c: str) -> bool:
        """Return True if one character is in the set."""
        folded = fold(c) if self._nocase else c
        if folded in self._chars:
            return not self._negated
        if self._ranges:
            lows = self._lows or self._sort_ranges()
            index = bisect.bisect_right(lows, folded) - 1
            if index >= 0 and folded <= self._highs[index]:
                return not self._negated
        if self._classes and ord(c) not in _ESCAPED:
            for name in self._classes:
                if CLASSES[name](c):
                    return not self._negated
        return self._negated

    def _sort_ranges(self) -> list[str]:
        """Sort the ranges and join those that overlap; return their first characters. Runs may do it twice."""
        lows: list[str] = []
        highs: list[str] = []
        for low, high in sorted(self._ranges):
            if highs and low <= highs[-1]:
                highs[-1] = max(highs[-1], high)
            else:
                lows.append(low)
                highs.append(high)
        self._highs = highs
        self._lows = lows
        return lows


class OpenBrackets:
    """Facts about one pattern, so that a thousand open brackets take linear time."""

    __slots__ = ("dead", "no_class_end", "no_symbol_end")

    def __init__(self) -> None:
        self.dead: set[int] = set()  # offsets inside brackets from which there is no end
        self.no_class_end = -1  # from this offset on there is no ":]"; -1 when that is not known
        self.no_symbol_end = -1  # the same for ".]"

    def class_end(self, pattern: str, at: int) -> int:
        """Return the offset of the ":]" that ends the class whose "[" is at ``at``, -1 without one."""
        if 0 <= self.no_class_end <= at:
            return -1
        end = pattern.find(":]", at + 2)
        if end < 0:
            self.no_class_end = at
        return end

    def symbol_end(self, pattern: str, at: int) -> int:
        """Return the offset of the ".]" that ends the collating symbol whose "[" is at ``at``, -1 without one."""
        if 0 <= self.no_symbol_end <= at:
            return -1
        end = pattern.find(".]", at + 2)
        if end < 0:
            self.no_symbol_end = at
        return end


def parse_bracket(
    pattern: str, start: int, nocase: bool, facts: OpenBrackets | None = None
) -> tuple[Bracket, int] | None:
    """Parse the bracket expression that begins at ``pattern[start] == "["``.

    Args:
        pattern: The whole pattern.
        start: 0-based offset of the "[".
        nocase: Ignore case.
        facts: Facts about the pattern, shared by all calls for it.

    Returns:
        The set and the offset after its "]"; None when it has no end, so that the "[" is
        an ordinary character.
    """
    facts = facts or OpenBrackets()
    offset = start + 1
    negated = pattern.startswith(("!", "^"), offset)
    bracket = Bracket(negated, nocase)
    visited: list[int] = []
    end = _read_members(pattern, offset + negated, bracket, visited, facts)
    if end < 0:
        facts.dead.update(visited)
        return None
    return bracket, end


def _read_members(
    pattern: str, offset: int, bracket: Bracket, visited: list[int], facts: OpenBrackets
) -> int:
    """Add the members from ``offset`` on to the set; return the offset after the "]", -1 without one.

    Args:
        visited: Receives the offsets of the members after the first.
    """
    size = len(pattern)
    first = True
    while True:
        if offset >= size or (not first and offset in facts.dead):
            return -1
        if not first:
            visited.append(offset)
            if not len(visited) % _MEMBERS_PER_LOOK:
                check_clock()
                check_fits(len(visited) * _MEMBER_BYTES)
        c = pattern[offset]
        if c == "]" and not first:
            return offset + 1
        first = False
        if c == "[" and pattern[offset + 1 : offset + 2] == ":":
            end = facts.class_end(pattern, offset)
            if end < 0:
                offset += 1  # bash drops this "[" and continues with the colon
            else:
                bracket.add_class(_QUOTING.sub(r"\1", pattern[offset + 2 : end]))
                offset = end + 2
            continue
        low, offset = _element(pattern, offset, facts)
        if low is None:
            return -1
        if pattern[offset : offset + 1] == "-" and pattern[offset + 1 : offset + 2] not in ("]", ""):
            high, offset = _element(pattern, offset + 1, facts)
            if high is None:
                return -1
            if low and high:
                bracket.add_range(low, high)
        elif low:
            bracket.add_char(low)


def _element(pattern: str, at: int, facts: OpenBrackets) -> tuple[str | None, int]:
    """Return one character ("" for an unknown collating symbol, None at the end), and the offset after it."""
    c = pattern[at]
    if c == "\\":
        if at + 1 >= len(pattern):
            return None, at
        return pattern[at + 1], at + 2
    if c == "[":
        if pattern[at + 1 : at + 2] == "=" and pattern[at + 3 : at + 5] == "=]":
            return pattern[at + 2], at + 5
        if pattern[at + 1 : at + 2] == ".":
            end = facts.symbol_end(pattern, at)
            if end > 0:
                name = pattern[at + 2 : end]
                return (name if len(name) == 1 else SYMBOLS.get(name, "")), end + 2
    return c, at + 1

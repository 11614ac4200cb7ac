"""Bracket expressions of POSIX regular expressions, as RE2 writes character classes.

Source: POSIX.1-2024 XBD 9.3.5. Oracle: glibc 2.36 in the C.UTF-8 locale, where collating
symbols have no names, equivalence classes hold one character, and ranges go by code point.
"""

from __future__ import annotations

from sandhook.pattern.errors import PatternError

UNMATCHED = "Unmatched [, [^, [:, [., or [="

#: Class name to the inside of an RE2 class.
CLASSES: dict[str, str] = {
    "alpha": r"\p{L}\p{Nl}",
    "digit": "0-9",
    "alnum": r"\p{L}\p{Nl}\p{Nd}",
    "upper": r"\p{Lu}",
    "lower": r"\p{Ll}",
    "space": r"\t\n\v\f\r \x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}",
    "blank": r"\t \x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{205f}\x{3000}",
    "punct": r"!-/:-@\[-`{-~\p{P}\p{S}\p{M}",
    "print": r" -~\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}",
    "graph": r"!-~\p{L}\p{M}\p{N}\p{P}\p{S}",
    "cntrl": r"\x00-\x1f\x7f-\x{9f}\x{2028}\x{2029}",
    "xdigit": "0-9A-Fa-f",
}

#: Classes all of whose characters belong to words.
_WORDS = frozenset(("alpha", "digit", "alnum", "upper", "lower", "xdigit"))


class PosixBracket:
    """One parsed bracket expression.

    Attributes:
        text: The RE2 class, brackets included.
        end: Offset behind the "]".
        words: Whether every character in it is a letter, a digit or "_".
    """

    __slots__ = ("end", "text", "words")

    def __init__(self, text: str, end: int, words: bool) -> None:
        self.text = text
        self.end = end
        self.words = words


def code(c: str) -> str:
    """Return one character as it may stand in an RE2 class and outside of it."""
    if c.isascii() and c.isalnum():
        return c
    return f"\\x{{{ord(c):x}}}"


def parse_posix_bracket(
    pattern: str, start: int, *, escapes: bool = False, negated_newline: bool = True
) -> PosixBracket:
    """Parse the bracket expression that begins at ``pattern[start] == "["``.

    Args:
        pattern: The whole regular expression.
        start: Offset of the "[".
        escapes: A backslash escapes the next character, as in awk.
        negated_newline: Whether ``[^...]`` matches a newline.

    Raises:
        PatternError: No end, an unknown class or symbol, or a range that runs backwards.
    """
    at = start + 1
    size = len(pattern)
    negated = pattern[at : at + 1] == "^"
    at += negated
    parts: list[str] = []
    words = not negated
    first = True
    while True:
        if at >= size:
            raise PatternError(UNMATCHED)
        if pattern[at] == "]" and not first:
            break
        first = False
        name, low, at = _element(pattern, at, escapes)
        ranged = pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("]", "")
        if name:
            if ranged:
                raise PatternError("Invalid range end")
            parts.append(CLASSES[name])
            words = words and name in _WORDS
            continue
        high = low
        if ranged:
            name, high, at = _element(pattern, at + 1, escapes)
            if name or high < low:
                raise PatternError("Invalid range end")
            if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] != "]":
                raise PatternError("Invalid range end")
        parts.append(code(low) if low == high else f"{code(low)}-{code(high)}")
        words = words and _in_words(low, high)
    if negated and not negated_newline:
        parts.append(r"\n")
    return PosixBracket(f"[{'^' if negated else ''}{''.join(parts)}]", at + 1, words)


def _in_words(low: str, high: str) -> bool:
    if low == high:
        return low.isalnum() or low == "_"
    return any(first <= low and high <= last for first, last in ("az", "AZ", "09"))


def _element(pattern: str, at: int, escapes: bool) -> tuple[str, str, int]:
    """Return class name (or ""), character (or ""), and the offset of what follows."""
    c = pattern[at]
    if c == "[" and pattern[at + 1 : at + 2] in (":", ".", "="):
        kind = pattern[at + 1]
        end = pattern.find(kind + "]", at + 2)
        if end < 0:
            raise PatternError(UNMATCHED)
        name = pattern[at + 2 : end]
        if kind == ":":
            if name not in CLASSES:
                raise PatternError("Invalid character class name")
            return name, "", end + 2
        if len(name) != 1:
            raise PatternError("Invalid collation character")
        return "", name, end + 2
    if escapes and c == "\\" and at + 1 < len(pattern):
        return "", pattern[at + 1], at + 2
    return "", c, at + 1

"""Translates bracket expressions of POSIX regular expressions to character classes of RE2.

Source: POSIX.1-2024 XBD 9.3.5. Oracle: glibc 2.36 in the C.UTF-8 locale, where collating
symbols have no names, equivalence classes hold one character, and ranges go by code point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sandhook.pattern.errors import PatternError, UnmatchedBracketError

#: The zeros of the decimal digits outside ASCII; nine more digits follow each (Unicode 14).
_ZEROS = [
    "660",
    "6f0",
    "7c0",
    "966",
    "9e6",
    "a66",
    "ae6",
    "b66",
    "be6",
    "c66",
    "ce6",
    "d66",
    "de6",
    "e50",
    "ed0",
    "f20",
    "1040",
    "1090",
    "17e0",
    "1810",
    "1946",
    "19d0",
    "1a80",
    "1a90",
    "1b50",
    "1bb0",
    "1c40",
    "1c50",
    "a620",
    "a8d0",
    "a900",
    "a9d0",
    "a9f0",
    "aa50",
    "abf0",
    "ff10",
    "104a0",
    "10d30",
    "11066",
    "110f0",
    "11136",
    "111d0",
    "112f0",
    "11450",
    "114d0",
    "11650",
    "116c0",
    "11730",
    "118e0",
    "11950",
    "11c50",
    "11d50",
    "11da0",
    "16a60",
    "16ac0",
    "16b50",
    "1d7ce",
    "1d7d8",
    "1d7e2",
    "1d7ec",
    "1d7f6",
    "1e140",
    "1e2f0",
    "1e950",
    "1fbf0",
]

_DIGITS = "".join(f"\\x{{{zero}}}-\\x{{{int(zero, 16) + 9:x}}}" for zero in _ZEROS)
_LETTERS = r"\p{L}\p{Mc}\p{Nl}\x{24b6}-\x{24e9}"
_BLANKS = r"\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{205f}\x{3000}"
_SPACES = r"\t\n\v\f\r \x{2028}\x{2029}" + _BLANKS
_GRAPH = r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\x{a0}\x{2007}\x{202f}"

#: Class name to the inside of an RE2 class.
CLASSES: dict[str, str] = {
    "alpha": _LETTERS + _DIGITS,
    "digit": "0-9",
    "alnum": _LETTERS + r"\p{Nd}",
    "upper": r"\p{Lu}\p{Lt}\x{2160}-\x{216f}\x{24b6}-\x{24cf}",
    "lower": (
        r"\p{Ll}\x{1c5}\x{1c8}\x{1cb}\x{1f2}\x{aa}\x{ba}\x{2b0}-\x{2b8}\x{2c0}\x{2c1}\x{2e0}-\x{2e4}"
        r"\x{345}\x{37a}\x{1d2c}-\x{1d6a}\x{1d78}\x{1d9b}-\x{1dbf}\x{2071}\x{207f}\x{2090}-\x{209c}"
        r"\x{2170}-\x{217f}\x{24d0}-\x{24e9}\x{2c7c}\x{2c7d}\x{a69c}\x{a69d}\x{a770}\x{a7f8}\x{a7f9}"
        r"\x{ab5c}-\x{ab5f}"
    ),
    "space": _SPACES,
    "blank": r"\t " + _BLANKS,
    "punct": r"\p{Mn}\p{P}\p{S}\p{No}\p{Me}\p{Cf}\x{a0}\x{2007}\x{202f}",
    "print": " " + _GRAPH + _BLANKS,
    "graph": _GRAPH,
    "cntrl": r"\x00-\x1f\x7f-\x{9f}\x{2028}\x{2029}",
    "xdigit": "0-9A-Fa-f",
}

#: The classes of the C locale.
ASCII_CLASSES: dict[str, str] = {
    "alpha": "A-Za-z",
    "digit": "0-9",
    "alnum": "0-9A-Za-z",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\t\n\v\f\r ",
    "blank": r"\t ",
    "punct": r"!-/:-@\[-`{-~",
    "print": " -~",
    "graph": "!-~",
    "cntrl": r"\x00-\x1f\x7f",
    "xdigit": "0-9A-Fa-f",
}

#: The insides of \\w and \\s.
WORD = CLASSES["alnum"] + "_"
SPACE = CLASSES["space"]

#: Classes all of whose characters belong to words.
_WORDS = frozenset(("alpha", "digit", "alnum", "upper", "lower", "xdigit"))


class PosixBracket:
    """One parsed bracket expression.

    Attributes:
        text: The RE2 class, brackets included.
        end: Offset after the "]".
        words: Whether every character in it is a letter, a digit or "_".
    """

    __slots__ = ("end", "text", "words")

    def __init__(self, text: str, end: int, words: bool) -> None:
        self.text = text
        self.end = end
        self.words = words


def code(c: str) -> str:
    """Return one character in a form that is valid inside and outside of an RE2 class."""
    if c.isascii() and c.isalnum():
        return c
    return f"\\x{{{ord(c):x}}}"


def parse_posix_bracket(
    pattern: str,
    start: int,
    *,
    escapes: bool = False,
    negated_newline: bool = True,
    classes: Mapping[str, str] = CLASSES,
    folds: bool = False,
) -> PosixBracket:
    """Parse the bracket expression that begins at ``pattern[start] == "["``.

    Args:
        pattern: The whole regular expression.
        start: Offset of the "[".
        escapes: A backslash escapes the next character, as in awk.
        negated_newline: Whether ``[^...]`` matches a newline.
        classes: The insides of the character classes, by name.
        folds: A letter of ASCII matches in either case.

    Raises:
        PatternError: No end, an unknown class or symbol, or a range that runs backwards.
    """
    offset = start + 1
    size = len(pattern)
    negated = pattern[offset : offset + 1] == "^"
    offset += negated
    parts: list[str] = []
    words = not negated
    first = True
    while True:
        if offset >= size:
            if first:
                raise PatternError("Invalid regular expression")
            raise UnmatchedBracketError
        if pattern[offset] == "]" and not first:
            break
        first = False
        name, low, offset = _element(pattern, offset, escapes)
        is_range = pattern[offset : offset + 1] == "-" and pattern[offset + 1 : offset + 2] not in ("]", "")
        if name:
            if is_range:
                raise PatternError("Invalid range end")
            parts.append(classes["alpha" if folds and name in ("upper", "lower") else name])
            words = words and name in _WORDS
            continue
        high = low
        if is_range:
            name, high, offset = _element(pattern, offset + 1, escapes)
            if name or high < low:
                raise PatternError("Invalid range end")
            if pattern[offset : offset + 1] == "-" and pattern[offset + 1 : offset + 2] != "]":
                raise PatternError("Invalid range end")
        parts.append(code(low) if low == high else f"{code(low)}-{code(high)}")
        if folds:
            parts += _other_case(low, high)
        words = words and _in_words(low, high)
    if negated and not negated_newline:
        parts.append(r"\n")
    return PosixBracket(f"[{'^' if negated else ''}{''.join(parts)}]", offset + 1, words)


def _other_case(low: str, high: str) -> Iterator[str]:
    """Yield the letters of ASCII that differ from those of a range in their case alone."""
    for first, last, distance in (("a", "z", -32), ("A", "Z", 32)):
        begin, end = max(low, first), min(high, last)
        if begin <= end:
            yield f"{chr(ord(begin) + distance)}-{chr(ord(end) + distance)}"


def _in_words(low: str, high: str) -> bool:
    if low == high:
        return low.isalnum() or low == "_"
    return any(first <= low and high <= last for first, last in ("az", "AZ", "09"))


def _element(pattern: str, offset: int, escapes: bool) -> tuple[str, str, int]:
    """Return class name (or ""), character (or ""), and the offset of what follows."""
    c = pattern[offset]
    if c == "[" and pattern[offset + 1 : offset + 2] in (":", ".", "="):
        kind = pattern[offset + 1]
        end = pattern.find(kind + "]", offset + 2)
        if end < 0:
            raise UnmatchedBracketError
        name = pattern[offset + 2 : end]
        if kind == ":":
            if name not in CLASSES:
                raise PatternError("Invalid character class name")
            return name, "", end + 2
        if len(name) != 1:
            raise PatternError("Invalid collation character")
        return "", name, end + 2
    if escapes and c == "\\" and offset + 1 < len(pattern):
        return "", pattern[offset + 1], offset + 2
    return "", c, offset + 1

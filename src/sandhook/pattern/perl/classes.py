"""Classes of characters in Perl's regular expressions, in the syntax of the ``regex`` module.

``\\d``, ``\\w``, ``\\s``, ``\\b`` and ``[[:alpha:]]`` match ASCII characters, as with grep -P. With UCP they match
those of Unicode, as ``\\p`` always does.

Source: pcre2pattern(3), also for messages.
"""

from __future__ import annotations

import re

from sandhook.lazy import cache_texts, lazily
from sandhook.pattern.errors import PatternError

MAX_CODE = 0x10FFFF
_HORIZONTAL = r"\t \xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000"
_VERTICAL = r"\n\x0b\f\r\x85\u2028\u2029"

Ranges = tuple[tuple[int, int], ...]

_WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: Ranges = ((9, 13), (32, 32))
_DIGIT: Ranges = ((48, 57),)

#: The POSIX classes in ASCII.
_ASCII: dict[str, Ranges] = {
    "alpha": ((65, 90), (97, 122)),
    "digit": _DIGIT,
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "upper": ((65, 90),),
    "lower": ((97, 122),),
    "space": _SPACE,
    "blank": ((9, 9), (32, 32)),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "print": ((32, 126),),
    "graph": ((33, 126),),
    "cntrl": ((0, 31), (127, 127)),
    "xdigit": ((48, 57), (65, 70), (97, 102)),
    "word": _WORD,
    "ascii": ((0, 127),),
}
#: The POSIX classes in Unicode, which \\d, \\w and \\s use too.
_UNICODE = {
    "alpha": r"\p{L}",
    "digit": r"\p{Nd}",
    "alnum": r"\p{L}\p{N}",
    "upper": r"\p{Lu}",
    "lower": r"\p{Ll}",
    "space": r"\s",
    "blank": _HORIZONTAL,
    "punct": r"\p{P}$+<=>\^`|~",
    "print": r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Zs}",
    "graph": r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}",
    "cntrl": r"\p{Cc}",
    "word": r"\p{L}\p{N}_",
}
_LETTERS: dict[str, Ranges] = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_UNICODE_LETTERS = {"d": _UNICODE["digit"], "w": _UNICODE["word"], "s": _UNICODE["space"]}
_PLAIN_LETTERS = {"h": _HORIZONTAL, "v": _VERTICAL}

#: Properties that only PCRE has, in lower case, and the inside of a class for each.
_PCRE_PROPERTIES = {
    "l&": r"\p{Lu}\p{Ll}\p{Lt}",
    "lc": r"\p{Lu}\p{Ll}\p{Lt}",
    "any": "\\x00-\\U0010ffff",
    "xan": r"\p{L}\p{N}",
    "xwd": r"\p{L}\p{N}_",
    "xsp": r"\s",
    "xps": r"\s",
}
_NAMED_CLASS = lazily(r"\[:(\^?)([a-z]+):\]")


def character(code: int) -> str:
    """Return an expression for one literal character, in classes and outside of them."""
    if code < 128:
        letter = chr(code)
        return letter if letter.isalnum() or letter in "_ " else f"\\x{code:02x}"
    return f"\\U{code:08x}"


def members(ranges: Ranges, negated: bool = False) -> str:
    """Return the inside of a class."""
    if negated:
        gaps = []
        start = 0
        for low, high in ranges:
            if low > start:
                gaps.append((start, low - 1))
            start = high + 1
        gaps.append((start, MAX_CODE))
        ranges = tuple(gaps)
    return "".join(
        character(low) if low == high else f"{character(low)}-{character(high)}" for low, high in ranges
    )


def letter_class(letter: str, unicode: bool) -> str | None:
    """Return the class for \\d, \\W, \\h and so on, with its brackets; None for other letters."""
    low = letter.lower()
    negated = "^" if letter != low else ""
    if low in _PLAIN_LETTERS:
        return f"[{negated}{_PLAIN_LETTERS[low]}]"
    if low not in _LETTERS:
        return None
    return f"[{negated}{_UNICODE_LETTERS[low] if unicode else members(_LETTERS[low])}]"


def boundary(unicode: bool, negated: bool, ascii_only: bool) -> str:
    """Return the expression for \\b, or for \\B.

    Args:
        unicode: Words have the letters of Unicode.
        negated: \\B rather than \\b.
        ascii_only: The text will be ASCII, where the module's own \\b, which is faster, matches the same.
    """
    if ascii_only:
        return "\\B" if negated else "\\b"
    word = f"[{_UNICODE['word'] if unicode else members(_WORD)}]"
    if negated:
        return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
    return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"


def as_whole_word(text: str, unicode: bool) -> str:
    """Return an expression that matches ``text`` between characters that are not in words (-w)."""
    word = f"[{_UNICODE['word'] if unicode else members(_WORD)}]"
    return f"(?<!{word})(?:{text})(?!{word})"


@cache_texts(128)
def property_members(name: str) -> str:
    """Return the inside of a class for ``\\p{name}``. Raises PatternError for an unknown property."""
    key = re.sub(r"[\s_-]", "", name).lower()
    if key in _PCRE_PROPERTIES:
        return _PCRE_PROPERTIES[key]
    if not re.fullmatch(r"(?:(?:sc|script|scx|scriptextensions)[=:])?[a-z][a-z0-9]*", key) or key[:2] in (
        "is",
        "in",
    ):
        raise PatternError("unknown property after \\P or \\p")
    import regex

    text = f"\\p{{{key.replace(':', '=')}}}"
    try:
        regex.compile(text, regex.V0)
    except regex.error:
        raise PatternError("unknown property after \\P or \\p") from None
    return text


def property_class(name: str, negated: bool) -> str:
    """Return the class for ``\\p{name}`` or ``\\P{name}``; a "^" before the name negates it."""
    if name[:1] == "^":
        name, negated = name[1:], not negated
    return f"[{'^' if negated else ''}{property_members(name)}]"


class Elements:
    """The elements of one class: characters, ranges and sets.

    Args:
        unicode: Classes match Unicode rather than ASCII.
    """

    __slots__ = ("_hyphen", "_last_code", "_parts", "_unicode")

    def __init__(self, unicode: bool) -> None:
        self._unicode = unicode
        self._parts: list[str] = []
        self._last_code: int | None = (
            None  # the last character, which may begin a range; -1 for a set, None after a range
        )
        self._hyphen = False  # a "-" was read that makes a range with the next character

    def add(self, code: int, *, literal: bool = False) -> None:
        """Add a character; a "-" that is not ``literal`` may make a range."""
        if self._hyphen:
            self._range(code)
        elif code == 45 and not literal and self._last_code is not None:
            self._hyphen = True
        else:
            self._parts.append(character(code))
            self._last_code = code

    def _range(self, code: int) -> None:
        """Add the range from the character before the hyphen to ``code``."""
        if self._last_code is None or self._last_code < 0:
            raise PatternError("invalid range in character class")
        if code < self._last_code:
            raise PatternError("range out of order in character class")
        self._parts[-1] = f"{character(self._last_code)}-{character(code)}"
        self._hyphen, self._last_code = False, None

    def add_set(self, text: str) -> None:
        """Add the inside of another class."""
        if self._hyphen:
            raise PatternError("invalid range in character class")
        self._parts.append(text)
        self._last_code = -1

    def add_letter(self, letter: str) -> bool:
        """Add the class of \\d, \\W, \\h and so on; return False for other letters."""
        low = letter.lower()
        negated = letter != low
        if low in _PLAIN_LETTERS:
            if negated:
                raise PatternError(f"\\{letter} inside of a class is not supported")
            self.add_set(_PLAIN_LETTERS[low])
        elif low not in _LETTERS:
            return False
        elif self._unicode:
            self.add_set({"d": r"\P{Nd}", "s": r"\S", "w": r"\W"}[low] if negated else _UNICODE_LETTERS[low])
        else:
            self.add_set(members(_LETTERS[low], negated))
        return True

    def add_property(self, name: str, negated: bool) -> None:
        """Add ``\\p{name}`` or ``\\P{name}``."""
        if name[:1] == "^":
            name, negated = name[1:], not negated
        text = property_members(name)
        if negated and (text[:3] != "\\p{" or text.count("{") > 1):
            raise PatternError(f"\\P{{{name}}} inside of a class is not supported")
        self.add_set("\\P" + text[2:] if negated else text)

    def add_named_class(self, pattern: str, at: int) -> int:
        """Add the ``[:name:]`` at an offset, and return the offset after it; return 0 for other text."""
        match = _NAMED_CLASS.match(pattern, at)
        if not match:
            kind = pattern[at + 1 : at + 2]
            if kind in (".", "=") and kind and pattern.find(kind + "]", at + 2) >= 0:
                raise PatternError("POSIX collating elements are not supported")
            return 0
        negated, name = bool(match[1]), match[2]
        if name not in _ASCII:
            raise PatternError("unknown POSIX class name")
        if self._unicode and name in _UNICODE:
            if negated and name not in ("alpha", "digit", "upper", "lower", "cntrl"):
                raise PatternError(f"[:^{name}:] is not supported")
            self.add_set("\\P" + _UNICODE[name][2:] if negated else _UNICODE[name])
        else:
            self.add_set(members(_ASCII[name], negated))
        return match.end()

    def text(self, negated: bool) -> str:
        """Return the whole class."""
        hyphen = "\\x2d" if self._hyphen else ""
        return f"[{'^' if negated else ''}{''.join(self._parts)}{hyphen}]"

"""Classes of characters in Perl's regular expressions, as the ``regex`` module writes them.

``\\d``, ``\\w``, ``\\s``, ``\\b`` and ``[[:alpha:]]`` are ASCII's, as grep -P has them, unless the expression asks
for Unicode's (UCP); ``\\p`` is always Unicode's.

Source: pcre2pattern(3), also for messages.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sandhook.lazy import lazily
from sandhook.pattern.errors import PatternError

MAX_CODE = 0x10FFFF
_HORIZONTAL = r"\t \xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000"
_VERTICAL = r"\n\x0b\f\r\x85\u2028\u2029"

Ranges = tuple[tuple[int, int], ...]

_WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
_SPACE: Ranges = ((9, 13), (32, 32))
_DIGIT: Ranges = ((48, 57),)

#: POSIX's classes in ASCII.
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
#: The same and \\d, \\w, \\s where Unicode is asked for.
_WIDE = {
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
_WIDE_LETTERS = {"d": _WIDE["digit"], "w": _WIDE["word"], "s": _WIDE["space"]}
_PLAIN_LETTERS = {"h": _HORIZONTAL, "v": _VERTICAL}

#: Properties that are PCRE's own, lower case: what stands in a class for them.
_OWN_PROPERTIES = {
    "l&": r"\p{Lu}\p{Ll}\p{Lt}",
    "lc": r"\p{Lu}\p{Ll}\p{Lt}",
    "any": "\\x00-\\U0010ffff",
    "xan": r"\p{L}\p{N}",
    "xwd": r"\p{L}\p{N}_",
    "xsp": r"\s",
    "xps": r"\s",
}
_NAMED = lazily(r"\[:(\^?)([a-z]+):\]")


def character(code: int) -> str:
    """Return one character as it stands for itself, in classes and outside of them."""
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


def letter_class(letter: str, wide: bool) -> str | None:
    """Return the class that \\d, \\W, \\h and so on stand for, brackets included; None for other letters."""
    low = letter.lower()
    negated = "^" if letter != low else ""
    if low in _PLAIN_LETTERS:
        return f"[{negated}{_PLAIN_LETTERS[low]}]"
    if low not in _LETTERS:
        return None
    return f"[{negated}{_WIDE_LETTERS[low] if wide else members(_LETTERS[low])}]"


def boundary(wide: bool, inside: bool, narrow: bool) -> str:
    """Return what \\b stands for, or with ``inside`` what \\B does.

    Args:
        wide: Unicode is asked for.
        inside: \\B rather than \\b.
        narrow: The text will be ASCII, where the module's own, which is quicker, is the same.
    """
    if narrow:
        return "\\B" if inside else "\\b"
    word = f"[{_WIDE['word'] if wide else members(_WORD)}]"
    if inside:
        return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"
    return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"


def not_beside_words(text: str, wide: bool) -> str:
    """Return an expression that matches ``text`` where no word characters are next to it (-w)."""
    word = f"[{_WIDE['word'] if wide else members(_WORD)}]"
    return f"(?<!{word})(?:{text})(?!{word})"


@lru_cache(maxsize=128)
def property_members(name: str) -> str:
    """Return the inside of a class for ``\\p{name}``. Raises PatternError for one that is not known."""
    plain = re.sub(r"[\s_-]", "", name).lower()
    if plain in _OWN_PROPERTIES:
        return _OWN_PROPERTIES[plain]
    if not re.fullmatch(r"(?:(?:sc|script|scx|scriptextensions)[=:])?[a-z][a-z0-9]*", plain) or plain[:2] in (
        "is",
        "in",
    ):
        raise PatternError("unknown property after \\P or \\p")
    import regex

    text = f"\\p{{{plain.replace(':', '=')}}}"
    try:
        regex.compile(text, regex.V0)
    except regex.error:
        raise PatternError("unknown property after \\P or \\p") from None
    return text


def property_class(name: str, negated: bool) -> str:
    """Return the class that ``\\p{name}`` or ``\\P{name}`` stands for; a "^" in the name turns it around."""
    if name[:1] == "^":
        name, negated = name[1:], not negated
    return f"[{'^' if negated else ''}{property_members(name)}]"


class Elements:
    """What one class holds: characters, ranges and sets.

    Args:
        wide: Unicode is asked for.
    """

    __slots__ = ("_after", "_hyphen", "_parts", "_wide")

    def __init__(self, wide: bool) -> None:
        self._wide = wide
        self._parts: list[str] = []
        self._after: int | None = None  # the character that was added last, -1 for a set; None after a range
        self._hyphen = False  # a "-" that may make a range

    def add(self, code: int, *, quoted: bool = False) -> None:
        """Add a character; a "-" that is not quoted may make a range."""
        if self._hyphen:
            self._range(code)
        elif code == 45 and not quoted and self._after is not None:
            self._hyphen = True
        else:
            self._parts.append(character(code))
            self._after = code

    def _range(self, code: int) -> None:
        """Make a range of the character before the hyphen and of the one after it."""
        if self._after is None or self._after < 0:
            raise PatternError("invalid range in character class")
        if code < self._after:
            raise PatternError("range out of order in character class")
        self._parts[-1] = f"{character(self._after)}-{character(code)}"
        self._hyphen, self._after = False, None

    def add_set(self, text: str) -> None:
        """Add the inside of another class."""
        if self._hyphen:
            raise PatternError("invalid range in character class")
        self._parts.append(text)
        self._after = -1

    def add_letter(self, letter: str) -> bool:
        """Add what \\d, \\W, \\h and so on stand for; False for other letters."""
        low = letter.lower()
        negated = letter != low
        if low in _PLAIN_LETTERS:
            if negated:
                raise PatternError(f"\\{letter} inside of a class is not supported")
            self.add_set(_PLAIN_LETTERS[low])
        elif low not in _LETTERS:
            return False
        elif self._wide:
            self.add_set({"d": r"\P{Nd}", "s": r"\S", "w": r"\W"}[low] if negated else _WIDE_LETTERS[low])
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

    def add_named(self, pattern: str, at: int) -> int:
        """Add ``[:name:]`` when it stands at an offset; return the offset after it, or 0."""
        found = _NAMED.match(pattern, at)
        if not found:
            kind = pattern[at + 1 : at + 2]
            if kind in (".", "=") and kind and pattern.find(kind + "]", at + 2) >= 0:
                raise PatternError("POSIX collating elements are not supported")
            return 0
        negated, name = bool(found[1]), found[2]
        if name not in _ASCII:
            raise PatternError("unknown POSIX class name")
        if self._wide and name in _WIDE:
            if negated and name not in ("alpha", "digit", "upper", "lower", "cntrl"):
                raise PatternError(f"[:^{name}:] is not supported")
            self.add_set("\\P" + _WIDE[name][2:] if negated else _WIDE[name])
        else:
            self.add_set(members(_ASCII[name], negated))
        return found.end()

    def text(self, negated: bool) -> str:
        """Return the whole class."""
        hyphen = "\\x2d" if self._hyphen else ""
        return f"[{'^' if negated else ''}{''.join(self._parts)}{hyphen}]"

"""Parses escapes of Perl's regular expressions: codes of characters, and names of properties.

Source: pcre2pattern(3), PCRE2 10.42, also for messages.
"""

from __future__ import annotations

from sandhook.lazy import lazily
from sandhook.pattern.errors import PatternError
from sandhook.pattern.perl.classes import MAX_CODE

_CODE = lazily(r"x\{([0-9a-fA-F]{1,8})\}|o\{([0-7]{1,11})\}|N\{U\+([0-9a-fA-F]{1,8})\}|x([0-9a-fA-F]{0,2})")
_OCTAL = lazily(r"[0-7]{1,3}")
_SIMPLE = {"a": 7, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9}


def parse_property(pattern: str, at: int) -> tuple[str, bool, int]:
    """Return the name, the negation and the end of the property whose "p" or "P" is at an offset."""
    if pattern[at + 1 : at + 2] == "{":
        end = pattern.find("}", at)
        if end < 0 or end == at + 2:
            raise PatternError("malformed \\P or \\p sequence")
        return pattern[at + 2 : end].strip(), pattern[at] == "P", end + 1
    if at + 1 >= len(pattern):
        raise PatternError("malformed \\P or \\p sequence")
    return pattern[at + 1], pattern[at] == "P", at + 2


def parse_code(pattern: str, at: int) -> tuple[int, int]:
    """Return the code of the character that an escape denotes, and its end; its letter is at an offset."""
    letter = pattern[at]
    if letter in _SIMPLE:
        return _SIMPLE[letter], at + 1
    if letter == "c":
        return _control(pattern, at + 1)
    octal = _OCTAL.match(pattern, at)
    if octal:
        return int(octal[0], 8), octal.end()
    match = _CODE.match(pattern, at)
    if match and not (letter == "x" and pattern[at + 1 : at + 2] == "{" and not match[1]):
        value = int(match[2], 8) if match[2] else int(match[1] or match[3] or match[4] or "0", 16)
        if value > MAX_CODE or 0xD800 <= value <= 0xDFFF:
            raise PatternError("character code point value in \\x{} or \\o{} is too large")
        return value, match.end()
    if letter in "xo":
        raise _bad_code(pattern, at)
    if letter in "FLlNUu":
        raise PatternError("PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u")
    if letter.isascii() and letter.isalnum():
        raise PatternError("unrecognized character follows \\")
    return ord(letter), at + 1


def _bad_code(pattern: str, at: int) -> PatternError:
    letter = pattern[at]
    if pattern[at + 1 : at + 2] != "{":
        return PatternError("missing opening brace after \\o")
    if pattern[at + 2 : at + 3] == "}":
        return PatternError("digits missing in \\x{} or \\o{} or \\N{U+}")
    kind = "hex" if letter == "x" else "octal"
    return PatternError(f"non-{kind} character in \\{letter}{{}} (closing brace missing?)")


def _control(pattern: str, at: int) -> tuple[int, int]:
    letter = pattern[at : at + 1]
    if not letter:
        raise PatternError("\\c at end of pattern")
    if not " " <= letter <= "~":
        raise PatternError("\\c must be followed by a printable ASCII character")
    return ord(letter.upper()) ^ 0x40, at + 1

"""Escapes and classes of characters of Python's ``re``; classes in RE2's syntax."""

from __future__ import annotations

from sandhook.pattern.errors import PatternError, UnsupportedError

#: Controls with a letter of their own; ``\\b`` only in brackets.
CONTROLS = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
#: The letters of Perl's classes.
PERL = "dDsSwW"
#: The parts of each class of Unicode, and the class of ASCII. A number that is no digit counts as a part of words.
_PARTS: dict[str, tuple[str, ...]] = {
    "d": (r"\p{Nd}",),
    "w": (r"\p{L}", r"\p{Nd}", r"\p{Nl}", r"\p{No}", "_"),
    "s": (
        *(r"\t-\r", r"\x{1c}-\x{20}", r"\x{85}", r"\x{a0}", r"\x{1680}", r"\x{2000}-\x{200a}"),
        *(r"\x{2028}-\x{2029}", r"\x{202f}", r"\x{205f}", r"\x{3000}"),
    ),
}
_ASCII: dict[str, tuple[str, ...]] = {"d": ("0-9",), "w": ("A-Z", "a-z", "0-9", "_"), "s": (r"\t-\r", " ")}


def of_perl(c: str, *, ascii_: bool) -> str:
    """Return the class of one of ``PERL`` outside of brackets."""
    return f"[{'^' if c.isupper() else ''}{''.join(_parts(c, ascii_))}]"


def _parts(c: str, ascii_: bool) -> tuple[str, ...]:
    return (_ASCII if ascii_ else _PARTS)[c.lower()]


def bracket(pattern: str, begin: int, *, ascii_: bool, icase: bool = False) -> tuple[str, int]:
    """Return the class that begins at a place, and where it ends; "" for one that RE2 cannot have.

    Args:
        icase: Letters match in either case; without ``ascii_``, RE2's ``(?i)`` has to do the rest.

    Raises:
        PatternError: It is no class of Python.
    """
    at = begin + 1
    negated = pattern[at : at + 1] == "^"
    at += negated
    first, members, complements = at, list[str](), list[str]()
    while True:
        if not pattern[at : at + 1]:
            raise PatternError("unterminated character set")
        if pattern[at] == "]" and at > first:
            return _written(members, complements, negated, ascii_), at + 1
        start = at
        low, at = _member(pattern, at)
        high: int | str | None = None
        if pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("]", ""):
            high, at = _member(pattern, at + 1)
        elif pattern[at : at + 1] == "-" and not pattern[at + 1 : at + 2]:
            raise PatternError("unterminated character set")
        if isinstance(low, str) and high is None:
            if low.isupper():
                complements.append(low)
            else:
                members += _parts(low, ascii_)
        elif isinstance(low, str) or isinstance(high, str) or (high is not None and high < low):
            raise PatternError(f"bad character range {pattern[start:at]}")
        else:
            members.append(_code(low) if high is None else f"{_code(low)}-{_code(high)}")
            if icase:
                members += other_cases(low, low if high is None else high, ascii_=ascii_)


#: Python takes these for one letter; for RE2 the last two have no other case.
_LETTER_I = (0x49, 0x69, 0x130, 0x131)
#: The two alphabets of ASCII: the first and last letter, and how far the other case is.
_ALPHABETS = ((0x41, 0x5A, 32), (0x61, 0x7A, -32))


def other_cases(low: int, high: int, *, ascii_: bool) -> list[str]:
    """Return members of a class for the other case of a range: of ASCII alone, or those that RE2's ``(?i)`` lacks."""
    if not ascii_:
        return [_code(each) for each in _LETTER_I] if any(low <= each <= high for each in _LETTER_I) else []
    found: list[str] = []
    for first, last, step in _ALPHABETS:
        begin, end = max(low, first), min(high, last)
        if begin <= end:
            found.append(f"{_code(begin + step)}-{_code(end + step)}")
    return found


def _member(pattern: str, at: int) -> tuple[int | str, int]:
    """Return the code of one character, or the letter of a class, and where it ends."""
    if pattern[at] != "\\":
        return ord(pattern[at]), at + 1
    letter = pattern[at + 1 : at + 2]
    if letter and letter in PERL:
        return letter, at + 2
    return character(pattern, at, inside=True)


def _code(code: int) -> str:
    if 0xD800 <= code < 0xE000:
        raise UnsupportedError("half of a surrogate pair is not supported")
    return f"\\x{{{code:x}}}"


def _written(members: list[str], complements: list[str], negated: bool, ascii_: bool) -> str:
    if not complements:
        return f"[{'^' if negated else ''}{''.join(members)}]"
    if not negated:
        others = [f"[{''.join(members)}]"] if members else []
        return f"(?:{'|'.join([*others, *(of_perl(each, ascii_=ascii_) for each in complements)])})"
    own, gone = _parts(complements[0], ascii_), [_plain(each) for each in members]
    if len(set(complements)) > 1 or any(each not in own for each in gone):
        return ""
    kept = "".join(each for each in own if each not in gone)
    return f"[{kept}]" if kept else r"[^\x{0}-\x{10ffff}]"


def _plain(member: str) -> str:
    return "_" if member == r"\x{5f}" else member


def character(pattern: str, at: int, *, inside: bool = False) -> tuple[int, int]:
    """Return the code of the character that an escape is, and where it ends."""
    c = pattern[at + 1 : at + 2]
    if not c:
        raise PatternError("bad escape (end of pattern)")
    if c in CONTROLS and (inside or c != "b"):
        return CONTROLS[c], at + 2
    if c in "xuU":
        size = {"x": 2, "u": 4, "U": 8}[c]
        digits = pattern[at + 2 : at + 2 + size]
        if len(digits) < size or digits.strip("0123456789abcdefABCDEF"):
            raise PatternError(f"incomplete escape \\{c}{digits}")
        if int(digits, 16) > 0x10FFFF:
            raise PatternError(f"bad escape \\{c}{digits}")
        return int(digits, 16), at + 2 + size
    if c == "N":
        return _named(pattern, at)
    if c in "01234567":
        return _octal(pattern, at)
    if c.isascii() and c.isalnum():
        raise PatternError(f"bad escape \\{c}")
    return ord(c), at + 2


def _octal(pattern: str, at: int) -> tuple[int, int]:
    end = at + 1
    limit = end + 3
    while end < limit and pattern[end : end + 1] and pattern[end] in "01234567":
        end += 1
    code = int(pattern[at + 1 : end], 8)
    if code > 0o377:
        raise PatternError(f"octal escape value \\{pattern[at + 1 : end]} outside of range 0-0o377")
    return code, end


def _named(pattern: str, at: int) -> tuple[int, int]:
    from unicodedata import lookup

    end = pattern.find("}", at)
    if pattern[at + 2 : at + 3] != "{" or end < 0:
        raise PatternError("missing {, or missing }, after \\N")
    try:
        return ord(lookup(pattern[at + 3 : end])), end + 1
    except (KeyError, TypeError):  # unknown, or the name of several characters
        raise PatternError(f"undefined character name {pattern[at + 3 : end]!r}") from None


def numbered(pattern: str, at: int) -> int | None:
    """Return the number of the group that an escape refers to; None for an octal escape."""
    digits = pattern[at + 1 : at + 4]
    if len(digits) == 3 and not digits.strip("01234567"):
        return None
    return int(digits[:2]) if is_decimal(digits[:2]) and len(digits) > 1 else int(digits[0])


def is_decimal(text: str) -> bool:
    """Return whether a text has digits only."""
    return text.isascii() and text.isdigit()

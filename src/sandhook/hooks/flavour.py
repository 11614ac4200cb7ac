"""Regular expressions of configurations, whoever's syntax they are in, to RE2's linear search.

Rust's ``regex`` and RE2 are cousins: what differs is rewritten here, and what RE2 would read
differently in silence (set operations, ``\\<``, ``\\b{start}``, ``\\Q``) is refused by name.
Source: docs.rs/regex 1.11, syntax; RE2's doc/syntax.txt. Divergences: L-EVERRUNS-004 (``\\b``
knows ASCII words only), L-EVERRUNS-005 (what is refused).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sandhook.pattern.errors import PatternError

_SPACE = r"\t\n\v\f\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}"
_NO_SPACE = (
    r"\x{0}-\x{8}\x{e}-\x{1f}!-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}"
    r"\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff}"
)
_WORD = r"\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}\x{24b6}-\x{24e9}"
_NO_WORD = r"\p{Pd}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Po}\p{S}\p{Z}\p{No}\p{C}"

#: Perl classes as Rust means them (Unicode), inside a bracket expression.
_SETS = {"d": r"\p{Nd}", "D": r"\P{Nd}", "s": _SPACE, "S": _NO_SPACE, "w": _WORD, "W": _NO_WORD}
_ALONE = {**{key: f"[{_SETS[key]}]" for key in "dsw"}, "D": r"\P{Nd}", "S": f"[^{_SPACE}]", "W": f"[^{_WORD}]"}

#: Escapes that RE2 knows and Rust does not, or that both know with different meanings.
_REFUSED = {"<": r"\<", ">": r"\>", "C": r"\C", "Q": r"\Q", "E": r"\E"}
_HEX_LENGTH = {"u": 4, "U": 8}


def rust_to_re2(pattern: str) -> str:
    """Return RE2 text for a pattern of Rust's ``regex`` crate.

    Raises:
        PatternError: Something that RE2 has not or reads otherwise; the rest RE2 itself refuses.
    """
    made: list[str] = []
    at = 0
    bracket = 0  # where the open bracket expression's first member stands, 0 outside
    while at < len(pattern):
        c = pattern[at]
        if c == "\\":
            text, at = _escape(pattern, at + 1, bracket > 0)
            made.append(text)
            continue
        if not bracket:
            if c == "[":
                bracket = at + (2 if pattern.startswith("^", at + 1) else 1)
                made.append(pattern[at:bracket])
                at = bracket
                continue
        elif c == "]" and at > bracket:
            bracket = 0
        elif c == "[":
            end = pattern.find(":]", at)
            if not (pattern.startswith("[:", at) and end > 0):
                raise PatternError("a class inside a class is not supported (L-EVERRUNS-005)")
            made.append(pattern[at : end + 2])
            at = end + 2
            continue
        elif c in "&-~" and pattern.startswith(c, at + 1) and at > bracket:
            raise PatternError(f"the class operator {c}{c} is not supported (L-EVERRUNS-005)")
        made.append(c)
        at += 1
    return "".join(made)


def _escape(pattern: str, at: int, inside: bool) -> tuple[str, int]:
    """Return the text for the escape whose character after the backslash is at ``at``, and where it ends."""
    c = pattern[at : at + 1]
    if c in _SETS and c:
        return (_SETS if inside else _ALONE)[c], at + 1
    if c in _REFUSED and c:
        raise PatternError(f"{_REFUSED[c]} is not supported (L-EVERRUNS-005)")
    if c in ("b", "B") and pattern.startswith("{", at + 1):
        raise PatternError(f"\\{c}{{...}} is not supported (L-EVERRUNS-005)")
    if c in _HEX_LENGTH:
        if pattern.startswith("{", at + 1):
            end = pattern.find("}", at)
            return (f"\\x{pattern[at + 1 : end + 1]}", end + 1) if end > 0 else (f"\\{c}", at + 1)
        end = at + 1 + _HEX_LENGTH[c]
        return f"\\x{{{pattern[at + 1 : end]}}}", end
    return "\\" + c, at + 1


#: Flavour to the function that writes it for RE2. Go's regexp is RE2's own syntax.
FLAVOURS: dict[str, Callable[[str], str]] = {"rust": rust_to_re2, "re2": str}


@lru_cache(maxsize=512)
def compile_search(pattern: str, flavour: str) -> Callable[[str], bool]:
    """Return a function that tells whether the pattern is found anywhere in a text.

    Raises:
        PatternError: The pattern does not compile; the message says why.
        KeyError: An unknown flavour.
    """
    from sandhook.pattern.posix import compile_re2

    search = compile_re2(FLAVOURS[flavour](pattern)).search

    def found(text: str) -> bool:
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode()  # RE2 takes no lone surrogates
        return search(text) is not None

    return found

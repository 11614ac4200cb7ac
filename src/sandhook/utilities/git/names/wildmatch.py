"""The patterns of git: wildmatch, by RE2, whose time is linear in the length of the name.

Source: git's wildmatch.c and gitignore(5).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sandhook.pattern.engine import Find, compile_linear
from sandhook.pattern.errors import PatternError

_LONGEST = 4096  #: bytes of a pattern; a longer one matches nothing
_SPECIAL = frozenset("*?[\\")
_CLASSES = frozenset(
    [
        "alnum",
        "alpha",
        "blank",
        "cntrl",
        "digit",
        "graph",
        "lower",
        "print",
        "punct",
        "space",
        "upper",
        "xdigit",
    ]
)


def has_wildcard(pattern: str) -> bool:
    """Return True if a pattern has a character that is not ordinary."""
    return not _SPECIAL.isdisjoint(pattern)


def wildmatch(
    pattern: str,
    name: str,
    charge: Callable[[int], None],
    *,
    ignore_case: bool = False,
    pathname: bool = True,
) -> bool:
    """Return True if a pattern matches all of a name.

    Args:
        pathname: "*" and "?" do not match a slash, and "**" matches directories.
    """
    charge(1 + (len(name) >> 4))
    if not ignore_case and not has_wildcard(pattern):
        return pattern == name
    if not ignore_case and pattern[:1] == "*" and not has_wildcard(pattern[1:]):
        tail = pattern[1:]
        return name.endswith(tail) and not (pathname and "/" in name[: len(name) - len(tail)])
    if len(pattern) > _LONGEST:
        return False
    find = _compiled(pattern, ignore_case, pathname)
    if find is None:
        return False
    data = name.encode("utf-8", "surrogateescape")
    return find(data, 0, len(data))[0][0] >= 0


@lru_cache(maxsize=256)
def _compiled(pattern: str, ignore_case: bool, pathname: bool) -> Find | None:
    """Return the search function for a pattern, None for a pattern that matches nothing."""
    text = pattern.encode("utf-8", "surrogateescape").decode("latin-1")
    expression = _translate(text, pathname)
    if expression is None:
        return None
    try:
        return compile_linear(
            f"(?s)\\A(?:{expression})\\z", latin1=True, icase=ignore_case, longest=False, groups=False
        )
    except PatternError:
        return None


def _translate(text: str, pathname: bool) -> str | None:
    pieces = []
    at = 0
    while at < len(text):
        c = text[at]
        if c == "*":
            end = at
            while text[end : end + 1] == "*":
                end += 1
            piece, at = _stars(text, at, end, pathname)
            pieces.append(piece)
        elif c == "?":
            pieces.append("[^/]" if pathname else ".")
            at += 1
        elif c == "[":
            bracket = _bracket(text, at + 1, pathname)
            if bracket is None:
                return None
            pieces.append(bracket[0])
            at = bracket[1]
        elif c == "\\":
            if at + 1 == len(text):
                return None
            pieces.append(_literal(text[at + 1]))
            at += 2
        else:
            pieces.append(_literal(c))
            at += 1
    return "".join(pieces)


def _stars(text: str, start: int, end: int, pathname: bool) -> tuple[str, int]:
    """Return the expression for "*" or "**", and where the pattern continues."""
    if not pathname:
        return ".*", end
    is_component = (start == 0 or text[start - 1] == "/") and text[end : end + 1] in ("", "/")
    if end - start < 2 or not is_component:
        return "[^/]*", end
    if end == len(text):
        return ".*", end
    return "(?:.*/)?", end + 1


#: Classes with a slash, without it.
_WITHOUT_SLASH = {
    "graph": r"\x21-\x2e\x30-\x7e",
    "print": r"\x20-\x2e\x30-\x7e",
    "punct": r"\x21-\x2e\x3a-\x40\x5b-\x60\x7b-\x7e",
}


def _bracket(text: str, at: int, pathname: bool) -> tuple[str, int] | None:
    """Return the expression for a bracket, and where the pattern continues; None if it has no end."""
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    excludes = pathname and not negated  #: no bracket matches the slash of a path
    members: list[str] = []
    first = True
    while at < len(text) and (first or text[at] != "]"):
        first = False
        if text.startswith("[:", at):
            end = text.find(":]", at)
            if end > 0:
                name = text[at + 2 : end]
                if name not in _CLASSES:
                    return None
                members.append(_WITHOUT_SLASH.get(name, f"[:{name}:]") if excludes else f"[:{name}:]")
                at = end + 2
                continue
        low, at = _member(text, at)
        if text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(text, at + 1)
        else:
            high = low
        if excludes and low <= "/" <= high:
            members += _span(low, "."), _span("0", high)
        else:
            members.append(_span(low, high))
    if at >= len(text):
        return None
    if negated:
        return f"[^{'/' if pathname else ''}{''.join(members)}]", at + 1
    body = f"[{''.join(members)}]" if any(members) else r"[^\x00-\xff]"
    return body, at + 1


def _member(text: str, at: int) -> tuple[str, int]:
    if text[at] == "\\" and at + 1 < len(text):
        return text[at + 1], at + 2
    return text[at], at + 1


def _span(low: str, high: str) -> str:
    """Return the expression of a range within a bracket, "" for an empty one."""
    return f"{_code(low)}-{_code(high)}" if low < high else _code(low) if low == high else ""


def _code(c: str) -> str:
    return f"\\x{ord(c):02x}"


def _literal(c: str) -> str:
    return c if c.isalnum() and c.isascii() else _code(c)

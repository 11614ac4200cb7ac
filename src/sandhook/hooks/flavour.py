"""Regular expressions of configurations, in whoever's syntax, as one linear search.

What Rust's ``regex`` and RE2 read differently in silence is refused by name (L-EVERRUNS-005);
``\\b`` knows ASCII words only (L-EVERRUNS-004).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from sandhook.pattern.errors import PatternError

#: Whose syntax an expression is in: Go's regexp (RE2's own), Rust's regex crate, or JavaScript's RegExp.
FLAVOURS = ("go", "rust", "js")


@lru_cache(maxsize=512)
def compile_search(pattern: str, flavour: str) -> Callable[[str], bool]:
    """Return a function that tells whether the pattern is found anywhere in a text.

    Raises:
        PatternError: The pattern does not compile; the message says why.
    """
    if flavour == "js":
        from sandhook.pattern.ecma import compile_ecma

        search = compile_ecma(pattern, groups=False).search
    else:
        from sandhook.pattern.linear import compile_re2

        if flavour == "rust":
            _refuse_misread(pattern)
        search = compile_re2(pattern, flavor=flavour, groups=False).search

    def found(text: str) -> bool:
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode()  # a lone surrogate is no text
        return search(text)

    return found


def _refuse_misread(pattern: str) -> None:
    """Raise for Rust's word anchors, which RE2 takes for other things."""
    at = pattern.find("\\")
    while at >= 0:
        escaped = pattern[at + 1 : at + 3]
        if escaped[:1] in ("<", ">"):
            raise PatternError(f"\\{escaped[:1]} is not supported (L-EVERRUNS-005)")
        if escaped in ("b{", "B{"):
            raise PatternError(f"\\{escaped[0]}{{...}} is not supported (L-EVERRUNS-005)")
        at = pattern.find("\\", at + 2)

"""Regular expressions of configurations, in several syntaxes, compiled to a linear search.

Syntax that Rust's ``regex`` and RE2 interpret differently is refused (L-EVERRUNS-005);
``\\b`` matches at ASCII words only (L-EVERRUNS-004).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

from sandhook.pattern.errors import PatternError

#: The syntax of an expression: Go's regexp (RE2's own), Rust's regex crate, or JavaScript's RegExp.
Flavour = Literal["go", "rust", "js"]


@lru_cache(maxsize=512)
def compile_search(pattern: str, flavour: Flavour) -> Callable[[str], bool]:
    """Return a function that returns whether the pattern matches anywhere in a text.

    Raises:
        PatternError: The pattern does not compile; the message is the reason.
    """
    if flavour == "js":
        from sandhook.pattern.ecma import compile_ecma

        search = compile_ecma(pattern, groups=False).search
    else:
        from sandhook.pattern.linear import compile_re2

        if flavour == "rust":
            _refuse_misread(pattern)
        search = compile_re2(pattern, flavor=flavour, groups=False).search

    def is_found(text: str) -> bool:
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode()  # RE2 needs valid UTF-8; a lone surrogate is not
        return search(text)

    return is_found


def _refuse_misread(pattern: str) -> None:
    """Raise PatternError for Rust's word anchors, which RE2 interprets differently."""
    at = pattern.find("\\")
    while at >= 0:
        escaped = pattern[at + 1 : at + 3]
        if escaped[:1] in ("<", ">"):
            raise PatternError(f"\\{escaped[:1]} is not supported (L-EVERRUNS-005)")
        if escaped in ("b{", "B{"):
            raise PatternError(f"\\{escaped[0]}{{...}} is not supported (L-EVERRUNS-005)")
        at = pattern.find("\\", at + 2)

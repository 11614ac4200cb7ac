"""Regular expressions of configurations, in several syntaxes, compiled to a linear search.

Syntax that Rust's ``regex`` and RE2 interpret differently is refused (L-EVERRUNS-005);
``\\b`` matches at ASCII words only (L-EVERRUNS-004).
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.lazy import cache_short, lazily
from sandhook.limits import check_clock, present_budget
from sandhook.pattern.errors import PatternError, UnsupportedError
from sandhook.typed import Literal

#: The syntax of an expression: Go's regexp (RE2's own), Rust's regex crate, JavaScript's RegExp, or Python's re, which must
#: match all of the text.
Flavour = Literal["go", "rust", "js", "python"]


def compile_search(pattern: str, flavour: Flavour) -> Callable[[str], bool]:
    """Return a function that returns whether the pattern matches anywhere in a text.

    A budget of the thread that has no time left defers the compilation to the first search: an expression takes up to
    50 milliseconds, and a file may have thousands.

    Raises:
        UnsupportedError: The language accepts the pattern, and it has no linear equivalent.
        PatternError: It does not compile; the message is the reason.
    """
    budget = present_budget()
    if budget is None or budget.remaining() > 0:
        return _compile(pattern, flavour)

    def search_later(text: str) -> bool:
        check_clock()
        return _compile(pattern, flavour)(text)

    return search_later


@cache_short(512)
def _compile(pattern: str, flavour: Flavour) -> Callable[[str], bool]:
    if flavour == "js":
        from sandhook.pattern.ecma import compile_ecma

        ahead, rest = _lookaheads(pattern)
        tests = [(wanted, compile_ecma(text, groups=False).search) for wanted, text in ahead]
        last = compile_ecma(rest, groups=False).search

        def search_all(text: str) -> bool:
            return all(test(text) is wanted for wanted, test in tests) and last(text)

        search: Callable[[str], bool] = search_all
    elif flavour == "python":
        from sandhook.pattern.python import compile_python

        search = compile_python(pattern)
    else:
        from sandhook.pattern.linear import compile_re2

        if flavour == "rust":
            _refuse_misread(pattern)
        try:
            search = compile_re2(pattern, flavor=flavour, groups=False).search
        except PatternError as error:
            if flavour == "rust" and (_OF_RUST.search(pattern) or "bad repetition op" in error.message):
                raise UnsupportedError(error.message) from None
            raise

    def is_found(text: str) -> bool:
        if not text.isascii():
            text = text.encode("utf-8", "replace").decode()  # RE2 needs valid UTF-8; a lone surrogate is not
        return search(text)

    return is_found


def _lookaheads(pattern: str) -> tuple[list[tuple[bool, str]], str]:
    """Return the lookaheads at the beginning of a pattern, as patterns that must match or must not, and the rest.

    ``^(?!A)B`` is a test for ``^B`` and against ``^(?:A)``, and ``(?=A)`` alone is one for ``A``, which both are
    linear. Within ``^(?:...)$`` they may stand without a sign of their own. Other lookaround has no such form, and the
    compiler refuses it.
    """
    if pattern.startswith("^(?:") and pattern.endswith(")$") and _closing(pattern, 1) == len(pattern) - 2:
        inner = pattern[4:-2].lstrip("^")
        if not _branches(inner):
            tests, rest = _lookaheads(f"^{inner}")
            return (tests, f"^(?:{rest[1:]})$") if tests else ([], pattern)
    if pattern.startswith("(?=") and _closing(pattern, 0) == len(pattern) - 1:
        return [], f"(?:{pattern[3:-1]})"
    ahead: list[tuple[bool, str]] = []
    at = 1
    while pattern.startswith("^") and pattern[at : at + 3] in ("(?=", "(?!"):
        end = _closing(pattern, at)
        if end < 0:
            break
        ahead.append((pattern[at + 2] == "=", f"^(?:{pattern[at + 3 : end]})"))
        at = end + 1
    if not ahead or _closing(f"({pattern[at:]}", 0) >= 0 or _branches(pattern[at:]):
        return [], pattern
    return ahead, f"^{pattern[at:]}"


#: Flags of Rust's regex crate that RE2 does not have: blanks and comments, line ends of two characters, no Unicode.
_OF_RUST = lazily(r"\(\?[imsU]*+-?[imsU]*+[xRu]")
#: An escape, a class in brackets, or one character. A class without its end takes the rest.
_PIECE = lazily(r"(?s)\\.|\[(?>\\.|[^\]\\])*+\]?|.")


def _closing(pattern: str, at: int) -> int:
    """Return where the group that begins at a place ends; -1 when it does not."""
    depth = 0
    for piece in _PIECE.finditer(pattern, at):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if depth == 0:
            return piece.start()
    return -1


def _branches(pattern: str) -> bool:
    """Return whether a pattern has alternatives outside of groups."""
    depth = 0
    for piece in _PIECE.finditer(pattern):
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        if depth == 0 and piece[0] == "|":
            return True
    return False


def _refuse_misread(pattern: str) -> None:
    """Raise PatternError for Rust's word anchors, which RE2 interprets differently."""
    at = pattern.find("\\")
    while at >= 0:
        escaped = pattern[at + 1 : at + 3]
        if escaped[:1] in ("<", ">"):
            raise UnsupportedError(f"\\{escaped[:1]} is not supported (L-EVERRUNS-005)")
        if escaped in ("b{", "B{"):
            raise UnsupportedError(f"\\{escaped[0]}{{...}} is not supported (L-EVERRUNS-005)")
        at = pattern.find("\\", at + 2)

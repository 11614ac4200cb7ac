"""Shell patterns: the quick matchers against sets of positions and a naive matcher, and against bash."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from fuzz import real
from fuzz.compare import compare
from fuzz.pieces import Pieces, promise, within
from sandhook.errors import LimitExceeded
from sandhook.pattern.glob import Pattern, compile_pattern

WORDS = (
    "*",
    "?",
    "[!a]",
    "[a-c]",
    "[]a]",
    "[[:alpha:]]",
    "*(a|b)",
    "+(",
    "@(",
    "!(",
    "?(",
    "|",
    ")",
    "\\",
    "[^",
    "**",
)

_ALPHABET = "ab.-*?[]!^\\()|+@:lph é/"


def seeds() -> Iterable[bytes]:
    pairs = (
        *(
            ("a*b?c", "axxbyc"),
            ("[a-c]*[!x]", "bzz"),
            ("+(a|b)c", "abac"),
            ("!(a*|b)", "ab"),
            ("*.b*", "a.b.b"),
        ),
        *(
            ("\\*a", "*a"),
            ("[[:alpha:]]?", "lp"),
            ("@(a|@(b|?))", "b"),
            ("*a*a*a*b", "aaaaaaaa"),
            ("[]a-]", "]"),
        ),
    )
    for pattern, text in pairs:
        yield f"{pattern}\0{text}".encode()


def target(data: bytes) -> None:
    pattern, text, *_ = (*Pieces(data).texts(2), "")
    pattern, text = within(pattern, _ALPHABET)[:24], within(text, _ALPHABET)[:24]
    try:
        compiled = compile_pattern(pattern)
    except LimitExceeded:
        return
    matched = compiled.matches(text)
    promise(matched == compiled.match_sets(text), "the quick matcher agrees", pattern, text, matched)
    if not (re.search(r"[@+!]\(", pattern) and "*" in pattern):  # bash's star depends on the end of the text
        check_parts(compiled, pattern, text)
    simple = re.sub(r"[^ab.*?é]", "", pattern)
    promise(
        compile_pattern(simple).matches(text) == naive(simple, text), "the naive matcher agrees", simple, text
    )
    if not real.no_bash() and not re.search(r"!\(|\(.*\*[*?]*[@+]\(", pattern):  # L-GLOB-004
        compare("glob", pattern, text)


def check_parts(compiled: Pattern, pattern: str, text: str) -> None:
    """Compare the matches at either end of a text with those of all its parts."""
    prefixes = [end for end in range(len(text) + 1) if compiled.match_sets(text[:end])]
    promise(compiled.match_prefix(text, True) == (prefixes or [-1])[-1], "the longest prefix", pattern, text)
    promise(compiled.match_prefix(text, False) == (prefixes or [-1])[0], "the shortest prefix", pattern, text)
    suffixes = [start for start in range(len(text) + 1) if compiled.match_sets(text[start:])]
    promise(compiled.match_suffix(text, True) == (suffixes or [-1])[0], "the longest suffix", pattern, text)
    promise(
        compiled.match_suffix(text, False) == (suffixes or [-1])[-1], "the shortest suffix", pattern, text
    )


@cache
def naive(pattern: str, text: str) -> bool:
    """Return whether a pattern of literals, stars and question marks matches, one character at a time."""
    if not pattern:
        return not text
    if pattern[0] == "*":
        return naive(pattern[1:], text) or bool(text and naive(pattern, text[1:]))
    return bool(text) and pattern[0] in ("?", text[0]) and naive(pattern[1:], text[1:])

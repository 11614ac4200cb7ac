"""What grep and sed refuse in regular expressions although regcomp takes it.

Source: gnulib's dfa.c as GNU grep 3.8 and sed 4.9 have it.
"""

from __future__ import annotations

from sandhook.pattern.errors import PatternError


def check_class_syntax(pattern: bytes) -> None:
    """Raise PatternError for ``[:space:]``, which was meant to be ``[[:space:]]``."""
    if b"[:" not in pattern and b"[^:" not in pattern:
        return
    at = 0
    while at < len(pattern):
        if pattern[at] == 0x5C:
            at += 2
        elif pattern[at] == 0x5B:
            at = _bracket_end(pattern, at + 1)
        else:
            at += 1


def _bracket_end(pattern: bytes, at: int) -> int:
    """Check the contents of one bracket expression; return the offset after it."""
    at += pattern[at : at + 1] == b"^"
    start = at
    classes = False
    while at < len(pattern) and (pattern[at] != 0x5D or at == start):
        kind = pattern[at + 1 : at + 2]
        end = pattern.find(kind + b"]", at + 2) if pattern[at] == 0x5B and kind in (b":", b".", b"=") else -1
        classes = classes or end >= 0
        at = end + 2 if end >= 0 else at + 1
    inside = pattern[start:at]
    if at < len(pattern) and not classes and inside[:1] == b":" == inside[-1:] and inside.strip(b":"):
        raise PatternError("character class syntax is [[:space:]], not [:space:]")
    return at + 1

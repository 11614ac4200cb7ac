"""Checks of regular expressions that grep and sed make, and regcomp does not.

Source: gnulib's dfa.c, as in GNU grep 3.8 and sed 4.9.
"""

from __future__ import annotations

from sandhook.pattern.errors import PatternError


def check_class_syntax(pattern: bytes) -> None:
    """Raise PatternError for ``[:space:]``, which should be ``[[:space:]]``."""
    if b"[:" not in pattern and b"[^:" not in pattern:
        return
    offset = 0
    while offset < len(pattern):
        if pattern[offset] == 0x5C:
            offset += 2
        elif pattern[offset] == 0x5B:
            offset = _bracket_end(pattern, offset + 1)
        else:
            offset += 1


def _bracket_end(pattern: bytes, offset: int) -> int:
    """Check the contents of one bracket expression; return the offset after it."""
    offset += pattern[offset : offset + 1] == b"^"
    start = offset
    has_class = False
    while offset < len(pattern) and (pattern[offset] != 0x5D or offset == start):
        kind = pattern[offset + 1 : offset + 2]
        end = (
            pattern.find(kind + b"]", offset + 2)
            if pattern[offset] == 0x5B and kind in (b":", b".", b"=")
            else -1
        )
        has_class = has_class or end >= 0
        offset = end + 2 if end >= 0 else offset + 1
    content = pattern[start:offset]
    if (
        offset < len(pattern)
        and not has_class
        and content[:1] == b":" == content[-1:]
        and content.strip(b":")
    ):
        raise PatternError("character class syntax is [[:space:]], not [:space:]")
    return offset + 1

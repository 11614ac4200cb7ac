"""How long the ``regex`` module may search, so that its stack does not need more memory than a run may have.

The module puts each turn of a repeated group and each call of a group on a stack, which it cannot bound: 594 MB in 0.6 s
for ``((a|b)*)\\1[cd]`` on 8 MB. The stack grows with the time of one search, so that bounds it.
"""

from __future__ import annotations

from sandhook.lazy import lazily

_CALL = lazily(rb"\(\?(?:R|[-+]?[0-9]|&|P>)|\\g[<']")
_REPEATED_GROUP = lazily(rb"\)\\?(?:[*+]|\{[0-9]*,)")

#: Growth in bytes a second at most, and the least bound in seconds, because a busy machine may be slow to begin.
_CALLS = (1 << 29, 0.1)
_REPEATS = (1 << 29, 0.1)

#: Seconds of a search without a bound.
_UNBOUNDED = float("inf")

#: Bytes on the stack for one turn, and for each group in it.
_TURN = 150


def longest_search(pattern: bytes, groups: int, characters: int, memory: int) -> float:
    """Return the most seconds of one search.

    Args:
        pattern: The expression.
        groups: How many groups it has.
        characters: The length of the text.
        memory: ``Limits.memory_bytes``; the stack may have some times as much.
    """
    if _CALL.search(pattern):
        growth, least = _CALLS
    elif _REPEATED_GROUP.search(pattern):
        # Every turn consumes a character, unless one is counted: (a?){1000}.
        if b"{" not in pattern and characters * _TURN * (1 + groups) <= 2 * memory:
            return _UNBOUNDED
        growth, least = _REPEATS
    else:
        return _UNBOUNDED
    return max(least, memory / growth)

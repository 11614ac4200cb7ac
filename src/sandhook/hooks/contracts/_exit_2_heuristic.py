"""How to tell that a program's own error gave an exit status that means a decision."""

from __future__ import annotations

#: What shells, interpreters and tools write when they end with status 2 by themselves.
_SIGNS = (
    *("syntax error", "usage:", "Usage:", "can't open file", "cannot open", "invalid option", "Unmatched"),
    *("unrecognized option", "No such file or directory"),
)

NOTE = "exit status 2 looks like a program's own error, not a decision"


def looks_accidental(words: str) -> bool:
    """Tell whether standard error reads like a program's own failure."""
    return any(sign in words for sign in _SIGNS)

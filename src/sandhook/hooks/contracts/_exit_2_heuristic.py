"""A heuristic: recognise a program's own failure in an exit status that would be a decision.

It gives a diagnostic for the author of the hook; nothing decides by it.
"""

from __future__ import annotations

#: Messages of shells, interpreters and tools that fail with the exit status 2.
_SIGNS = (
    *("syntax error", "usage:", "Usage:", "can't open file", "cannot open", "invalid option", "Unmatched"),
    *("unrecognized option", "No such file or directory", "command not found"),
)

NOTE = "exit status 2 looks like a program's own error, not a decision"


def looks_accidental(words: str) -> bool:
    """Return whether standard error reads like a program's own failure."""
    return any(sign in words for sign in _SIGNS)

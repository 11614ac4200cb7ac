"""Errors of grep's patterns, of which each must be an expression.

Oracle: GNU grep 3.8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.limits import timed_items
from sandhook.pattern.errors import PatternError
from sandhook.pattern.posix import compile_regex
from sandhook.pattern.translate import Dialect


class PatternListError(PatternError):
    """The messages of wrong patterns, each with its pattern."""

    def __init__(self, errors: Sequence[tuple[bytes, str]]) -> None:
        super().__init__(errors[0][1])
        self.errors = errors


def ends_in_backslash(pattern: bytes) -> bool:
    """Return whether nothing follows the last backslash, which GNU grep takes for a character in the last of patterns."""
    return (len(pattern) - len(pattern.rstrip(b"\\"))) % 2 == 1


def check_apart(patterns: Sequence[bytes], dialect: Dialect, is_suspect: Callable[[bytes], bool]) -> None:
    """Compile suspect patterns one by one, for in one text a bracket would contain the next patterns.

    Raises PatternListError.
    """
    errors = [
        (pattern, message)
        for pattern in timed_items(patterns)
        if is_suspect(pattern) and (message := _error_of(pattern, dialect))
    ]
    if errors:
        raise PatternListError(
            [(each, message) for each in timed_items(patterns) if (message := _error_of(each, dialect))]
        )


def _error_of(pattern: bytes, dialect: Dialect) -> str:
    try:
        compile_regex(pattern, dialect)
    except PatternError as error:
        return error.message
    return ""

"""Errors of patterns that cannot be used."""

from __future__ import annotations

from sandhook.errors import LimitExceeded


class PatternError(ValueError):
    """A regular expression that does not compile, or that is not allowed.

    Attributes:
        message: GNU's wording, for example ``Unmatched ( or \\(``.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class SearchTooLong(LimitExceeded):
    """A search in linear time that may not end before the deadline, and that nothing can interrupt."""

    def __init__(self, wall_seconds: float) -> None:
        super().__init__("wall_seconds", wall_seconds, "regular expression")


class UnmatchedBracketError(PatternError):
    """A bracket expression that is not closed."""

    def __init__(self) -> None:
        super().__init__("Unmatched [, [^, [:, [., or [=")


class UnsupportedError(PatternError):
    """An expression that its own language accepts, and that cannot be searched in linear time."""

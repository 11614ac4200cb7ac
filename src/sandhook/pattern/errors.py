"""Errors of patterns that cannot be used."""

from __future__ import annotations


class PatternError(ValueError):
    """A regular expression that does not compile, or that is not allowed.

    Attributes:
        message: GNU's wording, for example ``Unmatched ( or \\(``.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UnmatchedBracketError(PatternError):
    """A bracket expression that is not closed."""

    def __init__(self) -> None:
        super().__init__("Unmatched [, [^, [:, [., or [=")

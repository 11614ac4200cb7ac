"""The errors of an installation."""

from __future__ import annotations

from sandhook.errors import SandhookError


class InstallationError(SandhookError):
    """A file cannot be changed.

    Attributes:
        file: Its name.
        reason: Why, and what would help.
    """

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file = file
        self.reason = reason


class ScopeError(SandhookError):
    """An agent does not have the scope that was asked for."""


class EditedError(InstallationError):
    """A file was edited after sandhook wrote it, and the operation would lose the edits."""

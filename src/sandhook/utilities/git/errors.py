"""The errors of git: their text and exit status."""

from __future__ import annotations


class GitError(Exception):
    """A command ends: ``fatal: message`` on standard error, with this exit status.

    Attributes:
        prefix: The word before the message; "" for a message without one.
        status: The exit status.
    """

    def __init__(self, message: str, *, prefix: str = "fatal", status: int = 128) -> None:
        super().__init__(message)
        self.prefix = prefix
        self.status = status

    def text(self) -> str:
        """Return the line for standard error, without its newline."""
        return f"{self.prefix}: {self}" if self.prefix else str(self)


class OptionFault(GitError):
    """A wrong option: ``error: unknown option `x'``, with status 129."""

    def __init__(self, message: str) -> None:
        super().__init__(message, prefix="error", status=129)


class RevisionError(GitError):
    """A name is not a revision."""


class MissingObject(GitError):
    """An object is not in the repository, or is damaged."""

"""Diagnostic: a line for the author of a configuration, which knows the place that it is about."""

from __future__ import annotations

from sandhook.typed import Self


class Diagnostic(str):
    """``[FILE: ][PATH: ]MESSAGE``, and its parts.

    Attributes:
        message: What is unusual.
        path: Where in the document, or "".
        file: The document, or "" when there is only one or it has no name.
    """

    message: str
    path: str
    file: str

    def __new__(cls, message: str, path: str = "", file: str = "") -> Self:
        self = super().__new__(cls, ": ".join(part for part in (file, path, message) if part))
        self.message, self.path, self.file = message, path, file
        return self

    def with_message(self, message: str) -> Diagnostic:
        """Return a diagnostic about the same place."""
        return Diagnostic(message, self.path, self.file)

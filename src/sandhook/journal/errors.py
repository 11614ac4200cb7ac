"""The errors of records."""

from __future__ import annotations

from sandhook.errors import SandhookError


class JournalError(SandhookError):
    """A record that cannot be opened, written or read."""


class DamagedLine(SandhookError):
    """A line of a record that cannot be read; the message has the reason."""

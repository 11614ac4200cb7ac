"""Errors of the service that several of its modules know."""

from __future__ import annotations

from sandhook.errors import SandhookError


class AuditError(SandhookError):
    """An audit log that cannot be opened or written."""

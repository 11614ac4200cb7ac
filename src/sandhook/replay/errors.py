"""The errors of replays."""

from __future__ import annotations

from sandhook.errors import SandhookError


class ReplayError(SandhookError):
    """A replay that cannot begin or go on: its arguments, its state, or its engine."""

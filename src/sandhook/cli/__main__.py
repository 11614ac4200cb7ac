"""``python -m sandhook.cli``."""

from __future__ import annotations

from sandhook.cli import entry

entry()

""":: do nothing, successfully.

Source: POSIX.1-2024 XCU 2.15 colon.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.state.state import State

USAGE = ":"


def run(state: State, argv: Sequence[str]) -> int:
    """Return 0, whatever the arguments are."""
    return 0

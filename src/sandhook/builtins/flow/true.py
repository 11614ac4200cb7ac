"""true: do nothing, successfully.

Source: POSIX.1-2024 XCU 3, true; Bash Reference Manual 5.2. The program of that name also knows --help.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.state.state import State

USAGE = "true"


def run(state: State, argv: Sequence[str]) -> int:
    """Return 0, whatever the arguments are."""
    return 0

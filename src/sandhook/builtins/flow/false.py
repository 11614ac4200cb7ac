"""false: do nothing, unsuccessfully.

Source: POSIX.1-2024 XCU 3, false; Bash Reference Manual 5.2. The program of that name also knows --help.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.state.state import State

USAGE = "false"


def run(state: State, argv: Sequence[str]) -> int:
    """Return 1, whatever the arguments are."""
    return 1

"""continue: start the next iteration of a loop.

Source: POSIX.1-2024 XCU 2.15 continue.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin
from sandhook.builtins.flow.break_ import loop_count
from sandhook.state.control import ContinueLoop
from sandhook.state.state import State

USAGE = "continue [n]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Raise ContinueLoop; return 0 with a message outside any loop."""
    levels = loop_count(state, argv)
    if levels:
        raise ContinueLoop(levels)
    return 0

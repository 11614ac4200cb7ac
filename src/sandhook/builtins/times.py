"""times: print how much time was used.

Source: POSIX.1-2024 XCU 2.15 times.
Divergence: L-TIMES-001, all the time of the run, sleeps excepted, is the shell's own user time.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import builtin, no_options, write
from sandhook.state.state import State

USAGE = "times"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 0."""
    no_options(argv)
    budget = state.budget
    minutes, seconds = divmod(max(0.0, budget.elapsed() - budget.skipped), 60)
    write(state, f"{int(minutes)}m{seconds:.3f}s 0m0.000s\n0m0.000s 0m0.000s\n")
    return 0

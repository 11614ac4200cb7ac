"""times: print the processor time of the shell and its children.

Source: POSIX.1-2024 XCU 2.15 times.
Divergence: L-TIMES-001, all time of the run except sleeps counts as user time of the shell.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin, no_options, write
from sandhook.state.state import State

USAGE = "times"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 0."""
    no_options(argv)
    kernel = state.process.kernel
    children = kernel.cpu_seconds
    own = kernel.times()[1] - children[0]
    write(state, f"{_minutes(own)} 0m0.000s\n{_minutes(children[0])} {_minutes(children[1])}\n")
    return 0


def _minutes(seconds: float) -> str:
    minutes, seconds = divmod(seconds, 60)
    return f"{int(minutes)}m{seconds:.3f}s"

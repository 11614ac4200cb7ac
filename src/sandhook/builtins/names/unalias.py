"""unalias: remove aliases.

Source: POSIX.1-2024 XCU 3 unalias.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import USAGE_STATUS, builtin, parse, print_error, show_usage
from sandhook.state.state import State

USAGE = "unalias [-a] name [name ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for an unknown name, 2 without any."""
    options, operands = parse(argv, "a")
    if options:
        state.aliases.clear()
        return 0
    if not operands:
        show_usage(state, "unalias", USAGE)
        return USAGE_STATUS
    status = 0
    for name in operands:
        if state.aliases.pop(name, None) is None:
            print_error(state, f"unalias: {name}: not found")
            status = 1
    return status

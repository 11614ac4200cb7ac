"""shift: drop positional parameters.

Source: POSIX.1-2024 XCU 2.15 shift.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, builtin, count_argument, number_operands
from sandhook.state.state import State
from sandhook.state.values import FEW_PARAMETERS, Charge

USAGE = "shift [n]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1, and drop nothing, when there are fewer than n parameters."""
    count = 1
    if len(argv) > 1:
        count = count_argument(number_operands(argv), 1)
    if count < 0:
        raise BuiltinError(f"{count}: shift count out of range")
    if count > len(state.positional):
        if "shift_verbose" in state.options.shopts:
            raise BuiltinError(
                f"{argv[-1]}: shift count out of range" if len(argv) > 1 else "shift count out of range"
            )
        return 1
    if count and state.shifted_list is state.positional:
        del state.positional[:count]
    elif count:
        state.positional = state.shifted_list = state.positional[count:]
        if len(state.positional) > FEW_PARAMETERS:
            state.execution.parameters = Charge(8 * len(state.positional), state.budget)
    return 0

"""return: leave a function or a sourced script.

Source: POSIX.1-2024 XCU 2.15 return.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import USAGE_STATUS, BuiltinError, builtin, number_operands, numeric, print_error
from sandhook.state.control import ReturnFrom
from sandhook.state.state import State

USAGE = "return [n]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Raise ReturnFrom with n, or the last status; return 2 where there is nothing to leave."""
    status = state.status if state.tracing.return_status is None else state.tracing.return_status
    if len(argv) > 1:
        operands = number_operands(argv)
        if operands:
            status = _status(state, operands)
    if not state.frames:
        raise BuiltinError("can only `return' from a function or sourced script", USAGE_STATUS)
    raise ReturnFrom(status)


def _status(state: State, operands: Sequence[str]) -> int:
    number = numeric(operands[0])
    if number is None:
        print_error(state, f"return: {operands[0]}: numeric argument required")
        return USAGE_STATUS
    if len(operands) > 1:
        raise BuiltinError("too many arguments", ends="unit")
    return number & 0xFF

"""let: evaluate arithmetic expressions.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, HelpWanted, builtin, runtime
from sandhook.state.control import ShellError
from sandhook.state.state import State

USAGE = "let arg [arg ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when the last expression is 0 or an expression has an error, else 0."""
    if len(argv) > 1 and argv[1] == "--help":
        raise HelpWanted
    operands = argv[2:] if len(argv) > 1 and argv[1] == "--" else argv[1:]
    if not operands:
        raise BuiltinError("expression expected")
    evaluate = runtime(state).arithmetic
    value = 0
    for operand in operands:
        try:
            value = evaluate(state, operand)
        except ShellError as error:
            if error.ends_callers:
                raise
            own = error if error.reason == "readonly variable" else None
            raise BuiltinError(error.message, own=own) from None
    return 0 if value else 1

"""builtin: run a shell built-in, not a function of the same name.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins import NAMES
from sandhook.builtins.base import BuiltinError, builtin, no_options, runtime
from sandhook.state.state import State

USAGE = "builtin [shell-builtin [arg ...]]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return the status of the built-in; 1 when the name is not a built-in."""
    operands = no_options(argv)
    if not operands:
        return 0
    if operands[0] not in NAMES or operands[0] in state.disabled_builtins:
        raise BuiltinError(f"{operands[0]}: not a shell builtin")
    return runtime(state).call(state, operands, functions=False)

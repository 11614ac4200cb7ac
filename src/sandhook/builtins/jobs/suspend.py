"""suspend: stop the shell until it receives SIGCONT; without job control this always fails.

Source: bash 5.2 reference manual 7.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, builtin, parse
from sandhook.state.state import State

USAGE = "suspend [-f]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1: no shell of a sandbox can be stopped."""
    if parse(argv, "f")[1]:
        raise BuiltinError("too many arguments", ends="unit")
    raise BuiltinError("cannot suspend: no job control")

"""logout: leave a login shell, which no shell of a sandbox is.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import Fault, HelpWanted, builtin
from sandhook.state.state import State

USAGE = "logout [n]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1."""
    if len(argv) > 1 and argv[1] == "--help":
        raise HelpWanted
    raise Fault("not login shell: use `exit'")

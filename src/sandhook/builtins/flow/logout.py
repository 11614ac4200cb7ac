"""logout: leave a login shell, as exit does.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, HelpWanted, builtin
from sandhook.builtins.flow.exit import run as leave
from sandhook.state.state import State

USAGE = "logout [n]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Raise ExitShell in a login shell; return 1 in any other."""
    if len(argv) > 1 and argv[1] == "--help":
        raise HelpWanted
    if "login_shell" not in state.options.shopts:
        raise BuiltinError("not login shell: use `exit'")
    return leave(state, argv)

"""export: mark variables for the environment of commands.

Source: POSIX.1-2024 XCU 2.15 export; bash 5.2 reference manual 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin
from sandhook.builtins.variables.marking import mark
from sandhook.state.assigned import Assigned
from sandhook.state.state import State
from sandhook.state.values import EXPORT

USAGE = "export [-fn] [name[=value] ...] or export -p"


@builtin(USAGE)
def run(state: State, argv: Sequence[str | Assigned]) -> int:
    """Return 1 when a name is invalid or not a function (-f)."""
    return mark(state, argv, EXPORT)

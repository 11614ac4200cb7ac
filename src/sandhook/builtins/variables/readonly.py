"""readonly: protect variables from change.

Source: POSIX.1-2024 XCU 2.15 readonly; bash 5.2 reference manual 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin
from sandhook.builtins.variables.marking import mark
from sandhook.state.assigned import Assigned
from sandhook.state.state import State
from sandhook.state.values import READONLY

USAGE = "readonly [-aAf] [name[=value] ...] or readonly -p"


@builtin(USAGE)
def run(state: State, argv: Sequence[str | Assigned]) -> int:
    """Return 1 when a name is invalid, not a function (-f), or readonly and assigned a value."""
    return mark(state, argv, READONLY)

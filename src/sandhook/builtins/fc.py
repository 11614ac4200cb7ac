"""fc: list, edit and run again commands of the history, which is empty here.

Source: POSIX.1-2024 XCU 3 fc.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import Fault, builtin, parse
from sandhook.state.state import State

USAGE = "fc [-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 0: there is nothing to list or edit; 1 with -s, which needs a command."""
    given, _ = parse(argv, "e:lnrs")
    if any(option.letter == "s" for option in given):
        raise Fault("no command found")
    return 0

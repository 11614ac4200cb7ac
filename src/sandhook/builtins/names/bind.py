"""bind: key bindings of line editing, which a shell without a terminal does not have.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import USAGE_STATUS, builtin, parse, print_error, show_usage
from sandhook.state.state import State

USAGE = (
    "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] [-x keyseq:shell-command] "
    "[keyseq:readline-function or readline-command]"
)


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 0 after bash's warning."""
    print_error(state, "bind: warning: line editing not enabled")
    if argv[1:2] == ["--help"]:
        show_usage(state, "bind", USAGE)
        return USAGE_STATUS
    parse(argv, "lpsvPSVXm:f:q:u:r:x:")
    return 0

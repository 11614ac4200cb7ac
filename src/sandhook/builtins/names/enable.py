"""enable: switch built-ins off and on.

Source: bash 5.2 reference manual 4.2. Disabled names are in ``state.disabled_builtins``.
Divergence: L-ENABLE-001, -f (code from shared objects) is an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins import NAMES, SPECIAL
from sandhook.builtins.base import builtin, parse, print_error, unsupported, write
from sandhook.state.state import State

USAGE = "enable [-a] [-dnps] [-f filename] [name ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a name that is not a built-in."""
    options, names = parse(argv, "adf:nps")
    letters = {option.letter for option in options}
    if "f" in letters:
        unsupported("-f", "L-ENABLE-001")
    disabled = state.disabled_builtins
    if not names or "p" in letters:
        for name in sorted(SPECIAL if "s" in letters else NAMES):
            is_disabled = name in disabled
            if "a" in letters or is_disabled is ("n" in letters):
                write(state, f"enable {'-n ' if is_disabled else ''}{name}\n")
        return 0
    status = 0
    for name in names:
        if name not in NAMES:
            print_error(state, f"enable: {name}: not a shell builtin")
            status = 1
        elif "d" in letters:
            print_error(state, f"enable: {name}: not dynamically loaded")
            status = 1
        elif "n" in letters:
            disabled |= {name}
        else:
            disabled -= {name}
    state.disabled_builtins = disabled
    state.update_instrumented()
    return status

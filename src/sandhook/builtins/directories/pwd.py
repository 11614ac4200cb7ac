"""pwd: print the working directory.

Source: POSIX.1-2024 XCU 3 pwd.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin, parse, write
from sandhook.builtins.directories.directory import LOST, logical, physical
from sandhook.state.state import State

USAGE = "pwd [-LP]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when the directory is gone and -P asks for its real name."""
    follow = "physical" in state.options.enabled
    if len(argv) > 1:
        for option in parse(argv, "LP")[0]:
            follow = option.letter == "P"
    try:
        directory = physical(state) if follow else logical(state)
    except OSError:
        state.shell.write_error(state, f"pwd: {LOST}\n")
        return 1
    write(state, directory + "\n")
    return 0

"""command: run a command that is not a function, or describe it.

Source: POSIX.1-2024 XCU 3 command; bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin, parse, print_error, runtime, write
from sandhook.builtins.names.command_meanings import meanings, short, write_long
from sandhook.interp.lookup import STANDARD_PATH, Meaning, find, search_path
from sandhook.interp.traps import without_err_trap
from sandhook.state.control import UsageExit
from sandhook.state.state import State

USAGE = "command [-pVv] command [arg ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return the command's status; with -v or -V, 1 when no operand was found."""
    options, operands = parse(argv, "pVv")
    if not operands:
        return 0
    default_path = False
    describe = ""
    for option in options:
        if option.letter == "p":
            default_path = True
        else:
            describe = option.letter
    if not describe:
        try:
            call = runtime(state).call
            return without_err_trap(
                state, lambda: call(state, operands, functions=False, default_path=default_path)
            )
        except UsageExit as misuse:
            state.execution.syntax_error = None  # it does not end the text around it
            return misuse.status
    status = 1
    for name in operands:
        matches = _meanings(state, name, default_path)
        if not matches:
            if describe == "V":
                print_error(state, f"command: {name}: not found")
            continue
        status = 0
        if describe == "V":
            write_long(state, name, matches[0])
        else:
            write(state, short(state, name, matches[0]) + "\n")
    return status


def _meanings(state: State, name: str, default_path: bool) -> Sequence[Meaning]:
    """Return the meanings of a name; with -p, files are searched in the standard directories."""
    if not default_path:
        return meanings(state, name)
    matches = find(state, name)
    files = [Meaning("file", path) for path in search_path(state, name, STANDARD_PATH)]
    return [*(match for match in matches if match.kind != "file"), *files]

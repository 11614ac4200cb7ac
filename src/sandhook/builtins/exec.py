"""exec: replace the shell by a command, or make redirections last.

Source: POSIX.1-2024 XCU 2.15 exec; bash 5.2 reference manual 4.1. The interpreter applies the
redirections; without a command nothing is left to do here.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import builtin, complain, parse, runtime
from sandhook.builtins._finding import found_files
from sandhook.state.control import ExitShell
from sandhook.state.state import State
from sandhook.vfs.path import join

USAGE = "exec [-cl] [-a name] [command [argument ...]] [redirection ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Run the command and end the shell; a command that cannot run ends it with 126 or 127.

    With ``shopt -s execfail`` the shell goes on after such a failure.
    """
    given, operands = parse(argv, "a:cl")
    if not operands:
        return 0
    name = operands[0]
    argv0: str | None = None
    environment: dict[str, str] | None = None
    login = False
    for option in given:
        if option.letter == "a":
            argv0 = option.argument
        elif option.letter == "c":
            environment = {}
        else:
            login = True
    if login:
        argv0 = "-" + (name if argv0 is None else argv0)
    problem = _problem(state, name)
    if problem is not None:
        message, status = problem
        complain(state, f"exec: {name}: {message}")
        if "execfail" in state.options.shopts:
            return status
        raise ExitShell(status)
    return runtime(state).replace(state, operands, environment=environment, argv0=argv0)


def _problem(state: State, name: str) -> tuple[str, int] | None:
    """Return why a command cannot be executed, with the exit status; None when it can."""
    if "/" not in name:
        return None if found_files(state, name) else ("not found", 127)
    fs = state.process.kernel.fs
    path = join(state.process.cwd, name)
    if found_files(state, name):
        return None
    if fs.is_dir(path):
        return "cannot execute: Is a directory", 126
    if not fs.exists(path):
        return "cannot execute: No such file or directory", 127
    if not fs.access(path, 1):
        return "cannot execute: Permission denied", 126
    return None

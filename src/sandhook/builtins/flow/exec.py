"""exec: replace the shell by a command, or make redirections last.

Source: POSIX.1-2024 XCU 2.15 exec; bash 5.2 reference manual 4.1. The interpreter applies the
redirections; without a command there is nothing else to do.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin, parse, print_error, runtime
from sandhook.interp.lookup import locate, may_run, not_started, utility_at
from sandhook.kernel.environment import ChangedEnvironment
from sandhook.state.control import AskedExit
from sandhook.state.state import State
from sandhook.vfs.errors import error_text
from sandhook.vfs.path import join

USAGE = "exec [-cl] [-a name] [command [argument ...]] [redirection ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Run the command and end the shell; a command that cannot run ends it with 126 or 127.

    With ``shopt -s execfail`` the shell continues after such a failure; a subshell does not.
    """
    options, operands = parse(argv, "a:cl")
    if not operands:
        return 0
    name = operands[0]
    argv0: str | None = None
    environment: dict[str, str] | None = None
    login = False
    for option in options:
        if option.letter == "a":
            argv0 = option.argument
        elif option.letter == "c":
            environment = ChangedEnvironment({}, empty=True)
        else:
            login = True
    if login:
        argv0 = "-" + (name if argv0 is None else argv0)
    file = name if "/" in name else _search_path(state, name)
    status = _print_exec_error(state, name, file)
    if status:
        if "execfail" in state.options.shopts and not state.subshell:
            return status
        if file:  # bash has dropped its traps when the system refuses the file
            state.traps.pop("EXIT", None)
        raise AskedExit(status)
    if utility_at(state, file) is None:
        file = str(join(state.process.cwd, file.removeprefix("./")))
    return runtime(state).replace(state, operands, file, environment=environment, argv0=argv0)


def _search_path(state: State, name: str) -> str:
    """Return the file found along PATH, or "" when no file is found."""
    located = locate(state, name, state.get("PATH"))
    return "" if located is None else located[0]


def _print_exec_error(state: State, name: str, file: str) -> int:
    """Return 0 for a file that can be executed; otherwise print why not and return 126 or 127."""
    if not file and name and state.process.kernel.fs.is_dir(join(state.process.cwd, name)):
        return _not_started(state, 126, f"exec: {name}: cannot execute: Is a directory")
    if not file:
        return _not_found(state, f"exec: {name}: not found", name)
    if utility_at(state, file) is not None or may_run(state, file):
        return 0
    fs = state.process.kernel.fs
    path = join(state.process.cwd, file.removeprefix("./"))
    try:
        is_directory = fs.stat(path).mode & 0o170000 == 0o040000
    except OSError as error:
        return _not_found(state, f"{path}: {error_text(error)}", name)
    reason = "Is a directory" if is_directory else "Permission denied"
    print_error(state, f"{path}: {reason}")
    return _not_started(state, 126, f"exec: {path}: cannot execute: {reason}")


def _not_found(state: State, message: str, name: str) -> int:
    from sandhook.interp.advice import hint

    status = _not_started(state, 127, message)
    if text := hint(state, name):
        state.shell.write_error(state, text)
    return status


def _not_started(state: State, status: int, message: str) -> int:
    return not_started(state, status, f"{runtime(state).where(state)}{message}")

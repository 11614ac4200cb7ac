"""., source: run a file's text in this shell.

Source: POSIX.1-2024 XCU 2.15 dot; bash 5.2 reference manual 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from errno import ENOENT

from sandhook.builtins.base import BuiltinError, builtin, misused, no_options, print_error, runtime
from sandhook.interp.traps import run_return_of_script, without_err_trap
from sandhook.limits import timed_items
from sandhook.state.control import ExitShell
from sandhook.state.state import State
from sandhook.vfs.errors import error_text, fs_error
from sandhook.vfs.path import join

USAGE = ". filename [arguments]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return the status of the last command; 1 when the file cannot be read."""
    operands = no_options(argv)
    if not operands:
        raise BuiltinError("filename argument required", usage=True)
    path = find(state, operands[0])
    if path is None:
        print_error(state, f"{argv[0]}: {operands[0]}: file not found")
        return misused(state, argv[0], 1)
    if not path:
        print_error(state, f": {error_text(fs_error(ENOENT))}")
        return misused(state, argv[0], 1)
    if state.process.kernel.fs.is_dir(join(state.process.cwd, path)):
        raise BuiltinError(f"{path}: is a directory")
    state.execution.syntax_error = None
    try:
        status = without_err_trap(state, lambda: runtime(state).source(state, path, operands[1:]))
    except OSError as error:
        print_error(state, f"{path}: {error_text(error)}")
        if state.options.errexit and not state.errexit_suppressed:
            if not state.options.functrace:  # the commands of the EXIT trap are within this built-in
                state.traps.pop("DEBUG", None)
                state.update_instrumented()
            raise ExitShell(runtime(state).run_exit_trap(state, 1)) from None  # before the ERR trap runs
        if "RETURN" in state.traps:
            run_return_of_script(runtime(state), state)
        return misused(state, argv[0], 1)
    fault = state.execution.syntax_error
    return status if fault is None or fault.where == "quote" else misused(state, argv[0], status)


def find(state: State, name: str) -> str | None:
    """Return the path of the file: unchanged with a slash, else from PATH, else in the working directory.

    In POSIX mode the working directory is not searched: None when PATH has no such file.
    """
    if "/" in name or "sourcepath" not in state.options.shopts:
        return name
    fs = state.process.kernel.fs
    for directory in timed_items((state.get("PATH") or "").split(":")):
        path = f"{directory.rstrip('/')}/{name}" if directory else name
        absolute = join(state.process.cwd, path)
        if fs.access(absolute, 4) and not fs.is_dir(absolute):
            return path
    return None if state.options.posix else name

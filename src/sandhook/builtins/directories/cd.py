"""cd: change the working directory.

Source: POSIX.1-2024 XCU 3 cd; bash 5.2 reference manual 4.1. -@ is for systems that show a
file's extended attributes as a directory; as on Linux it is an invalid option.
"""

from __future__ import annotations

from collections.abc import Sequence
from errno import ENOENT

from sandhook.builtins.base import BuiltinError, builtin, parse, write
from sandhook.builtins.directories.directory import change, change_along_cdpath, shown
from sandhook.state.state import State
from sandhook.vfs.errors import error_text, fs_error

USAGE = "cd [-L|[-P [-e]] [-@]] [dir]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when the directory cannot be entered, or OLDPWD or PWD cannot be set."""
    options, operands = parse(argv, "LPe")
    follow = "physical" in state.options.enabled
    for option in options:
        if option.letter in "LP":
            follow = option.letter == "P"
    if len(operands) > 1:
        raise BuiltinError("too many arguments")
    prints = False
    if not operands:
        name = _variable(state, "HOME")
    elif operands[0] == "-":
        name = _variable(state, "OLDPWD")
        prints = True
    else:
        name = operands[0]
        if change_along_cdpath(state, name, follow=follow):
            return 0
    try:
        if follow and not name:
            raise fs_error(ENOENT)
        directory = change(state, name, follow=follow)
    except OSError as error:
        value = state.get(name) if "cdable_vars" in state.options.shopts else None
        if not value:
            raise BuiltinError(f"{shown(name)}: {error_text(error)}") from None
        try:
            change(state, value, follow=follow)
            directory = value
        except OSError:
            raise BuiltinError(f"{shown(name)}: {error_text(error)}") from None
        prints = True
    if prints:
        write(state, (directory if name else "") + "\n")  # bash prints an empty OLDPWD as it is
    return 0


def _variable(state: State, name: str) -> str:
    value = state.get(name)
    if value is None:
        raise BuiltinError(f"{name} not set")
    return value

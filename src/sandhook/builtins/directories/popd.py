"""popd: remove an entry from the directory stack, and change to the new top.

Source: bash 5.2 reference manual 6.8.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, HelpWanted, builtin
from sandhook.builtins.directories.directory_stack import change_directory, index_of, show
from sandhook.state.state import State

USAGE = "popd [-n] [+N | -N]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when the stack is empty or has no such entry."""
    if argv[1:2] == ["--help"]:
        raise HelpWanted
    stays = False
    position: str | None = None
    for argument in argv[1:]:
        if argument == "-n":
            stays = True
        elif argument in ("--", ""):
            break
        elif len(argument) > 1 and argument[0] in "+-":
            position = argument
            if not argument[1:].isdigit():
                index_of(argument, 1)
        else:
            raise BuiltinError(f"{argument}: invalid argument", usage=True)
    stack = state.directory_stack
    if not stack:
        raise BuiltinError("directory stack empty")
    index = 0 if position is None else index_of(position, len(stack) + 1)
    if stays and index == 0:
        index = 1
    if index == 0:
        change_directory(state, stack[0])
        state.directory_stack = stack[1:]
    else:
        state.directory_stack = stack[: index - 1] + stack[index:]
    show(state)
    return 0

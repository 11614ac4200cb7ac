"""popd: go back to the directory that the stack remembers.

Source: bash 5.2 reference manual 6.8.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, HelpWanted, builtin
from sandhook.builtins.directories.directory_stack import go, index_of, show
from sandhook.state.state import State

USAGE = "popd [-n] [+N | -N]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when the stack is empty or has no such entry."""
    if argv[1:2] == ["--help"]:
        raise HelpWanted
    stay = False
    word: str | None = None
    for argument in argv[1:]:
        if argument == "-n":
            stay = True
        elif argument in ("--", ""):
            break
        elif len(argument) > 1 and argument[0] in "+-":
            word = argument
            if not argument[1:].isdigit():
                index_of(argument, 1)
        else:
            raise BuiltinError(f"{argument}: invalid argument", usage=True)
    stack = state.directory_stack
    if not stack:
        raise BuiltinError("directory stack empty")
    index = 0 if word is None else index_of(word, len(stack) + 1)
    if stay and index == 0:
        index = 1
    if index == 0:
        go(state, stack[0])
        state.directory_stack = stack[1:]
    else:
        state.directory_stack = stack[: index - 1] + stack[index:]
    show(state)
    return 0

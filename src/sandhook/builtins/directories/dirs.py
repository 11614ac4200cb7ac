"""dirs: show the directory stack.

Source: bash 5.2 reference manual 6.8.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, HelpWanted, builtin, write
from sandhook.builtins.directories.directory_stack import entries, index_of, tilde
from sandhook.state.state import State

USAGE = "dirs [-clpv] [+N] [-N]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when there is no such entry."""
    letters: set[str] = set()
    position: str | None = None
    for argument in argv[1:]:
        if argument == "--help":
            raise HelpWanted
        if argument == "--":
            continue
        if argument[:1] == "-" and len(argument) > 1 and argument[1:] in ("c", "l", "p", "v"):
            letters.add(argument[1:])  # bash does not accept grouped options
        elif argument[:1] in ("+", "-"):
            position = argument
            if not argument[1:].isdigit():
                index_of(argument, 1)
        else:
            raise BuiltinError(f"{argument}: invalid option", usage=True)
    if "c" in letters:
        state.directory_stack = []
        return 0
    stack = entries(state)
    shown = stack if "l" in letters else [tilde(state, path) for path in stack]
    start = 0
    if position is not None:
        start = index_of(position, len(stack), sign=False)
        shown = shown[start : start + 1]
    if "v" in letters:
        write(state, "".join([f"{number:2d}  {path}\n" for number, path in enumerate(shown, start)]))
    elif "p" in letters:
        write(state, "".join([f"{path}\n" for path in shown]))
    else:
        write(state, " ".join(shown) + "\n")
    return 0

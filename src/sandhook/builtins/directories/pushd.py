"""pushd: go to a directory and remember where we were.

Source: bash 5.2 reference manual 6.8.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, HelpWanted, builtin, write
from sandhook.builtins.directories.directory_stack import entries, go, index_of, show
from sandhook.state.state import State

USAGE = "pushd [-n] [+N | -N | dir]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when there is no other directory, or it cannot be entered."""
    if argv[1:2] == ["--help"]:
        raise HelpWanted
    stay = False
    words = list(argv[1:])
    stack = state.directory_stack
    index: int | None = None
    while words:
        word = words[0]
        if word == "-n":
            stay = True
        elif word == "--":
            words.pop(0)
            break
        elif len(word) > 1 and word[0] in "+-":
            index = index_of(word, len(stack) + 1)  # the last one counts
        else:
            break
        words.pop(0)
    if index is not None:
        _rotate(state, index, stay=stay)
        if not stay:  # else bash prints nothing
            show(state)
        return 0
    if not words:
        if stay:  # bash does nothing at all
            return 0
        if not stack:
            raise BuiltinError("no other directory")
        here = entries(state)[0]
        state.directory_stack = [here, *stack[1:]]  # before the change, as in bash: it stays when that fails
        go(state, stack[0])
        show(state)
        return 0
    word = words[0]
    if stay:
        state.directory_stack = [word, *stack]
    else:
        if len(words) > 1:
            raise BuiltinError("too many arguments")
        here = entries(state)[0]
        if word == "-":
            word = state.get("OLDPWD") or ""
            if not word:
                raise BuiltinError("OLDPWD not set")
        go(state, word)
        state.directory_stack = [here, *stack]
        if words[0] == "-":  # as cd does
            write(state, word + "\n")
    show(state)
    return 0


def _rotate(state: State, index: int, *, stay: bool) -> None:
    """Bring an entry to the top and go there; what stood before it goes to the end."""
    whole = entries(state)
    turned = whole[index:] + whole[:index]
    state.directory_stack = turned[1:]
    if not stay:
        go(state, turned[0])

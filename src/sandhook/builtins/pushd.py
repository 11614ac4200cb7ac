"""pushd: go to a directory and remember where we were.

Source: bash 5.2 reference manual 6.8.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import Fault, HelpWanted, builtin
from sandhook.builtins._stack import entries, go, index_of, show
from sandhook.state.state import State

USAGE = "pushd [-n] [+N | -N | dir]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when there is no other directory, or it cannot be entered."""
    if argv[1:2] == ["--help"]:
        raise HelpWanted
    stay = False
    words = list(argv[1:])
    while words:
        if words[0] == "-n":
            stay = True
        elif words[0] == "--":
            words.pop(0)
            break
        else:
            break
        words.pop(0)
    stack = state.directory_stack
    if not words:
        if not stack:
            raise Fault("no other directory")
        if not stay:
            here = entries(state)[0]
            go(state, stack[0])
            state.directory_stack = [here, *stack[1:]]
        show(state)
        return 0
    word = words[0]
    if len(words) > 1:
        raise Fault("too many arguments")
    if len(word) > 1 and word[0] in "+-":
        index = index_of(word, len(stack) + 1)
        if not stay:
            _rotate(state, index)
    elif stay:
        state.directory_stack = [word, *stack]
    else:
        here = entries(state)[0]
        if word == "-":
            word = state.get("OLDPWD") or ""
            if not word:
                raise Fault("OLDPWD not set")
        go(state, word)
        state.directory_stack = [here, *stack]
    show(state)
    return 0


def _rotate(state: State, index: int) -> None:
    """Bring an entry to the top and go there; what stood before it goes to the end."""
    whole = entries(state)
    turned = whole[index:] + whole[:index]
    go(state, turned[0])
    state.directory_stack = turned[1:]

"""pushd: change to a directory and push the old one on the directory stack.

Source: bash 5.2 reference manual 6.8.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, HelpWanted, builtin, write
from sandhook.builtins.directories.directory_stack import change_directory, entries, index_of, show
from sandhook.state.state import State

USAGE = "pushd [-n] [+N | -N | dir]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when there is no other directory, or it cannot be entered."""
    if argv[1:2] == ["--help"]:
        raise HelpWanted
    stays = False
    words = list(argv[1:])
    stack = state.directory_stack
    index: int | None = None
    while words:
        word = words[0]
        if word == "-n":
            stays = True
        elif word == "--":
            words.pop(0)
            break
        elif len(word) > 1 and word[0] in "+-":
            index = index_of(word, len(stack) + 1)  # the last such word counts
        else:
            break
        words.pop(0)
    if index is not None:
        _rotate(state, index, stays=stays)
        if not stays:  # with -n bash prints nothing
            show(state)
        return 0
    if not words:
        if stays:  # bash does nothing at all
            return 0
        if not stack:
            raise BuiltinError("no other directory")
        old_directory = entries(state)[0]
        state.directory_stack = [
            old_directory,
            *stack[1:],
        ]  # before the change, as in bash: it stays when that fails
        change_directory(state, stack[0])
        show(state)
        return 0
    word = words[0]
    if stays:
        state.directory_stack = [word, *stack]
    else:
        if len(words) > 1:
            raise BuiltinError("too many arguments")
        old_directory = entries(state)[0]
        if word == "-":
            word = state.get("OLDPWD") or ""
            if not word:
                raise BuiltinError("OLDPWD not set")
        change_directory(state, word)
        state.directory_stack = [old_directory, *stack]
        if words[0] == "-":  # as cd does
            write(state, word + "\n")
    show(state)
    return 0


def _rotate(state: State, index: int, *, stays: bool) -> None:
    """Rotate the stack so that an entry is at the top, and change to it unless ``stays``."""
    stack = entries(state)
    rotated = stack[index:] + stack[:index]
    state.directory_stack = rotated[1:]
    if not stays:
        change_directory(state, rotated[0])

"""The directory stack: ``State.directory_stack`` holds it without the working directory, nearest first."""

from __future__ import annotations

from sandhook.builtins.base import BuiltinError, numeric, write
from sandhook.builtins.directories.directory import change, change_along_cdpath, logical, shown
from sandhook.state.state import State
from sandhook.vfs.errors import error_text


def entries(state: State) -> list[str]:
    """Return the whole stack, the working directory first."""
    return [logical(state), *state.directory_stack]


def tilde(state: State, path: str) -> str:
    """Return a path with the home directory as "~"."""
    home = (state.get("HOME") or "").rstrip("/")
    if home and (path == home or path.startswith(home + "/")):
        return "~" + path[len(home) :]
    return path


def show(state: State) -> None:
    """Print the stack on one line, as pushd and popd do at the end."""
    write(state, " ".join([tilde(state, path) for path in entries(state)]) + "\n")


def index_of(word: str, count: int, *, sign: bool = True) -> int:
    """Return the index in a stack of ``count`` entries that +N (from the left) or -N denotes.

    Raises:
        BuiltinError: Not a number (usage), or there is no such entry.
    """
    number = numeric(word[1:])
    if number is None or number < 0:
        raise BuiltinError(f"{word}: invalid number", usage=True)
    index = number if word[0] == "+" else count - 1 - number
    if not 0 <= index < count:
        if count == 1:
            raise BuiltinError("directory stack empty")
        raise BuiltinError(f"{word if sign else word[1:]}: directory stack index out of range")
    return index


def change_directory(state: State, path: str) -> None:
    """Change to a directory as cd does, along CDPATH too. Raises BuiltinError."""
    follow = "physical" in state.options.enabled
    try:
        if not change_along_cdpath(state, path, follow=follow):
            change(state, path, follow=follow)
    except OSError as error:
        raise BuiltinError(f"{shown(path)}: {error_text(error)}") from None

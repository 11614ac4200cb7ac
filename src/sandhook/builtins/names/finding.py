"""What a command name means, as type and command -v/-V print it."""

from __future__ import annotations

from sandhook.builtins.base import write
from sandhook.interp.lookup import Found, find, hashed_file, search
from sandhook.state.state import State
from sandhook.text.quoting import single_quote


def meanings(state: State, name: str) -> list[Found]:
    """Return what a name means, the first one used; a remembered file stands before all others.

    A file that cannot be executed is the meaning when there is no better one.
    """
    found: list[Found] = find(state, name)
    if "/" in name:
        return found
    if not found or found[0].kind == "file":
        remembered = hashed_file(state, name)
        if remembered is not None:
            return [Found("file", remembered[0], hashed=True), *found]
        if not found:
            return files(state, name)
    return found


def files(state: State, name: str) -> list[Found]:
    """Return the one file that PATH leads to, remembered or not."""
    remembered = hashed_file(state, name)
    if remembered is not None:
        return [Found("file", remembered[0], hashed=True)]
    located = search(state, name, state.get("PATH")) if state.get("PATH") else None
    return [] if located is None else [Found("file", located[0])]


def short(state: State, name: str, found: Found) -> str:
    """Return the line of ``command -v``."""
    if found.kind == "alias":
        return f"alias {name}={single_quote(found.text)}"
    return found.text if found.kind == "file" else name


def write_long(state: State, name: str, found: Found) -> None:
    """Write what ``type name`` and ``command -V name`` say of one meaning."""
    if found.kind == "alias":
        text = f"{name} is aliased to `{found.text}'\n"
    elif found.kind == "keyword":
        text = f"{name} is a shell keyword\n"
    elif found.kind == "function":
        text = f"{name} is a function\n{state.functions[name].definition()}\n"
    elif found.kind == "builtin":
        text = f"{name} is a shell builtin\n"
    elif found.hashed:
        text = f"{name} is hashed ({found.text})\n"
    else:
        text = f"{name} is {found.text}\n"
    write(state, text)

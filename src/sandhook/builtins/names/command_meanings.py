"""The meanings of a command name, as type and command -v/-V print them."""

from __future__ import annotations

from sandhook.builtins.base import write
from sandhook.interp.lookup import Meaning, find, hashed_file, search
from sandhook.state.state import State
from sandhook.text.quoting import single_quote


def meanings(state: State, name: str) -> list[Meaning]:
    """Return the meanings of a name, in order of precedence; a hashed file precedes other files.

    A file that cannot be executed is returned only when there is no other meaning.
    """
    matches: list[Meaning] = find(state, name)
    if "/" in name:
        return matches
    if not matches or matches[0].kind == "file":
        hashed = hashed_file(state, name)
        if hashed is not None:
            return [Meaning("file", hashed[0], hashed=True), *matches]
        if not matches:
            return files(state, name)
    return matches


def files(state: State, name: str) -> list[Meaning]:
    """Return the file of a name, from the hash table or along PATH."""
    hashed = hashed_file(state, name)
    if hashed is not None:
        return [Meaning("file", hashed[0], hashed=True)]
    located = search(state, name, state.get("PATH")) if state.get("PATH") else None
    return [] if located is None else [Meaning("file", located[0])]


def short(state: State, name: str, meaning: Meaning) -> str:
    """Return the line of ``command -v``."""
    if meaning.kind == "alias":
        return f"alias {name}={single_quote(meaning.text)}"
    return meaning.text if meaning.kind == "file" else name


def write_long(state: State, name: str, meaning: Meaning) -> None:
    """Write the description of a meaning, as ``type name`` and ``command -V name`` print it."""
    if meaning.kind == "alias":
        text = f"{name} is aliased to `{meaning.text}'\n"
    elif meaning.kind == "keyword":
        text = f"{name} is a shell keyword\n"
    elif meaning.kind == "function":
        text = f"{name} is a function\n{state.functions[name].definition(state.options.posix)}\n"
    elif meaning.kind == "builtin":
        special = state.options.posix and name in state.shell.commands.special
        text = f"{name} is a special shell builtin\n" if special else f"{name} is a shell builtin\n"
    elif meaning.hashed:
        text = f"{name} is hashed ({meaning.text})\n"
    else:
        text = f"{name} is {meaning.text}\n"
    write(state, text)

"""What a command name means, as type and command -v/-V tell it."""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import Found, runtime, write
from sandhook.builtins._quote import single_quote
from sandhook.state.state import State


def found_files(state: State, name: str) -> list[str]:
    """Return the paths that a PATH search gives, best first."""
    return [found.text for found in runtime(state).find(state, name) if found.kind == "file"]


def first(found: Sequence[Found]) -> Found | None:
    return found[0] if found else None


def short(state: State, name: str, found: Found) -> str:
    """Return the line of ``command -v``."""
    if found.kind == "alias":
        return f"alias {name}={single_quote(found.text)}"
    return found.text if found.kind == "file" else name


def write_long(state: State, name: str, found: Found, *, hashed: bool = True) -> None:
    """Write what ``type name`` and ``command -V name`` say of one meaning."""
    if found.kind == "alias":
        text = f"{name} is aliased to `{found.text}'\n"
    elif found.kind == "keyword":
        text = f"{name} is a shell keyword\n"
    elif found.kind == "function":
        text = f"{name} is a function\n{runtime(state).unparse_function(state.functions[name])}\n"
    elif found.kind == "builtin":
        text = f"{name} is a shell builtin\n"
    elif hashed and state.hashed.get(name) is not None:
        text = f"{name} is hashed ({state.hashed[name]})\n"
    else:
        text = f"{name} is {found.text}\n"
    write(state, text)

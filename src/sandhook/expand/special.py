"""Parameters by name: the special and positional ones, and the error of ``set -u``."""

from __future__ import annotations

import re

from sandhook.lazy import lazily
from sandhook.state.state import State

_QUOTING = lazily(r"[\\'\"]")
_KEY_PIECE = lazily(r"""\\(.)|'([^']*)'|"((?:\\.|[^"\\])*)"|([^\\'"]+|.)""", re.DOTALL)
_DOUBLE_PIECE = lazily(r"""\\(["\\$`])|((?:[^\\]|\\(?!["\\$`]))+)""", re.DOTALL)
_NAME = lazily(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*|[0-9]{1,9})\}|([A-Za-z_][A-Za-z0-9_]*|[0-9]))")


def separator(state: State, star: bool) -> str:
    """Return what joins a list: the first character of IFS for ``*``, a blank for ``@``."""
    if not star:
        return " "
    ifs = state.get("IFS")
    return " " if ifs is None else ifs[:1]


def special_value(state: State, name: str) -> str | None:
    """Return the value of any parameter by name; None when unset."""
    if name[0].isdigit():
        index = int(name[:9])
        if index == 0:
            return state.name
        positional = state.positional
        return positional[index - 1] if index <= len(positional) else None
    match name:
        case "?":
            return str(state.status)
        case "#":
            return str(len(state.positional))
        case "$":
            return str(state.shell_pid)
        case "!":
            return str(state.last_background) if state.last_background else None
        case "-":
            started = state.invocation
            source = "c" if started.input == "string" else "s" if started.input == "stdin" else ""
            return state.options.flags("i" if started.interactive is not None else "") + source
        case "@" | "*":
            return separator(state, name == "*").join(state.positional) if state.positional else None
        case "_":
            return state.last_argument
    return state.get(name)


def expand_names(state: State, text: str) -> str:
    """Replace ``$name``, ``${name}`` and ``$1`` by their values, once; all else stays as it is."""
    return _NAME.sub(lambda found: _value(state, found[1] or found[2]), text)


def expand_subscript(state: State, text: str, *, key: bool) -> str:
    """Replace names in a subscript that is text, and remove its quotes.

    Args:
        key: It is a key; in an index, single quotes and backslashes are text for the arithmetic.
    """
    if not key:
        text = text.replace('"', "")
    elif _QUOTING.search(text):
        return "".join([_unquoted(state, *found.groups()) for found in _KEY_PIECE.finditer(text)])
    return expand_names(state, text) if "$" in text else text


def _unquoted(
    state: State, escaped: str | None, single: str | None, double: str | None, plain: str | None
) -> str:
    if double is not None:
        return "".join(
            [found[1] or expand_names(state, found[2]) for found in _DOUBLE_PIECE.finditer(double)]
        )
    if escaped is not None:
        return escaped
    return single if single is not None else expand_names(state, plain or "")


def _value(state: State, name: str) -> str:
    if name.isdigit():
        number = int(name)
        return state.name if number == 0 else (*state.positional[number - 1 : number], "")[0]
    return state.get(name) or ""

"""Values of special and positional parameters by name, and expansion of names in text."""

from __future__ import annotations

import re

from sandhook.lazy import lazily
from sandhook.limits import PIECE, check_clock, check_fits
from sandhook.state.state import State
from sandhook.state.values import LARGE, held

#: Bytes of a short text in a list.
_ITEM_BYTES = 64

_QUOTING = lazily(r"[\\'\"]")
_KEY_PIECE = lazily(r"""\\(.)|'([^']*)'|"((?>\\.|[^"\\])*+)"|([^\\'"]+|.)""", re.DOTALL)
_DOUBLE_PIECE = lazily(r"""\\(["\\$`])|((?>[^\\]|\\(?!["\\$`]))++)""", re.DOTALL)
_NAME = lazily(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*|[0-9]{1,9})\}|([A-Za-z_][A-Za-z0-9_]*|[0-9]))")


def separator(state: State, star: bool) -> str:
    """Return the text that joins a list: the first character of IFS for ``*``, a blank for ``@``."""
    if not star:
        return " "
    ifs = state.get("IFS")
    return " " if ifs is None else ifs[:1]


def join_values(state: State, joiner: str, values: list[str]) -> str:
    """Return a list as one text. Raises LimitExceeded before it is made if it cannot fit."""
    size = sum(map(len, values)) + len(joiner) * len(values)
    if size <= LARGE:
        return joiner.join(values)
    state.budget.check_fits(size)
    return held(joiner.join(values), state.budget)


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
            invocation = state.invocation
            source = "c" if invocation.input == "string" else "s" if invocation.input == "stdin" else ""
            return state.options.flags("i" if invocation.interactive is not None else "") + source
        case "@" | "*":
            positional = state.positional
            return join_values(state, separator(state, name == "*"), positional) if positional else None
        case "_":
            return state.last_argument
    return state.get(name)


def expand_names(state: State, text: str) -> str:
    """Replace ``$name``, ``${name}`` and ``$1`` by their values, once; other text stays unchanged."""
    size = 0

    def value_of(match: re.Match[str]) -> str:
        nonlocal size
        value = _value(state, match[1] or match[2])
        size += len(value)
        if size > PIECE:
            check_fits(size)
            check_clock()
        return value

    return _NAME.sub(value_of, text)


def expand_subscript(state: State, text: str, *, key: bool) -> str:
    """Replace names in a subscript that is text, and remove its quotes.

    Args:
        key: It is a key. In an index, single quotes and backslashes are part of the arithmetic.
    """
    if not key:
        text = text.replace('"', "")
    elif _QUOTING.search(text):
        pieces: list[str] = []
        size = 0
        for match in _KEY_PIECE.finditer(text):
            pieces.append(_unquoted(state, *match.groups()))
            size += len(pieces[-1]) + _ITEM_BYTES
            if size > PIECE:
                check_fits(size)
                check_clock()
        return "".join(pieces)
    return expand_names(state, text) if "$" in text else text


def _unquoted(
    state: State, escaped: str | None, single: str | None, double: str | None, plain: str | None
) -> str:
    if double is not None:
        return "".join(
            [match[1] or expand_names(state, match[2]) for match in _DOUBLE_PIECE.finditer(double)]
        )
    if escaped is not None:
        return escaped
    return single if single is not None else expand_names(state, plain or "")


def _value(state: State, name: str) -> str:
    if name.isdigit():
        number = int(name)
        return state.name if number == 0 else (*state.positional[number - 1 : number], "")[0]
    return state.get(name) or ""

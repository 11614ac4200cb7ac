"""Values of special and positional parameters by name."""

from __future__ import annotations

from sandhook.state.state import State
from sandhook.state.values import LARGE, held


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

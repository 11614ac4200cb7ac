"""shopt: set and show bash's optional behaviour.

Source: bash 5.2 reference manual 4.3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sandhook.builtins.base import BuiltinError, builtin, parse, print_error, write
from sandhook.builtins.variables.set import switch
from sandhook.state.locals import switch_extdebug
from sandhook.state.options import SET_OPTIONS, SHOPT_OPTIONS
from sandhook.state.state import State

USAGE = "shopt [-pqsu] [-o] [optname ...]"

#: These cannot be changed, as in bash.
_FIXED = frozenset({"restricted_shell", "login_shell"})


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when a name is unknown, or a queried option is off."""
    options, names = parse(argv, "opqsu")
    letters = {option.letter for option in options}
    if {"s", "u"} <= letters:
        raise BuiltinError("cannot set and unset shell options simultaneously")
    if "o" in letters:
        table: Iterable[str] = SET_OPTIONS
        enabled: Callable[[], frozenset[str]] = lambda: state.options.enabled  # noqa: E731
        switches = "set -o", "set +o"
        error = "invalid option name"
    else:
        table = SHOPT_OPTIONS
        enabled = lambda: state.options.shopts  # noqa: E731
        switches = "shopt -s", "shopt -u"
        error = "invalid shell option name"
    if names and letters & {"s", "u"}:
        return _set(state, names, table, "s" in letters, "o" in letters, error)
    quiet = "q" in letters

    def show(name: str) -> str:
        is_on = name in enabled()
        if "p" in letters:
            return f"{switches[0 if is_on else 1]} {name}\n"
        return f"{name:<15}\t{'on' if is_on else 'off'}\n"

    if not names:
        matching_names = list(table)
        if letters & {"s", "u"}:
            matching_names = [name for name in matching_names if (name in enabled()) is ("s" in letters)]
        if not quiet:
            write(state, "".join(map(show, matching_names)))
        return 0
    status = 0
    for name in names:
        if name not in table:
            print_error(state, f"shopt: {name}: {error}")
            status = 1
            continue
        if name not in enabled():
            status = 1
        if not quiet:
            write(state, show(name))
    return status


def _set(
    state: State, names: Sequence[str], table: Iterable[str], on: bool, is_set_option: bool, error: str
) -> int:
    status = 0
    for name in names:
        if name not in table:
            print_error(state, f"shopt: {name}: {error}")
            status = 0 if is_set_option else 1  # as bash: shopt -so nope succeeds
        elif is_set_option:
            switch(state, name, on)
        elif name.startswith("compat"):
            _set_compatible(state, name, on)
        elif name == "extdebug":
            switch_extdebug(state, on)
            switch(state, "errtrace", on)
            switch(state, "functrace", on)
        elif name not in _FIXED:
            state.set_shopt(name, on)
    return status


def _set_compatible(state: State, name: str, on: bool) -> None:
    """Switch a compatibility level on or off, by means of BASH_COMPAT."""
    state.set("BASH_COMPAT", name.removeprefix("compat") if on else "52")

"""set: set options and positional parameters, or list variables.

Source: POSIX.1-2024 XCU 2.15 set; bash 5.2 reference manual 4.3.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import USAGE_STATUS, BuiltinError, HelpWanted, builtin, write
from sandhook.builtins.variables.variables import plain_line
from sandhook.interp.record import switch_recording
from sandhook.state.assignment import unset
from sandhook.state.control import Discard
from sandhook.state.environment import variable_names
from sandhook.state.options import LETTERS, SET_OPTIONS
from sandhook.state.state import State
from sandhook.state.values import FEW_PARAMETERS, Charge, held

USAGE = "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]"


#: Options that also set a variable.
_VARIABLES = {"ignoreeof": ("IGNOREEOF", "10"), "posix": ("POSIXLY_CORRECT", "y")}


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 2 for an unknown option; nothing was changed then."""
    if len(argv) == 1:
        _list_variables(state)
        return 0
    if argv[1] == "--":
        _set_parameters(state, argv[2:])
        return 0
    _validate(argv)
    index = 1
    count = len(argv)
    while index < count:
        word = argv[index]
        lead = word[:1]
        if word == "--":
            _set_parameters(state, argv[index + 1 :])
            return 0
        if word == "-":
            if count > index + 1:
                _set_parameters(state, argv[index + 1 :])
            switch(state, "xtrace", False)
            switch(state, "verbose", False)
            return 0
        if lead not in ("-", "+"):
            _set_parameters(state, argv[index:])
            return 0
        index += 1
        for letter in word[1:]:
            if letter != "o":
                switch(state, LETTERS[letter], lead == "-")
                continue
            if index < count and argv[index] and argv[index][0] not in "+-":
                set_option(state, argv[index], lead == "-")
                index += 1
            else:
                list_options(state, reusable=lead == "+")
    return 0


def _set_parameters(state: State, words: Sequence[str]) -> None:
    budget = state.budget
    state.positional = [held(word, budget) for word in words]
    if len(words) > FEW_PARAMETERS:
        state.execution.parameters = Charge(8 * len(words), budget)
    state.execution.positional_set = True


def _validate(argv: Sequence[str]) -> None:
    """Check every option letter before the first one takes effect."""
    index = 1
    while index < len(argv):
        word = argv[index]
        if word in ("-", "--") or word[:1] not in ("-", "+"):
            return
        if word == "--help":
            raise HelpWanted
        index += 1
        for letter in word[1:]:
            if letter == "o":
                if index < len(argv) and argv[index][:1] not in ("-", "+"):
                    index += 1
            elif letter not in LETTERS:
                raise BuiltinError(f"{word[0]}{letter}: invalid option", usage=True)


def set_option(state: State, name: str, on: bool) -> None:
    """Switch an option by its long name. Raises BuiltinError (status 2) for an unknown one."""
    if name not in SET_OPTIONS:
        raise BuiltinError(f"{name}: invalid option name", USAGE_STATUS)
    switch(state, name, on)


def switch(state: State, name: str, on: bool) -> None:
    """Switch an option, and the state that depends on it."""
    state.set_option(name, on)
    if on and name == "noexec":
        raise Discard(0)  # no further command runs, so noexec stays on
    if name == "xtrace":
        state.update_instrumented()
    elif name in _VARIABLES:
        variable, value = _VARIABLES[name]
        if on and (name != "posix" or state.get(variable) is None):
            state.set(variable, value)
        elif on:
            state.set_option(name, True)
        else:
            unset(state, variable)
    elif name == "history":
        switch_recording(state, on)
    elif name in ("emacs", "vi") and on:
        state.set_option("vi" if name == "emacs" else "emacs", False)


def list_options(state: State, *, reusable: bool) -> None:
    """Print all options: a table (``set -o``), or commands that restore them (``set +o``)."""
    enabled = state.options.enabled
    if reusable:
        lines = [f"set {'-' if name in enabled else '+'}o {name}\n" for name in SET_OPTIONS]
    else:
        lines = [f"{name:<15}\t{'on' if name in enabled else 'off'}\n" for name in SET_OPTIONS]
    write(state, "".join(lines))


def _list_variables(state: State) -> None:
    write(state, "".join([plain_line(state, name) for name in variable_names(state)]))
    if not state.options.posix:
        write(
            state,
            "".join(
                [
                    state.functions[name].definition(state.options.posix) + "\n"
                    for name in sorted(state.functions)
                ]
            ),
        )

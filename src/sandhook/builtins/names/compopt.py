"""compopt: change options of a completion.

Source: bash 5.2 reference manual 8.7.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import USAGE_STATUS, BuiltinError, builtin, parse, print_error, write
from sandhook.builtins.names.completion import OPTIONS, SPECIAL_NAMES, shown_name, with_options
from sandhook.state.state import State

USAGE = "compopt [-o|+o option] [-DEI] [name ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 outside a completion, or for a name without a specification."""
    options, names = parse(argv, "o:DEI", plus=True)
    for option in options:
        if option.letter == "o" and option.argument not in OPTIONS:
            raise BuiltinError(f"{option.argument}: invalid option name", USAGE_STATUS)
    targets = [SPECIAL_NAMES[option.letter] for option in options if option.letter in "DEI"] or names
    if not targets:
        raise BuiltinError("not currently executing completion function")
    status = 0
    for name in targets:
        if name not in state.completions:
            print_error(state, f"compopt: {name}: no completion specification")
            status = 1
        else:
            _change(
                state,
                name,
                [(option.argument, not option.plus) for option in options if option.letter == "o"],
            )
    return status


def _change(state: State, name: str, changes: Sequence[tuple[str, bool]]) -> None:
    text = state.completions[name]
    if not changes:
        switches = " ".join(
            f"{'-o' if f'-o {option} ' in text else '+o'} {option}" for option in sorted(OPTIONS)
        )
        write(state, f"compopt {switches} {shown_name(name)}\n")
        return
    state.completions = {**state.completions, name: with_options(text, changes)}

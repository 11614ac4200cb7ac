"""complete: specify how arguments are completed. Specifications are stored and shown, but never used.

Source: bash 5.2 reference manual 8.7.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin, parse, print_error, show_usage, write
from sandhook.builtins.names.completion import GETOPT, SPECIAL_NAMES, Specification, in_order, shown_name
from sandhook.state.records import NO_SPECS
from sandhook.state.state import State
from sandhook.state.values import held

USAGE = (
    "complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] "
    "[-C command] [-X filterpat] [-P prefix] [-S suffix] [name ...]"
)


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a name without a specification (-p, -r)."""
    options, names = parse(argv, GETOPT + "prDEI")
    letters = {option.letter for option in options}
    special = [SPECIAL_NAMES[letter] for letter in "DEI" if letter in letters]
    targets = special[:1] or names
    specification = Specification()
    for option in options:
        if option.letter not in "prDEI":
            specification.add(option)
    if "p" in letters or (not options and not names):
        return _show(state, targets)
    if "r" in letters:
        return _remove(state, targets)
    if not targets:
        show_usage(state, "complete", USAGE)
        return 2
    text = held(specification.text(), state.budget)
    names = [held(target, state.budget) for target in targets]
    state.completions = {**state.completions, **dict.fromkeys(names, text)}
    return 0


def _show(state: State, names: Sequence[str]) -> int:
    status = 0
    for name in names or in_order(state.completions):
        text = state.completions.get(name)
        if text is None:
            print_error(state, f"complete: {name}: no completion specification")
            status = 1
        else:
            write(state, f"complete {text}{shown_name(name)}\n")
    return status


def _remove(state: State, names: Sequence[str]) -> int:
    if state.completions is NO_SPECS:
        return 0
    if not names:
        state.completions = {}
        return 0
    status = 0
    for name in names:
        if name not in state.completions:
            print_error(state, f"complete: {name}: no completion specification")
            status = 1
    state.completions = {name: text for name, text in state.completions.items() if name not in names}
    return status

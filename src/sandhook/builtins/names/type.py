"""type: print what a name would run.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin, parse, print_error, write
from sandhook.builtins.names.finding import files, meanings, write_long
from sandhook.interp.lookup import Found, find
from sandhook.state.state import State

USAGE = "type [-afptP] name [name ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when a name was not found."""
    given, operands = parse(_modern(argv), "afptP")
    letters = {option.letter for option in given}
    style = next((option.letter for option in reversed(given) if option.letter in "ptP"), "")
    status = 0
    for name in operands:
        if not _describe(state, name, letters, style):
            if not style:
                print_error(state, f"type: {name}: not found")
            status = 1
    return status


def _modern(argv: Sequence[str]) -> list[str]:
    """Return the arguments with the old words -type, -path and -all as letters."""
    old = {"-type": "-t", "--type": "-t", "-path": "-p", "--path": "-p", "-all": "-a", "--all": "-a"}
    words = list(argv)
    for index in range(1, len(words)):
        if words[index][:1] != "-":
            break
        words[index] = old.get(words[index], words[index])
    return words


def _describe(state: State, name: str, letters: set[str], style: str) -> bool:
    every = "a" in letters
    found: list[Found] = find(state, name) if every else meanings(state, name)
    if style == "P" and not every and all(each.kind != "file" for each in found):
        found = files(state, name)
    if "f" in letters:
        found = [each for each in found if each.kind != "function"]
    if style == "P":
        found = [each for each in found if each.kind == "file"]
    if not found:
        return False
    for each in found if every else found[:1]:
        if style == "t":
            write(state, each.kind + "\n")
        elif style:
            if each.kind == "file":
                write(state, each.text + "\n")
        else:
            write_long(state, name, each)
    return True

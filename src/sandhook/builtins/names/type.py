"""type: print what kind of command a name is.

Source: bash 5.2 reference manual 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import builtin, parse, print_error, write
from sandhook.builtins.names.command_meanings import files, meanings, write_long
from sandhook.interp.lookup import Meaning, find
from sandhook.state.state import State

USAGE = "type [-afptP] name [name ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when a name was not found."""
    options, operands = parse(_modern(argv), "afptP")
    letters = {option.letter for option in options}
    style = next((option.letter for option in reversed(options) if option.letter in "ptP"), "")
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
    shows_all = "a" in letters
    matches: list[Meaning] = find(state, name) if shows_all else meanings(state, name)
    if style == "P" and not shows_all and all(meaning.kind != "file" for meaning in matches):
        matches = files(state, name)
    if "f" in letters:
        matches = [meaning for meaning in matches if meaning.kind != "function"]
    if style == "P":
        matches = [meaning for meaning in matches if meaning.kind == "file"]
    if not matches:
        return False
    for meaning in matches if shows_all else matches[:1]:
        if style == "t":
            write(state, meaning.kind + "\n")
        elif style:
            if meaning.kind == "file":
                write(state, meaning.text + "\n")
        else:
            write_long(state, name, meaning)
    return True

"""getopts: parse option arguments.

Source: POSIX.1-2024 XCU 3 getopts; bash 5.2 reference manual 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandhook.builtins.base import (
    USAGE_STATUS,
    BuiltinError,
    Run,
    builtin,
    no_options,
    numeric,
    show_usage,
    write_error,
)
from sandhook.expand.locale import as_bytes
from sandhook.record import Record
from sandhook.state.assignment import unset
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.state.values import LARGE, READONLY
from sandhook.text.names import is_name

USAGE = "getopts optstring name [arg ...]"


class Index(str):
    """The OPTIND that getopts itself set, with its place inside a word of several options.

    A script's own assignment stores a plain ``str``, which starts over; so subshells, locals
    and ``OPTIND=1`` in the middle of a word all come out right.
    """

    __slots__ = ("position",)
    position: int


class Step(Record):
    """What one call found: the option letter ("" at the end), its argument, and the message."""

    letter: str
    argument: str | None
    message: str


_END = Step("", None, "")

#: Words given in the script, of which what was found is kept (a count).
_FEW = 64


def prepare(prefix: tuple[str, ...], whole: bool) -> Run | None:
    """Return what parses with an option string and a name that no run changes, as all scripts do.

    What a call finds depends on the words and the place alone. With words that no run changes either
    it is kept, so each place is looked at once.
    """
    if len(prefix) < 3 or prefix[1][:1] == "-" or not is_name(prefix[2]):
        return None
    optstring, name = prefix[1:3]
    silent = optstring[:1] == ":"
    known = optstring.removeprefix(":")
    fixed = whole and 3 < len(prefix) <= _FEW
    kept: dict[tuple[int, int], tuple[Step, Index]] = {}

    def quick(state: State, argv: Sequence[str]) -> int:
        values, attributes, namerefs = state.values, state.attributes, state.namerefs
        if (
            not state.is_plain(name)
            or name == "OPTARG"
            or name == "OPTIND"
            or "OPTARG" in attributes
            or "OPTARG" in namerefs
            or attributes.get("OPTIND", 0) & READONLY
            or state.options.allexport
        ):
            return run(state, argv)
        place = _place(state)
        found = kept.get(place) if fixed else None
        if found is None:
            arguments = argv[3:] or state.positional
            step, index, position = _step(arguments, *place, known, silent)
            found = step, _index(index, position)
            if fixed:
                kept[place] = found
        (letter, argument, message), after = found
        if "OPTIND" not in values:
            return run(state, argv)
        values["OPTIND"] = after
        if message and not silent and state.get("OPTERR") != "0":
            write_error(state, f"{state.name}: {message}\n")
        if argument is None:
            values.pop("OPTARG", None)
        elif len(argument) > LARGE:
            state.set("OPTARG", argument)
        else:
            values["OPTARG"] = argument
        values[name] = letter or "?"
        return 0 if letter else 1

    return quick


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 when the options are at an end, 2 for wrong use, else 0."""
    operands = no_options(argv) if argv[1:] and argv[1][:1] == "-" else argv[1:]
    if len(operands) < 2:
        show_usage(state, "getopts", USAGE)
        return USAGE_STATUS
    optstring, name = operands[:2]
    arguments = operands[2:] or state.positional
    index, position = _place(state)
    silent = optstring[:1] == ":"
    step, index, position = _step(arguments, index, position, optstring.removeprefix(":"), silent)
    _store_index(state, index, position)
    if step.message and not silent and state.get("OPTERR") != "0":
        write_error(state, f"{state.name}: {step.message}\n")
    if step.argument is None:
        if "OPTARG" in state.values or "OPTARG" in state.namerefs or "OPTARG" in state.attributes:
            unset(state, "OPTARG")
    else:
        state.set("OPTARG", step.argument)
    if not is_name(name):
        raise BuiltinError(f"`{name}': not a valid identifier")
    try:
        state.set(name, step.letter or "?")
    except ShellError as error:
        raise BuiltinError(error.message, USAGE_STATUS, own=error) from None
    return 0 if step.letter else 1


def _place(state: State) -> tuple[int, int]:
    """Return the 1-based word and the offset in it (0: at its start) where to go on."""
    value: Any = state.values.get("OPTIND")
    if value.__class__ is not Index:
        value = state.get("OPTIND")
        if value == "1":
            return 1, 0
    if isinstance(value, Index):
        return int(value), value.position
    number = numeric(value or "1")
    return (number if number is not None and number > 0 else 1), 0


def _index(index: int, position: int) -> Index:
    value = Index(index)
    value.position = position
    return value


def _store_index(state: State, index: int, position: int) -> None:
    value = _index(index, position)
    if "OPTIND" in state.values and not state.attributes.get("OPTIND", 0) & READONLY:
        state.values["OPTIND"] = value  # past the attributes: -i would make a plain string of it
    else:
        state.set("OPTIND", value)


def _step(
    arguments: Sequence[str], index: int, position: int, known: str, silent: bool
) -> tuple[Step, int, int]:
    """Parse the next option; return it with the new word number and offset."""
    if index > len(arguments):
        return _END, len(arguments) + 1, 0
    word = arguments[index - 1]
    if position >= len(word):
        position = 0
    if position == 0:
        if word == "--":
            return _END, index + 1, 0
        if word[:1] != "-" or word == "-":
            return _END, index, 0
        position = 1
    letter = word[position]
    if not letter.isascii():  # an option is a byte
        word = as_bytes(word)
        letter = word[position]
    position += 1
    at_end = position == len(word)
    after = (index + 1, 0) if at_end else (index, position)
    at = known.find(letter)
    if letter == ":" or at < 0:
        message = f"illegal option -- {letter}"
        return Step("?", letter if silent else None, message), *after
    if known[at + 1 : at + 2] != ":":
        return Step(letter, None, ""), *after
    if not at_end:
        return Step(letter, word[position:], ""), index + 1, 0
    if index < len(arguments):
        return Step(letter, arguments[index], ""), index + 2, 0
    message = f"option requires an argument -- {letter}"
    return Step(":" if silent else "?", letter if silent else None, message), index + 1, 0

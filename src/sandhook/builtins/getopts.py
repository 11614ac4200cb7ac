"""getopts: parse option arguments.

Source: POSIX.1-2024 XCU 3 getopts; bash 5.2 reference manual 4.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins._base import (
    USAGE_STATUS,
    Fault,
    builtin,
    is_name,
    no_options,
    numeric,
    show_usage,
    write_error,
)
from sandhook.record import Record
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.state.values import READONLY

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
            state.unset("OPTARG")
    else:
        state.set("OPTARG", step.argument)
    if not is_name(name):
        raise Fault(f"`{name}': not a valid identifier")
    try:
        state.set(name, step.letter or "?")
    except ShellError as error:
        raise Fault(error.message, USAGE_STATUS, bare=True) from None
    return 0 if step.letter else 1


def _place(state: State) -> tuple[int, int]:
    """Return the 1-based word and the offset in it (0: at its start) where to go on."""
    value = state.get("OPTIND")
    if isinstance(value, Index):
        return int(value), value.position
    number = numeric(value or "1")
    return (number if number is not None and number > 0 else 1), 0


def _store_index(state: State, index: int, position: int) -> None:
    value = Index(index)
    value.position = position
    if "OPTIND" in state.values and not state.attributes.get("OPTIND", 0) & READONLY:
        state.values["OPTIND"] = value  # past the attributes: -i would make a plain string of it
    else:
        state.set("OPTIND", value)


def _step(
    arguments: Sequence[str], index: int, position: int, known: str, silent: bool
) -> tuple[Step, int, int]:
    """Take the next option; return it with the new word number and offset."""
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

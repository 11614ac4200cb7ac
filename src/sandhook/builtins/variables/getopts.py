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
from sandhook.record import Record
from sandhook.state.assignment import unset
from sandhook.state.control import ShellError
from sandhook.state.state import State
from sandhook.state.values import LARGE, READONLY
from sandhook.text.locale import as_bytes, as_characters
from sandhook.text.names import is_name

USAGE = "getopts optstring name [arg ...]"


class Index(str):
    """An OPTIND that getopts itself set, with the position inside a word of several options.

    An assignment of the script stores a plain ``str``, which starts over. So subshells, locals
    and ``OPTIND=1`` in the middle of a word work as in bash.

    Attributes:
        position: The offset in the word; 0 at its start.
        word: The number of the word, from 1; only a readonly OPTIND has another text.
    """

    __slots__ = ("position", "word")
    position: int
    word: int


class Step(Record):
    """The result of one call: the option letter ("" at the end), its argument, and the message."""

    letter: str
    argument: str | None
    message: str


_END = Step("", None, "")

#: The most constant words for which results are cached (a count).
_MAX_CACHED_WORDS = 64


def prepare(prefix: tuple[str, ...], whole: bool) -> Run | None:
    """Return a closure for an option string and a name that are constants, as in nearly all scripts.

    The result of a call depends only on the words and the position. If the words are constants too,
    it is cached, so each position is parsed once.
    """
    if len(prefix) < 3 or prefix[1][:1] == "-" or not is_name(prefix[2]):
        return None
    optstring, name = prefix[1:3]
    silent = optstring[:1] == ":"
    option_letters = optstring.removeprefix(":")
    fixed = whole and 3 < len(prefix) <= _MAX_CACHED_WORDS
    cache: dict[tuple[int, int], tuple[Step, Index]] = {}

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
        start = _place(state)
        result = cache.get(start) if fixed else None
        if result is None:
            arguments = argv[3:] or state.positional
            step, index, position = _step(arguments, *start, option_letters, silent)
            result = step, _index(index, position)
            if fixed:
                cache[start] = result
        (letter, argument, message), next_index = result
        if "OPTIND" not in values:
            return run(state, argv)
        values["OPTIND"] = next_index
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
    """Return 1 at the end of the options, 2 for a usage error, else 0."""
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
            state.attributes.pop("OPTARG", None)  # as in bash, a readonly one, too
            unset(state, "OPTARG")
    else:
        state.set("OPTARG", step.argument)
    if not is_name(name):
        raise BuiltinError(f"`{name}': not a valid identifier")
    try:
        state.set(name, step.letter or "?")
    except ShellError as error:
        if error.ends_callers:
            raise
        raise BuiltinError(error.message, USAGE_STATUS if step.letter else 1, own=error) from None
    return 0 if step.letter else 1


def _place(state: State) -> tuple[int, int]:
    """Return the 1-based word and the offset in it (0: at its start) of the next option."""
    value: Any = state.values.get("OPTIND")
    if value.__class__ is not Index:
        value = state.get("OPTIND")
        if value == "1":
            return 1, 0
    if isinstance(value, Index):
        return value.word, value.position
    number = numeric(value or "1")
    return (number if number is not None and number > 0 else 1), 0


def _index(index: int, position: int, text: str | None = None) -> Index:
    value = Index(index if text is None else text)
    value.position, value.word = position, index
    return value


def _store_index(state: State, index: int, position: int) -> None:
    value = _index(index, position)
    if "OPTIND" in state.values and not state.attributes.get("OPTIND", 0) & READONLY:
        state.values["OPTIND"] = value  # ignores attributes: -i would convert it to a plain string
        return
    try:
        state.set("OPTIND", value)
    except (
        ShellError
    ) as error:  # as in bash, a readonly OPTIND is reported, and the next option is still found
        state.shell.error(state, error.message)
        if isinstance(state.values.get("OPTIND"), str):
            state.values["OPTIND"] = _index(index, position, state.get("OPTIND"))


def _step(
    arguments: Sequence[str], index: int, position: int, option_letters: str, silent: bool
) -> tuple[Step, int, int]:
    """Parse the next option; return it with the new word number and offset."""
    if index > len(arguments):
        return _END, len(arguments) + 1, 0
    word = arguments[index - 1]
    if not word.isascii() or not option_letters.isascii():  # an option is a byte; the position counts bytes
        word, option_letters = as_bytes(word), as_bytes(option_letters)
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
    following = (index + 1, 0) if at_end else (index, position)
    found_at = option_letters.find(letter)
    if letter == ":" or found_at < 0:
        message = f"illegal option -- {letter}"
        return Step("?", letter if silent else None, message), *following
    if option_letters[found_at + 1 : found_at + 2] != ":":
        return Step(letter, None, ""), *following
    if not at_end:
        return Step(letter, as_characters(word[position:]), ""), index + 1, 0
    if index < len(arguments):
        return Step(letter, arguments[index], ""), index + 2, 0
    message = f"option requires an argument -- {letter}"
    return Step(":" if silent else "?", letter if silent else None, message), index + 1, 0

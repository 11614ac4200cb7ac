"""less: show files page by page. Without a terminal, it copies them.

Oracle: less 590, which copies its input as cat does when its output is not a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.links import resolve
from sandhook.utilities.lines.cat import plain_copy
from sandhook.vfs.errors import error_text

RAW = True

#: Options of the display without a value, and options with a value.
_FLAGS = frozenset("aABcCdDeEfFgGiIJKLmMnNqQrRsSuUvwWX~")
_VALUED = frozenset("bhjkoOpPtTxyz")


def run(options: None, operands: Sequence[str], ctx: Context) -> int:
    """Copy each FILE, or standard input; options of the display have no effect."""
    names: list[str] = []
    words = list(operands)
    while words:
        word = words.pop(0)
        if word == "--":
            names.extend(words)
            break
        if word == "--help":
            ctx.write_line("less [OPTION]... [FILE]...: without a terminal, copy each FILE")
            return 0
        if word == "--version":
            ctx.write_line("less (sandhook)")
            return 0
        if word[:1] == "+" or word[:2] == "--":
            continue
        if word[:1] != "-" or word == "-":
            names.append(word)
            continue
        unknown = _skip_options(word, words)
        if unknown is not None:
            ctx.write_line(f'There is no -{unknown} option ("less --help" for help)')
    printed: set[str] = set()
    for name in names or ["-"]:
        path = name if name == "-" else _resolved(name, ctx)
        if path in printed:
            continue  # less keeps each file once
        printed.add(path)
        try:
            with ctx.open(name) as reader:
                plain_copy(reader, ctx)
        except OSError as error:
            text = error_text(error)
            ctx.write_line(f"{name} is a directory" if text == "Is a directory" else f"{name}: {text}")
    return 0


def _resolved(name: str, ctx: Context) -> str:
    try:
        return resolve(ctx, name, missing="all")
    except OSError:
        return name


def _skip_options(word: str, rest: list[str]) -> str | None:
    """Skip one word of options and its value; return a letter that is not an option."""
    for at, letter in enumerate(word[1:], 2):
        if letter in _VALUED:
            if at == len(word) and rest:
                rest.pop(0)
            return None
        if letter not in _FLAGS and not letter.isdigit():
            return letter
    return None

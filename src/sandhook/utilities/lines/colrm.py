"""colrm: remove columns from lines.

Oracle: util-linux 2.38.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import VERSION, opt, option_set
from sandhook.text.width import width_of


@option_set
class Options:
    """colrm [FIRST [LAST]]

    Copy standard input without its columns from FIRST to LAST, or to the end of the line; columns count from 1.
    """

    version: bool = opt("-V", help="show the version", const=VERSION)


def run(_: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if len(operands) > 2:
        operands = operands[:2]
    first = _column(operands[0], "first") if operands else 0
    last = _column(operands[1], "second") if len(operands) > 1 else 0
    with ctx.stdin_reader() as reader:
        for line in reader.lines():
            ctx.charge(len(line) >> 6)
            if not first:
                ctx.write(line)
                continue
            text = line.removesuffix(b"\n").decode("utf-8", "surrogateescape")
            end = line[len(line.removesuffix(b"\n")) :]
            ctx.write(_without_columns(text, first, last).encode("utf-8", "surrogateescape") + end)
    return 0


def _column(text: str, which: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise Failure(f"{which} argument: '{text}'")
    return int(text)


def _without_columns(text: str, first: int, last: int) -> str:
    """Return a line without columns; a tab that is only partly removed becomes blanks."""
    column = index = 0
    for letter in text:
        previous, column = column, _next_column(column, letter)
        index += 1
        if column >= first:
            result = text[: index - 1] + " " * (first - 1 - min(previous, column))
            break
    else:
        return text
    if not last:
        return result
    while column < last:
        if index == len(text):
            return result
        column = _next_column(column, text[index])
        index += 1
    return result + " " * (column - last) + text[index:] if index < len(text) else result


def _next_column(column: int, letter: str) -> int:
    if letter == "\t":
        return column // 8 * 8 + 8
    if letter == "\b":
        return max(column - 1, 0)
    return column + (width_of(letter) if letter >= " " else 0)

"""expand: write blanks instead of tabs.

Source: POSIX.1-2024 XCU 3, expand. Oracle: GNU coreutils 9.1, which counts bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import opt, option_set
from sandhook.command.pieces import pieces
from sandhook.command.utility import WRITE_ERROR_TWICE
from sandhook.text.quoting import quote_odd
from sandhook.utilities.lines.tabs import TabStops, parse_tabs

CLOSED_INPUT = "-"

WRITE_ERROR = WRITE_ERROR_TWICE

NUMERIC = "tabs"


@option_set
class Options:
    """expand [OPTION]... [FILE]...

    Copy the FILEs with tabs as blanks.
    """

    initial: bool = opt("-i", "--initial", help="only the tabs before the first other character")
    tabs: tuple[str, ...] = opt(
        "-t", "--tabs", "TABS", "columns between stops (8), or their list", append=True
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    stops = parse_tabs(options.tabs)
    for name in operands or ("-",):
        try:
            with ctx.open(name) as reader:
                for line in reader.lines():
                    ctx.write(expand_line(line, stops, options.initial, ctx) if b"\t" in line else line)
        except OSError as error:
            ctx.fail(f"{quote_odd(name)}: {reason(error)}")
    return ctx.failed


def expand_line(line: bytes, stops: TabStops, initial: bool, ctx: Context) -> bytes:
    """Return a line with its tabs as blanks."""
    out = []
    column = spread = 0
    expanding = True
    for piece in pieces(line, ctx.charge):
        if not expanding or b"\t" not in piece:
            out.append(piece)
            expanding = expanding and not (initial and piece.strip(b" "))
            column = _column_after(column, piece)
            continue
        texts = []
        parts = piece.split(b"\t")
        for index, part in enumerate(parts):
            ctx.charge()
            texts.append(part)
            column = _column_after(column, part)
            expanding = not (initial and part.strip(b" "))
            if index == len(parts) - 1:
                break
            if not expanding:
                texts.append(b"\t" + b"\t".join(parts[index + 1 :]))
                break
            stop = stops.next(column)
            width = 1 if stop is None else stop - column
            spread += width
            ctx.budget.check_fits(spread + len(line))
            texts.append(b" " * width)
            column += width
        out.append(b"".join(texts))
    return b"".join(out)


def _column_after(column: int, text: bytes) -> int:
    """Return the column after a text without tabs; a backspace moves to the left, but not before the line."""
    if b"\b" not in text:
        return column + len(text)
    for byte in text:
        column = max(0, column - 1) if byte == 8 else column + 1
    return column

"""expand: write blanks instead of tabs.

Source: POSIX.1-2024 XCU 3, expand. Oracle: GNU coreutils 9.1, which counts bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import opt, option_set
from sandhook.text.quoting import quote_odd
from sandhook.utilities.lines.tabs import TabStops, parse_tabs

NUMERIC = "tabs"


@option_set
class Options:
    """expand [-i] [-t TABS] [FILE]...

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
                    ctx.write(expanded(line, stops, options.initial, ctx) if b"\t" in line else line)
        except OSError as error:
            ctx.fail(f"{quote_odd(name)}: {reason(error)}")
    return ctx.failed


def expanded(line: bytes, stops: TabStops, initial: bool, ctx: Context) -> bytes:
    """Return a line with its tabs as blanks."""
    pieces = []
    column = 0
    parts = line.split(b"\t")
    for index, part in enumerate(parts):
        ctx.charge()
        pieces.append(part)
        column = max(0, column + len(part) - 2 * part.count(b"\b"))
        if index == len(parts) - 1:
            break
        if initial and part.strip(b" "):
            pieces.append(b"\t" + b"\t".join(parts[index + 1 :]))
            break
        stop = stops.next(column)
        width = 1 if stop is None else stop - column
        ctx.budget.check_fits(width + len(line))
        pieces.append(b" " * width)
        column += width
    return b"".join(pieces)

"""unexpand: write tabs instead of blanks.

Source: POSIX.1-2024 XCU 3, unexpand. Oracle: GNU coreutils 9.1, which counts bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import also, opt, option_set
from sandhook.command.utility import WRITE_ERROR_TWICE
from sandhook.text.quoting import quote_odd
from sandhook.utilities.lines.tabs import TabStops, parse_tabs

CLOSED_INPUT = "-"

WRITE_ERROR = WRITE_ERROR_TWICE

NUMERIC = "tabs"


class _Digits(str):
    """A word of digits, commas and the letter ``a``: ``-4a``."""

    __slots__ = ()


@option_set
class Options:
    """unexpand [OPTION]... [FILE]...

    Copy the FILEs with the blanks at the beginning of each line as tabs.
    """

    all_: bool = opt("-a", "--all", help="blanks anywhere, where at least two end at a stop")
    first: bool = opt("--first-only", help="only blanks at the beginning, even with -a or -t")
    tabs: tuple[str, ...] = also(
        opt("TABS", help="-4: stops, without -a", append=True, convert=_Digits),
        opt(
            "-t", "--tabs", "TABS", "columns between stops (8), or their list; implies -a",
            append=True, implies="all_",
        ),
    )  # fmt: skip


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    # Digits of several words are one number, as in GNU's: -4 -8 is -48.
    digits = "".join(text for text in options.tabs if isinstance(text, _Digits))
    everywhere = (options.all_ or "a" in digits) and not options.first
    texts = [text for text in options.tabs if not isinstance(text, _Digits)]
    stops = parse_tabs([*texts, digits.replace("a", "")] if digits else texts)
    for name in operands or ("-",):
        try:
            with ctx.open(name) as reader:
                for line in reader.lines():
                    ctx.write(unexpand_line(line, stops, everywhere, ctx))
        except OSError as error:
            ctx.fail(f"{quote_odd(name)}: {reason(error)}")
    return ctx.failed


def unexpand_line(line: bytes, stops: TabStops, everywhere: bool, ctx: Context) -> bytes:
    """Return a line with its blanks as tabs."""
    if b" " not in line and b"\t" not in line:
        return line
    body = line.removesuffix(b"\n")
    ctx.charge(1 + (min(len(body), 4096) >> 4))
    output = bytearray()
    pending = bytearray()  # blanks that may become a tab
    column = 0
    converting = True
    blank_before = True
    one_before_stop = False
    stop: int | None = 0
    for at, byte in enumerate(body, 1):
        if not at & 4095:
            ctx.charge(256)
        if converting and byte in b" \t":
            stop = stops.next(column)
            if stop is None:
                converting = False
                output += pending
                pending.clear()
                output.append(byte)
                continue
            if byte == 9:
                column = stop
                if pending:
                    pending[:] = b"\t" if one_before_stop else b""
                output += pending + b"\t"
                pending.clear()
                one_before_stop = False
                blank_before = True
                continue
            column += 1
            if blank_before and column == stop:
                output += b"\t\t" if one_before_stop else b"\t"
                pending.clear()
                one_before_stop = False
            else:
                if column == stop:
                    one_before_stop = True
                    pending.append(32)
                elif one_before_stop:
                    output += b"\t"
                    pending[:] = b" "
                    one_before_stop = False
                else:
                    pending.append(32)
                blank_before = True
            continue
        output += pending
        pending.clear()
        one_before_stop = False
        output.append(byte)
        if converting:
            column = max(0, column - 1) if byte == 8 else column + 1
            blank_before = False
            converting = everywhere
    return bytes(output + pending) + line[len(body) :]

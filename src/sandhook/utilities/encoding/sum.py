"""sum: print checksums and sizes in blocks.

Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.operands import reason
from sandhook.command.options import also, opt, option_set
from sandhook.command.utility import WRITE_ERROR_CLOSED
from sandhook.text.quoting import quote_odd
from sandhook.utilities.encoding.sums import sum_line

CLOSED_INPUT = "standard input"

WRITE_ERROR = WRITE_ERROR_CLOSED


@option_set
class Options:
    """sum [OPTION]... [FILE]...

    Print a checksum and the number of blocks of each FILE (standard input).
    """

    kind: str = also(
        opt("-r", help="BSD's algorithm, blocks of 1 KiB (default)", const="bsd", default="bsd"),
        opt("-s", "--sysv", help="System V's algorithm, blocks of 512 bytes", const="sysv"),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a file could not be read."""
    for name in operands or ["-"]:
        try:
            line = sum_line(options.kind, name, ctx)
        except OSError as error:
            ctx.fail(f"{quote_odd(name)}: {reason(error)}")
            continue
        ctx.write_line(f"{line} {name}" if operands else line)
    return ctx.failed

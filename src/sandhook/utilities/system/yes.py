"""yes: print a line again and again, until nobody reads it any more.

Oracle: GNU coreutils 9.1 (no standard has it).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import option_set

WRITE_ERROR = "standard output: {}"


@option_set
class Options:
    """yes [STRING]...

    Print a line with all STRINGs, or y, without end.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 1 when the output cannot be written; SIGPIPE or a limit ends it otherwise."""
    line = (" ".join(operands) if operands else "y").encode("utf-8", "surrogateescape") + b"\n"
    block = line * max(1, 4096 // len(line))
    while True:
        ctx.charge(1 + len(block) // 1024)
        ctx.write(block)

"""yes: print a line repeatedly, until the output is closed.

Oracle: GNU coreutils 9.1 (not in a standard).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import option_set

WRITE_ERROR = "standard output: {}"


@option_set
class Options:
    """yes [STRING]...
      or:  yes OPTION

    Print a line with all STRINGs, or y, repeatedly.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Write until SIGPIPE, a write error (status 1) or a limit ends the run."""
    line = (" ".join(operands) if operands else "y").encode("utf-8", "surrogateescape") + b"\n"
    block = line * max(1, 4096 // len(line))
    while True:
        ctx.charge(1 + len(block) // 1024)
        ctx.write(block)

"""printenv: print variables of the environment.

Oracle: GNU coreutils 9.1 (not in a standard).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import opt, option_set

PERMUTE = False
USAGE_STATUS = 2


@option_set
class Options:
    """printenv [OPTION]... [VARIABLE]...

    Print the value of each VARIABLE, or the whole environment.
    """

    zero: bool = opt("-0", "--null", "end each line with NUL instead of a newline")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a VARIABLE is not in the environment."""
    end = b"\0" if options.zero else b"\n"
    environment = ctx.environment
    if not operands:
        for name, value in environment.items():
            ctx.charge()
            ctx.write(f"{name}={value}".encode("utf-8", "surrogateescape") + end)
        return 0
    status = 0
    for name in operands:
        ctx.charge()
        if name in environment and "=" not in name:
            ctx.write(environment[name].encode("utf-8", "surrogateescape") + end)
        else:
            status = 1
    return status

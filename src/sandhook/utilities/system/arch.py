"""arch: print the machine's hardware name.

Oracle: GNU coreutils 9.1. The output is that of `uname -m`.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, option_set


@option_set
class Options:
    """arch [OPTION]...

    Print the machine's hardware name.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    ctx.write_line("x86_64")
    return 0

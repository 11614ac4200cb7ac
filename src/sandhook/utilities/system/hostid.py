"""hostid: print the number of the (virtual) machine, which is a constant.

Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, option_set


@option_set
class Options:
    """hostid [OPTION]

    Print the machine's number in hexadecimal.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    ctx.write_line("007f0101")
    return 0

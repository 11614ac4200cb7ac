"""tty: print the name of the terminal, which does not exist here.

Source: POSIX.1-2024 XCU 3, tty. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, opt, option_set

USAGE_STATUS = 2
WRITE_STATUS = 3


@option_set
class Options:
    """tty [OPTION]...

    Print the name of the terminal of standard input.
    """

    silent: bool = opt("-s", "--silent", "--quiet", "print nothing")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 1, because standard input is not a terminal; 3 when the output cannot be written."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    if not options.silent:
        ctx.write_line("not a tty")
    return 1

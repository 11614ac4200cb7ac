"""printf: write formatted output.

Source: POSIX.1-2024 XCU 3, printf. Oracle: GNU coreutils 9.1; the shell's own printf is bash's.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import Inform, UsageError, option_set
from sandhook.utilities.system.printf.gnu import printf

RAW = True  # a format may begin with a dash


@option_set
class Options:
    """printf FORMAT [ARGUMENT]...
      or:  printf OPTION

    Write the ARGUMENTs according to FORMAT, which is reused until all of them are written.
    """


def run(options: None, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a format or a number is invalid, or without a format."""
    if len(operands) == 1 and operands[0] in ("--help", "--version"):
        raise Inform(operands[0][2:])
    if operands and operands[0] == "--":
        operands = operands[1:]
    if not operands:
        raise UsageError("missing operand")
    ctx.charge(len(operands))
    return printf(operands[0], operands[1:], ctx)

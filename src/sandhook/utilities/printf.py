"""printf: write formatted output.

Source: POSIX.1-2024 XCU 3, printf. Oracle: bash 5.2's built-in; its -v belongs to the shell.
Divergence: L-PRINTF-001, %n sets no variable here.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, UsageError
from sandhook.utilities._printf import format_printf

RAW = True
USAGE_STATUS = 2
WRITE_STATUS = 1
_SYNOPSIS = "usage: printf [-v var] format [arguments]"


def run(options: None, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, 1 when a format or number is invalid, 2 without a format."""
    if operands and operands[0] == "--":
        operands = operands[1:]
    elif operands and len(operands[0]) > 1 and operands[0][0] == "-":
        ctx.error(f"{operands[0][:2]}: invalid option")
        raise UsageError(_SYNOPSIS, hint=False)
    if not operands:
        raise UsageError(_SYNOPSIS, hint=False)
    ctx.charge(len(operands))
    data = format_printf(
        operands[0],
        operands[1:],
        error=ctx.fail,
        warn=ctx.error,
        now=ctx.now,
        environment=ctx.environment,
        afford=ctx.budget.afford,
    )
    ctx.write(data)
    return ctx.failed

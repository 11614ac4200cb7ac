"""nice: run a command with another niceness, which does not affect virtual processes.

Source: POSIX.1-2024 XCU 3, nice. Oracle: GNU coreutils 9.1.
Divergence: L-NICE-001, the niceness has no effect, except that an inner nice prints it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, opt, option_set

PERMUTE = False
USAGE_STATUS = 125
NUMERIC = "adjustment"

#: The largest niceness.
_MAX_NICENESS = 19


@option_set
class Options:
    """nice [OPTION] [COMMAND [ARG]...]

    Run COMMAND; without one, print the niceness.
    """

    adjustment: str | None = opt("-n", "--adjustment", "N", "add N to the niceness (10)")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status; 125 when nice fails, 126 and 127 when it cannot be run or found."""
    text = options.adjustment
    if text is not None:
        digits = text.strip(" \t").removeprefix("+").removeprefix("-")
        if not (digits.isascii() and digits.isdigit()):
            raise Failure(f"invalid adjustment '{text}'")
    if not operands:
        if text is not None:
            raise UsageError("a command must be given with an adjustment")
        ctx.write_line(str(ctx.process.niceness))
        return 0
    process = ctx.process
    previous = process.niceness
    niceness = min(
        previous + int(text[-6:] if text is not None and len(text) > 6 else text or "10"), _MAX_NICENESS
    )
    if niceness < previous:
        ctx.error("cannot set niceness: Permission denied")
        niceness = previous
    ctx.flush()
    process.niceness = niceness
    try:
        return ctx.run_command(operands, in_place=True)
    finally:
        process.niceness = previous

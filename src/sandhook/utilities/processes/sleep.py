"""sleep: let (virtual) time pass.

Source: POSIX.1-2024 XCU 3, sleep. Oracle: GNU coreutils 9.1 (fractions, suffixes and several
operands are GNU's). The clock is the run's own: it jumps when every process waits.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.durations import FOREVER, interval
from sandhook.command.options import UsageError, option_set


@option_set
class Options:
    """sleep NUMBER[smhd]...

    Wait for the sum of the intervals, in seconds unless a suffix says otherwise.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 when the time has passed."""
    if not operands:
        raise UsageError("missing operand")
    total = 0.0
    bad = False
    for text in operands:
        seconds = interval(text)
        if seconds is None:
            ctx.error(f"invalid time interval '{text}'")
            bad = True
        else:
            total += seconds
    if bad:
        ctx.error_hint()
        return 1
    ctx.sleep(min(total, FOREVER))
    return 0

"""sleep: wait for an interval of (virtual) time.

Source: POSIX.1-2024 XCU 3, sleep. Oracle: GNU coreutils 9.1 (fractions, suffixes and several operands are GNU's). The
clock is virtual: it jumps when every process waits.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.durations import FOREVER, interval
from sandhook.command.options import UsageError, option_set


@option_set
class Options:
    """sleep NUMBER[SUFFIX]...
      or:  sleep OPTION

    Wait for the sum of the intervals, which are in seconds unless they have a suffix.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0 after the interval."""
    if not operands:
        raise UsageError("missing operand")
    total = 0.0
    failed = False
    for text in operands:
        seconds = interval(text)
        if seconds is None:
            ctx.error(f"invalid time interval '{text}'")
            failed = True
        else:
            total += seconds
    if failed:
        ctx.error_hint()
        return 1
    ctx.sleep(min(total, FOREVER))
    return 0

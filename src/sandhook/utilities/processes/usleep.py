"""usleep: wait for an interval of (virtual) time, in microseconds.

Oracle: busybox 1.35.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, option_set


@option_set
class Options:
    """usleep MICROSECONDS

    Wait for the interval.
    """


def run(_: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if len(operands) != 1:
        raise UsageError("missing operand" if not operands else f"extra operand '{operands[1]}'")
    text = operands[0]
    if not (text.isascii() and text.isdigit()) or len(text) > 18:
        raise UsageError(f"invalid number '{text}'", hint=False)
    ctx.sleep(int(text) / 1_000_000)
    return 0

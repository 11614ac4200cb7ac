"""sleep: let (virtual) time pass.

Source: POSIX.1-2024 XCU 3, sleep. Oracle: GNU coreutils 9.1 (fractions, suffixes and several
operands are GNU's). The clock is the run's own: it jumps when every process waits.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities._base import Context, UsageError, option_set

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

#: A longer interval is as good as endless, and keeps the clock's arithmetic exact.
FOREVER = 1e10


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


def interval(text: str) -> float | None:
    """Return a non-negative interval in seconds ("1.5", "2m", "inf"), or None if it is none."""
    unit = 1
    if text[-1:] in _UNITS:
        unit = _UNITS[text[-1]]
        text = text[:-1]
    if not text or "_" in text or text != text.strip() or not text.isascii() or text.lower() == "nan":
        return None
    try:
        if text.lower().removeprefix("+")[:2] == "0x":
            seconds = float.fromhex(text)
        else:
            seconds = float(text)
    except (ValueError, OverflowError):
        return None
    return min(seconds, FOREVER) * unit if seconds >= 0 else None

"""ts: print the time before each line.

Oracle: moreutils 0.67. The clock is the run's. Divergence: L-TS-001, -r is not offered.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, also, opt, option_set
from sandhook.dates.clock import strftime
from sandhook.lazy import lazily

USAGE_STATUS = 255
PERMUTE = False
_FRACTION = lazily(r"%\.([sST])")
_SHORT = {"s": "%s", "S": "%S", "T": "%T"}


@option_set
class Options:
    """ts [-i | -s] [-m] [FORMAT]

    Copy standard input with the time before each line, as strftime writes FORMAT (%b %d %H:%M:%S); %.S, %.s and %.T
    have fractions of seconds.
    """

    since: str = also(
        opt("-i", help="the time since the previous line", const="line", default=""),
        opt("-s", help="the time since the start", const="start"),
    )
    monotonic: bool = opt("-m", ignored="the run's clock is never set back")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if len(operands) > 1:
        raise UsageError(f"extra operand '{operands[1]}'")
    format_ = operands[0] if operands else "%H:%M:%S" if options.since else "%b %d %H:%M:%S"
    zone = ctx.environment.get("TZ")
    zone = "GMT" if options.since else zone
    last = ctx.now()
    with ctx.stdin_reader() as reader:
        for line in reader.lines():
            now = ctx.now()
            moment = now - last if options.since else now
            if options.since == "line":
                last = now
            ctx.write(_stamp(format_, moment, zone).encode("utf-8", "surrogateescape") + b" " + line)
            ctx.charge()
    return 0


def _stamp(format_: str, moment: float, zone: str | None) -> str:
    seconds, fraction = divmod(max(moment, 0), 1)
    fraction_text = f".{int(fraction * 1_000_000):06}"
    format_ = _FRACTION.sub(lambda match: _SHORT[match[1]] + fraction_text, format_)
    return strftime(format_, int(seconds), zone)

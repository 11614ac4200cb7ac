"""uptime: print the uptime of the (virtual) machine, which is the elapsed time of the run.

Oracle: procps 4.0. Divergence: L-UPTIME-001, the run is the machine: it has no users and no load.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import VERSION, also, opt, option_set
from sandhook.dates.clock import strftime


@option_set
class Options:
    """uptime [-p | -s]

    Print the time, the uptime, and the load.
    """

    format_: str = also(
        opt("-p", "--pretty", help="print the uptime in words", const="pretty", default=""),
        opt("-s", "--since", help="print the start time", const="since"),
    )
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if operands:
        raise Failure(f"extra operand '{operands[0]}'")
    zone = ctx.environment.get("TZ")
    now = int(ctx.now())
    seconds = int(ctx.budget.elapsed())
    if options.format_ == "since":
        ctx.write_line(strftime("%Y-%m-%d %H:%M:%S", now - seconds, zone))
        return 0
    minutes = seconds // 60
    if options.format_ == "pretty":
        hours, remainder = divmod(minutes, 60)
        parts = [_quantity(hours, "hour")] if hours else []
        parts.append(_quantity(remainder, "minute"))
        ctx.write_line(f"up {', '.join(parts)}")
        return 0
    up = f"{minutes // 60:2}:{minutes % 60:02}" if minutes >= 60 else f"{minutes} min"
    clock = strftime("%H:%M:%S", now, zone)
    ctx.write_line(f" {clock} up {up},  0 users,  load average: 0.00, 0.00, 0.00")
    return 0


def _quantity(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"

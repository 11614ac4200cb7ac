"""uptime: print how long the (virtual) machine has been up: since the run began.

Oracle: procps 4.0. Divergence: L-UPTIME-001, the run is the machine: it has no users and no load.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import also, opt, option_set
from sandhook.dates.clock import strftime


@option_set
class Options:
    """uptime [-p | -s]

    Print the time, how long the run has lasted, and its load.
    """

    form: str = also(
        opt("-p", "--pretty", help="how long, in words", const="pretty", default=""),
        opt("-s", "--since", help="when it began", const="since"),
    )


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if operands:
        raise Failure(f"extra operand '{operands[0]}'")
    zone = ctx.environment.get("TZ")
    now = int(ctx.now())
    seconds = int(ctx.budget.elapsed())
    if options.form == "since":
        ctx.write_line(strftime("%Y-%m-%d %H:%M:%S", now - seconds, zone))
        return 0
    minutes = seconds // 60
    if options.form == "pretty":
        hours, rest = divmod(minutes, 60)
        parts = [_counted(hours, "hour")] if hours else []
        parts.append(_counted(rest, "minute"))
        ctx.write_line(f"up {', '.join(parts)}")
        return 0
    up = f"{minutes // 60:2}:{minutes % 60:02}" if minutes >= 60 else f"{minutes} min"
    clock = strftime("%H:%M:%S", now, zone)
    ctx.write_line(f" {clock} up {up},  0 users,  load average: 0.00, 0.00, 0.00")
    return 0


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"

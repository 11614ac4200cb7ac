"""nproc: print the number of processors: one, whatever the host has.

Oracle: GNU coreutils 9.1 (no standard has it).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.counts import bounded_number
from sandhook.command.options import UsageError, opt, option_set


@option_set
class Options:
    """nproc [--all] [--ignore=N]

    Print the number of processors that a run may use: one.
    """

    all_: bool = opt("--all", "all processors: one")
    ignore: str | None = opt("--ignore", "N", "leave N out, but never the last one")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    if options.ignore is not None:
        bounded_number(options.ignore, "invalid number:")
    wanted = ctx.environment.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    given = wanted.isascii() and wanted.isdigit() and 0 < len(wanted) < 10 and not options.all_
    count = int(wanted) if given and int(wanted) else 1
    most = ctx.environment.get("OMP_THREAD_LIMIT", "").strip()
    if most.isascii() and most.isdigit() and 0 < len(most) < 10 and int(most) and not options.all_:
        count = min(count, int(most))
    ctx.write_line(str(count))
    return 0

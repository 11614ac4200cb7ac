"""nproc: print the number of processors, which is one on every host.

Oracle: GNU coreutils 9.1 (not in a standard).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.counts import bounded_number
from sandhook.command.options import UsageError, opt, option_set


@option_set
class Options:
    """nproc [OPTION]...

    Print the number of processors that a run may use, which is one.
    """

    all_: bool = opt("--all", "the number of all processors, which is one")
    ignore: str | None = opt("--ignore", "N", "do not count N processors, but count at least one")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    if options.ignore is not None:
        bounded_number(options.ignore, "invalid number:")
    requested = ctx.environment.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    is_requested = (
        requested.isascii() and requested.isdigit() and 0 < len(requested) < 10 and not options.all_
    )
    count = int(requested) if is_requested and int(requested) else 1
    limit = ctx.environment.get("OMP_THREAD_LIMIT", "").strip()
    if limit.isascii() and limit.isdigit() and 0 < len(limit) < 10 and int(limit) and not options.all_:
        count = min(count, int(limit))
    ctx.write_line(str(count))
    return 0

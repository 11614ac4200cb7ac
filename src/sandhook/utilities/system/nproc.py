"""nproc: print the number of processors, which is one on every host.

Oracle: GNU coreutils 9.1 (not in a standard).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.counts import bounded_number
from sandhook.command.options import UsageError, opt, option_set


def _number(text: str) -> int:
    return bounded_number(text, "invalid number:")


@option_set
class Options:
    """nproc [OPTION]...

    Print the number of processors that a run may use, which is one.
    """

    all_: bool = opt("--all", "the number of all processors, which is one")
    ignore: int | None = opt("--ignore", "N", ignored="there is one processor", convert=_number)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
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

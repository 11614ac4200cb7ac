"""chrt: run a command with a scheduling policy, which has no effect on virtual processes.

Oracle: util-linux 2.38. Divergence: L-NICE-001, as for nice.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.options import VERSION, UsageError, also, opt, option_set

PERMUTE = False
_RANGES = (
    ("OTHER", "0/0"), ("FIFO", "1/99"), ("RR", "1/99"), ("BATCH", "0/0"), ("IDLE", "0/0"), ("DEADLINE", "0/0"),
)  # fmt: skip


@option_set
class Options:
    """chrt [-bdfior] [-R] PRIORITY COMMAND [ARGUMENT]... | chrt [-bdfior] -p [PRIORITY] PID | chrt -m

    Run COMMAND; or print the policy of a process.
    """

    policy: str = also(
        opt("-b", "--batch", help="SCHED_BATCH", const="b", default="r"),
        opt("-d", "--deadline", help="SCHED_DEADLINE", const="d"),
        opt("-f", "--fifo", help="SCHED_FIFO", const="f"),
        opt("-i", "--idle", help="SCHED_IDLE", const="i"),
        opt("-o", "--other", help="SCHED_OTHER", const="o"),
        opt("-r", "--rr", help="SCHED_RR (the default)", const="r"),
    )
    reset: bool = opt("-R", "--reset-on-fork", ignored="")
    all_: bool = opt("-a", "--all-tasks", ignored="processes have no threads")
    show_ranges: bool = opt("-m", "--max", help="print the valid priorities")
    pid: bool = opt("-p", "--pid", help="operate on a running process")
    verbose: bool = opt("-v", "--verbose", ignored="")
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status, or 1 after an error."""
    if options.show_ranges:
        for name, values in _RANGES:
            ctx.write_line(f"SCHED_{name} min/max priority\t: {values}")
        return 0
    words = list(operands)
    if len(words) < (1 if options.pid else 2):
        raise UsageError("bad usage")
    if not options.pid or len(words) > 1:
        priority = words.pop(0)
        if not (priority.isascii() and priority.isdigit()) or len(priority) > 9:
            raise Failure(f"invalid priority argument: '{priority}'")
        max_priority = 99 if options.policy in "fr" else 0
        if int(priority) > max_priority or (max_priority and not int(priority)):
            raise Failure(
                "unsupported priority value for the policy: " + f"{priority}: see --max for valid range"
            )
    if not options.pid:
        return ctx.run_command(words, "failed to execute {}", in_place=True)
    text = words[0]
    if not (text.isascii() and text.isdigit()) or len(text) > 9:
        raise Failure(f"invalid PID argument: '{text}'")
    if int(text) not in ctx.kernel.processes and int(text):
        raise Failure(f"failed to get pid {text}'s policy: No such process")
    if len(operands) == 1:
        ctx.write_line(f"pid {text}'s current scheduling policy: SCHED_OTHER")
        ctx.write_line(f"pid {text}'s current scheduling priority: 0")
    return 0

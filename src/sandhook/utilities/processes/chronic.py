"""chronic: run a command, and print its output only if it fails.

Oracle: moreutils 0.67.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, opt, option_set
from sandhook.kernel.descriptor import Collector

PERMUTE = False
USAGE_STATUS = 255


@option_set
class Options:
    """chronic [-ev] COMMAND [ARGUMENT]...

    Run COMMAND quietly unless it fails.
    """

    stderr: bool = opt("-e", help="output on standard error is a failure, too")
    verbose: bool = opt("-v", help="label the two outputs, and print the status")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status, or 2 for one that succeeded with output on standard error and -e."""
    if not operands:
        raise UsageError("missing command")
    process = ctx.process
    status, out, err = capture(ctx, lambda: ctx.run_command(operands, "{}"))
    failed = status != 0 or (options.stderr and bool(err))
    if failed and options.verbose:
        ctx.write(b"STDOUT:\n" + out + b"\nSTDERR:\n")
        ctx.flush()
        process.write_error(err)
        ctx.write(b"\nRETVAL: %d\n" % status)
    elif failed:
        ctx.write(out)
        ctx.flush()
        process.write_error(err)
    return status or (2 if failed else 0)


def capture(ctx: Context, run: Callable[[], int]) -> tuple[int, bytes, bytes]:
    """Call ``run``, which runs a command; return its status and the data that it writes to both streams."""
    ctx.flush()
    process = ctx.process
    saved = {number: process.descriptors.get(number) for number in (1, 2)}
    out, err = Collector(ctx.budget), Collector(ctx.budget)
    process.descriptors[1], process.descriptors[2] = out, err
    try:
        status = run()
    finally:
        for number, description in saved.items():
            if description is None:
                del process.descriptors[number]
            else:
                process.descriptors[number] = description
    return status, out.take(), err.take()

"""sync: write files to their device.

Oracle: GNU coreutils 9.1. Virtual files have no device, so there is nothing to write, but every FILE must exist.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason, stat_of
from sandhook.command.options import opt, option_set
from sandhook.text.quoting import quote_always


@option_set
class Options:
    """sync [OPTION] [FILE]...

    Write all data to the devices, or those of each FILE.
    """

    data: bool = opt("-d", "--data", help="only the contents")
    system: bool = opt("-f", "--file-system", help="the whole file systems of the FILEs")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when a FILE cannot be opened."""
    if options.data and options.system:
        raise Failure("cannot specify both --data and --file-system")
    if options.data and not operands:
        raise Failure("--data needs at least one argument")
    for name in operands:
        ctx.charge()
        try:
            stat_of(ctx, name)
        except OSError as error:
            ctx.fail(f"error opening {quote_always(name)}: {reason(error)}")
    return ctx.failed

"""nohup: run a command that continues when its terminal is closed.

Source: POSIX.1-2024 XCU 3, nohup. Oracle: GNU coreutils 9.1. There is no terminal, so no stream is redirected to
nohup.out; the command ignores SIGHUP.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, option_set
from sandhook.kernel.signals import SIGHUP
from sandhook.text.quoting import quote_always

PERMUTE = False
USAGE_STATUS = 125


@option_set
class Options:
    """nohup COMMAND [ARG]...
      or:  nohup OPTION

    Run COMMAND with hangup signals ignored.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status; 125 when nohup fails, 126 and 127 when it cannot be run or found."""
    if not operands:
        raise UsageError("missing operand", status=127 if "POSIXLY_CORRECT" in ctx.environment else None)
    process = ctx.process
    ignored = process.ignored  # of the shell, if that waits for nohup
    process.ignored = ignored | {SIGHUP}
    ctx.flush()
    try:
        ended = ctx.run(operands, in_place=True)
    finally:
        process.ignored = ignored
    if ended.not_started is not None:
        ctx.report_not_started(quote_always(operands[0]), ended.not_started, "failed to run command {}")
    return ended.status

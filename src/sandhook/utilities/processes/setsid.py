"""setsid: run a command in a new session, which has no effect without terminals.

Oracle: util-linux 2.38.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import UsageError, opt, option_set

PERMUTE = False
_NOT_STARTED = "failed to execute {}"


@option_set
class Options:
    """setsid [OPTION]... COMMAND [ARGUMENT]...

    Run COMMAND in a new session.
    """

    terminal: bool = opt("-c", "--ctty", ignored="there is no terminal")
    fork: bool = opt("-f", "--fork", help="run it in the background")
    wait: bool = opt("-w", "--wait", help="wait for it, and return its status")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status; 126 and 127 when it cannot be run or found; 0 with -f."""
    if not operands:
        raise UsageError("no command specified")
    if not options.fork or options.wait:
        return ctx.run_command(operands, _NOT_STARTED)
    return ctx.run_command(["sh", "-c", '"$@" &', "sh", *operands], _NOT_STARTED)

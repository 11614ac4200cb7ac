"""setsid: run a command in a new session, which is a new process group, as there are no terminals.

Oracle: util-linux 2.38.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import VERSION, UsageError, opt, option_set

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
    version: bool = opt("-V", help="show the version", const=VERSION)


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the command's status; 126 and 127 when it cannot be run or found; 0 with -f."""
    if not operands:
        raise UsageError("no command specified")
    if options.fork and not options.wait:
        return ctx.run_command(["sh", "-c", 'set -m; "$@" &', "sh", *operands], _NOT_STARTED)
    process = ctx.process
    if process.utility or process.pid == process.group:
        return ctx.run_command(operands, _NOT_STARTED, new_group=True)
    process.group = process.pid  # it is a process of its own, which the command replaces
    return ctx.run_command(operands, _NOT_STARTED, in_place=True)

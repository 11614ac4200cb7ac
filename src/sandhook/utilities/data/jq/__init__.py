"""jq: filter JSON.

Source: jq 1.8 manual. Oracle: jq 1.8.2; libjq runs in a worker process, see ``sandhook.worker``; plain paths do not need it.
Divergences: L-JQ-001 to L-JQ-013.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, WriteError
from sandhook.command.inform import usage
from sandhook.command.options import Inform
from sandhook.utilities.data.jq.arguments import TRY_HELP, MisuseError, Options, parse
from sandhook.utilities.data.jq.calling import call_jq

READ_ERROR = "error: {}"

JQ_VERSION = "jq-1.8.2"  #: the version of the oracle

__all__ = ["Options"]

RAW = True  # the common parser cannot express options with two arguments: see arguments.py
USAGE_STATUS = 2
FIXED_NAMES = {"jq": "jq"}


def run(options: None, arguments: Sequence[str], ctx: Context) -> int:
    """Return jq's status: 0, 2 usage, file or output, 3 compilation, 5 run time; with -e 1 and 4 too."""
    try:
        status = _run(arguments, ctx)
        ctx.flush()
    except WriteError as error:
        ctx.abandon()
        ctx.write_error(f"Error: writing output failed: {error.reason}\n")
        return 2
    return status


def _run(arguments: Sequence[str], ctx: Context) -> int:
    try:
        command = parse(tuple(arguments))
    except MisuseError as error:
        ctx.write_error(f"{'jq: ' if error.with_name else ''}{error}\n{TRY_HELP}\n")
        return 2
    if command.inform == "help":
        raise Inform("help")
    if command.inform:
        ctx.write_line(JQ_VERSION)
        return 0
    if command.from_file and command.program is None:
        ctx.write_error(usage(Options, "jq"))
        return 2
    return call_jq(command, ctx)

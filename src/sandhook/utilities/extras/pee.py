"""pee: copy standard input to several commands.

Oracle: moreutils 0.67. Divergence: L-PEE-001, the commands run sequentially.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context
from sandhook.command.options import option_set
from sandhook.kernel.descriptor import Input

PERMUTE = False


@option_set
class Options:
    """pee [COMMAND]...

    Run each COMMAND, a line for sh, with all of standard input.
    """


def run(_: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return the bitwise OR of the commands' exit statuses."""
    with ctx.stdin_reader() as reader:
        data = reader.read_all()
    status = 0
    for command in operands:
        ctx.charge()
        status |= ctx.run_command(["sh", "-c", command], stdin=Input(data))
    return status

"""sponge: read all of standard input before writing it to a file, which the same pipeline may read.

Oracle: moreutils 0.67.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import reason
from sandhook.command.options import opt, option_set
from sandhook.command.utility import Whole

READ_ERROR = Whole("failed to read from stdin: {}")


@option_set
class Options:
    """sponge [-a] [FILE]

    Write standard input to FILE, or to standard output, after it has ended.
    """

    append: bool = opt("-a", help="append to FILE")


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when FILE cannot be written."""
    with ctx.stdin_reader() as reader:
        data = reader.read_all()
    if not operands:
        ctx.write(data)
        return 0
    try:
        file = ctx.create(operands[0], append=options.append)
    except OSError as error:
        raise Failure(f"error opening output file: {operands[0]}: {reason(error)}") from None
    try:
        file.write(data)
    finally:
        file.release()
    return 0

"""unlink: remove one name of a file.

Source: POSIX.1-2024 XCU 3, unlink. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import locate, reason
from sandhook.command.options import UsageError, option_set
from sandhook.text.quoting import quote_always


@option_set
class Options:
    """unlink FILE
      or:  unlink OPTION

    Remove FILE, which must not be a directory, by the unlink system call.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when FILE could not be removed."""
    if not operands:
        raise UsageError("missing operand")
    if len(operands) > 1:
        raise UsageError(f"extra operand {quote_always(operands[1])}")
    try:
        ctx.fs.unlink(locate(ctx, operands[0]))
    except OSError as error:
        raise Failure(f"cannot unlink {quote_always(operands[0])}: {reason(error)}") from None
    return 0

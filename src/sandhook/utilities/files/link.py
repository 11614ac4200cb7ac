"""link: create another name for a file.

Source: POSIX.1-2024 XCU 3, link. Oracle: GNU coreutils 9.1.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.context import Context, Failure
from sandhook.command.operands import locate, reason
from sandhook.command.options import UsageError, option_set
from sandhook.text.quoting import quote_always


@option_set
class Options:
    """link FILE1 FILE2
      or:  link OPTION

    Create FILE2 as another name of FILE1, by the link system call.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the link could not be created."""
    if not operands:
        raise UsageError("missing operand")
    if len(operands) == 1:
        raise UsageError(f"missing operand after {quote_always(operands[0])}")
    if len(operands) > 2:
        raise UsageError(f"extra operand {quote_always(operands[2])}")
    old, new = operands
    try:
        ctx.fs.link(locate(ctx, old), locate(ctx, new))
    except OSError as error:
        raise Failure(
            f"cannot create link {quote_always(new)} to {quote_always(old)}: {reason(error)}"
        ) from None
    return 0

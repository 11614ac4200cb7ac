"""whoami: print the user's name.

Oracle: GNU coreutils 9.1 (POSIX has ``id -un``).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.accounts import accounts, current_user
from sandhook.command.context import Context, Failure
from sandhook.command.options import UsageError, option_set


@option_set
class Options:
    """whoami [OPTION]...

    Print the name of the user of this process.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 when the user has no name."""
    if operands:
        raise UsageError(f"extra operand '{operands[0]}'")
    uid, _ = current_user(ctx)
    name = accounts(ctx.fs).users.get(uid)
    if name is None:
        raise Failure(f"cannot find name for user ID {uid}")
    ctx.write_line(name)
    return 0

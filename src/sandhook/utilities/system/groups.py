"""groups: print the groups of users.

Oracle: GNU coreutils 9.1. Names come from /etc/passwd and /etc/group of the file system.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.accounts import accounts, current_user, groups_of, look_up
from sandhook.command.context import Context
from sandhook.command.options import option_set
from sandhook.text.quoting import quote_always


@option_set
class Options:
    """groups [OPTION]... [USERNAME]...

    Print the names of the groups of each USER, or of the user of this process.
    """


def run(options: Options, operands: Sequence[str], ctx: Context) -> int:
    """Return 0, or 1 for an unknown user."""
    names = accounts(ctx.fs)
    if not operands:
        uid, gid = current_user(ctx)
        ctx.write_line(" ".join(map(names.group, groups_of(names.user(uid), gid, ctx))))
    for operand in operands:
        ctx.charge()
        account = look_up(operand, ctx)
        if account is None:
            ctx.fail(f"{quote_always(operand)}: no such user")
            continue
        _, gid, user = account
        ctx.write_line(f"{operand} : {' '.join(map(names.group, groups_of(user, gid, ctx)))}")
    return ctx.failed

"""Users and groups that chown, chgrp and install name: reading them, and what may be done.

The run's user is no superuser: it may give a file that it owns to itself and to a group of its own,
and nothing else; the virtual files have one owner and one group.
"""

from __future__ import annotations

import errno

from sandhook.utilities._base import Context
from sandhook.utilities._files import account_lines, locate
from sandhook.utilities.id import current_user
from sandhook.vfs.base import Stat
from sandhook.vfs.errors import fs_error


def user_number(ctx: Context, text: str) -> tuple[int, int] | None:
    """Return the number and login group of a user's name or number; group -1 if it has no account."""
    for fields in account_lines(ctx.fs, "/etc/passwd"):
        if len(fields) > 3 and fields[0] == text and fields[2].isdigit() and fields[3].isdigit():
            return int(fields[2]), int(fields[3])
    number = _number(text)
    return None if number is None else (number, -1)


def group_number(ctx: Context, text: str) -> int | None:
    """Return the number of a group's name or number, or None when nobody knows it."""
    for fields in account_lines(ctx.fs, "/etc/group"):
        if len(fields) > 2 and fields[0] == text and fields[2].isdigit():
            return int(fields[2])
    return _number(text)


def _number(text: str) -> int | None:
    digits = text.removeprefix("+")
    if digits.isascii() and digits.isdigit() and len(digits) <= 10 and int(digits) < 2**32 - 1:
        return int(digits)
    return None


def change_owner(ctx: Context, name: str, info: Stat, uid: int, gid: int) -> None:
    """Give a file to ``uid`` and ``gid`` (-1: as it is). Raises EPERM for all but its own ones."""
    me, _ = current_user(ctx)
    locate(ctx, name)
    if me == 0 and (uid, gid) == (-1, -1):
        return
    if (uid not in (-1, info.uid) or gid not in (-1, info.gid)) or (
        (uid, gid) != (-1, -1) and info.uid != me
    ):
        raise fs_error(errno.EPERM, name)

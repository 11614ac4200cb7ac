"""Users and groups for chown, chgrp and install: lookup and permissions.

The user of a run is not a superuser: it may only set the owner of its own files to itself, and their group to
its own group.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator

from sandhook.command.context import Context
from sandhook.command.operands import locate
from sandhook.record import Record
from sandhook.text.numbers import decimal
from sandhook.vfs.base import FileSystem, Stat
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath


def user_number(ctx: Context, text: str) -> tuple[int, int] | None:
    """Return the number and login group of a user by name or number; group -1 without an account."""
    for fields in account_lines(ctx.fs, "/etc/passwd"):
        if len(fields) > 3 and fields[0] == text:
            user, group = decimal(fields[2]), decimal(fields[3])
            if user is not None and group is not None:
                return user, group
    number = _number(text)
    return None if number is None else (number, -1)


def group_number(ctx: Context, text: str) -> int | None:
    """Return the number of a group by name or number, or None when it is unknown."""
    for fields in account_lines(ctx.fs, "/etc/group"):
        if len(fields) > 2 and fields[0] == text and (number := decimal(fields[2])) is not None:
            return number
    return _number(text)


def _number(text: str) -> int | None:
    digits = text.removeprefix("+")
    if digits.isascii() and digits.isdigit() and len(digits) <= 10 and int(digits) < 2**32 - 1:
        return int(digits)
    return None


def change_owner(ctx: Context, name: str, info: Stat, uid: int, gid: int) -> None:
    """Change the owner and the group of a file (-1: unchanged). Raises EPERM for others than its own."""
    user, _ = current_user(ctx)
    locate(ctx, name)
    if user == 0 and (uid, gid) == (-1, -1):
        return
    if (uid not in (-1, info.uid) or gid not in (-1, info.gid)) or (
        (uid, gid) != (-1, -1) and info.uid != user
    ):
        raise fs_error(errno.EPERM, name)


class Accounts(Record):
    """The names of users and groups in /etc/passwd and /etc/group of the file system."""

    users: dict[int, str]
    groups: dict[int, str]

    def user(self, uid: int) -> str:
        return self.users.get(uid, str(uid))

    def group(self, gid: int) -> str:
        return self.groups.get(gid, str(gid))


def accounts(fs: FileSystem) -> Accounts:
    """Read the virtual /etc/passwd and /etc/group; a missing or invalid file has no names."""
    return Accounts(_names(fs, "/etc/passwd"), _names(fs, "/etc/group"))


def _names(fs: FileSystem, path: str) -> dict[int, str]:
    names: dict[int, str] = {}
    for fields in account_lines(fs, path):
        if len(fields) > 2 and fields[2].isascii() and fields[2].isdigit() and len(fields[2]) < 11:
            names.setdefault(int(fields[2]), fields[0])
    return names


def account_lines(fs: FileSystem, path: str) -> Iterator[list[str]]:
    """Yield the fields of each line of /etc/passwd or /etc/group."""
    try:
        data = fs.read_bytes(VirtualPath(path))
    except OSError:
        return
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        yield line.split(":")


def current_user(ctx: Context) -> tuple[int, int]:
    """Return user and group number of the run's one user."""
    try:
        info = ctx.fs.stat(VirtualPath("/proc/self"))
    except OSError:
        return 1000, 1000
    return info.uid, info.gid


def look_up(name: str, ctx: Context) -> tuple[int, int, str] | None:
    """Return number, login group and name of a user, by name or number."""
    for fields in account_lines(ctx.fs, "/etc/passwd"):
        if len(fields) > 3 and name in (fields[0], fields[2]):
            user, group = decimal(fields[2]), decimal(fields[3])
            if user is not None and group is not None:
                return user, group, fields[0]
    return None


def groups_of(user: str, gid: int, ctx: Context) -> list[int]:
    """Return the groups of a user: its own first, then those that list it as a member."""
    groups = [gid]
    for fields in account_lines(ctx.fs, "/etc/group"):
        number = decimal(fields[2]) if len(fields) > 3 and user in fields[3].split(",") else None
        if number is not None and number not in groups:
            groups.append(number)
    return groups

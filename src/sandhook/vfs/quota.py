"""Quota: the bytes and names that one file system may still use.

It is charged before anything is allocated and refunded when a file is truncated, or when its
last name and its last open handle are gone.
"""

from __future__ import annotations

import errno

from sandhook.vfs.errors import fs_error


class Quota:
    """The remaining bytes of contents (including link targets) and directory entries.

    Entries are counted rather than inodes, so that hard links are bounded too. ``limit`` is the maximum size of
    all contents, including the skeleton. ``handles`` counts what holds inodes: open files, and views of a superuser.
    """

    __slots__ = ("bytes_left", "entries_left", "handles", "limit")

    def __init__(self, bytes_left: int, entries_left: int, limit: int = 0) -> None:
        self.bytes_left = bytes_left
        self.limit = limit or bytes_left
        self.entries_left = entries_left
        self.handles = 0

    def charge_bytes(self, count: int) -> None:
        """Charge ``count`` bytes. Raises ENOSPC if fewer remain. A negative count refunds."""
        if count > self.bytes_left:
            raise fs_error(errno.ENOSPC)
        self.bytes_left -= count

    def charge_entry(self, count: int = 0) -> None:
        """Charge one directory entry and ``count`` bytes together. Raises ENOSPC, and then charges nothing."""
        if self.entries_left < 1:
            raise fs_error(errno.ENOSPC)
        self.charge_bytes(count)
        self.entries_left -= 1

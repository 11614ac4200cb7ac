"""Quota: the bytes and names that one file system may still use.

It is charged before anything is allocated and refunded when a file is truncated, or when its
last name and its last open handle are gone.
"""

from __future__ import annotations

import errno

from sandhook.vfs.errors import fs_error


class Quota:
    """What is left, in bytes of contents (link targets included) and in directory entries.

    Entries are counted rather than inodes, so that a flood of hard links is bounded too. ``limit`` is what all contents, those of
    the skeleton included, may use.
    """

    __slots__ = ("bytes_left", "entries_left", "limit")

    def __init__(self, bytes_left: int, entries_left: int, limit: int = 0) -> None:
        self.bytes_left = bytes_left
        self.limit = limit or bytes_left
        self.entries_left = entries_left

    def take_bytes(self, count: int) -> None:
        """Charge ``count`` bytes; raise ENOSPC if they are not left. A negative count frees."""
        if count > self.bytes_left:
            raise fs_error(errno.ENOSPC)
        self.bytes_left -= count

    def take_entry(self, count: int = 0) -> None:
        """Charge one directory entry and ``count`` bytes together, or nothing at all."""
        if self.entries_left < 1:
            raise fs_error(errno.ENOSPC)
        self.take_bytes(count)
        self.entries_left -= 1

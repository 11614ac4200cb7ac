"""Inodes of the memory file system, and the handle of an opened one."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from sandhook.vfs.base import Device, Stat
from sandhook.vfs.quota import Quota

S_IFMT = 0o170000
S_IFDIR = 0o040000
S_IFREG = 0o100000
S_IFLNK = 0o120000
S_IFCHR = 0o020000
S_IFIFO = 0o010000

#: What a directory reports as its size, as ext4 does.
DIRECTORY_SIZE = 4096


class Inode:
    """One file of any type.

    Attributes:
        mode: Type and permission bits.
        children: Name to inode for a directory; for anything else an empty mapping, so that
            a path walk needs no test of the type.
        data: Contents of a regular file (``bytes`` until the first change in place), the
            target of a symbolic link (``str``), the ``Device`` of a character device.
        links: Names in directories; a directory counts its own "." and its children's "..".
        opens: Open handles.
    """

    __slots__ = ("atime", "children", "ctime", "data", "gid", "ino", "links", "mode", "mtime", "opens", "uid")

    def __init__(self, mode: int, ino: int, uid: int, gid: int, now: int) -> None:
        self.mode = mode
        self.ino = ino
        self.uid = uid
        self.gid = gid
        self.mtime = self.atime = self.ctime = now
        self.links = 1
        self.opens = 0
        self.children: dict[str, Inode] = NO_CHILDREN
        self.data: bytes | bytearray | str | Device = b""

    def size(self) -> int:
        """Return the size in bytes, as stat gives it."""
        data = self.data
        if data.__class__ is bytes or data.__class__ is bytearray:
            return DIRECTORY_SIZE if self.mode & S_IFMT == S_IFDIR else len(data)
        return len(data.encode("utf-8", "surrogateescape")) if isinstance(data, str) else 0

    def stat(self) -> Stat:
        """Return what stat(2) tells."""
        return Stat(
            self.mode,
            self.size(),
            self.ino,
            self.links,
            self.uid,
            self.gid,
            self.mtime,
            self.atime,
            self.ctime,
        )


#: Shared by every inode that is no directory. A read-only view, typed as what it stands for.
NO_CHILDREN: dict[str, Inode] = MappingProxyType({})  # type: ignore[assignment]


class MemoryFile:
    """An open regular file of the memory file system."""

    __slots__ = ("_closed", "_inode", "_now", "_quota")

    def __init__(self, inode: Inode, quota: Quota, now: Callable[[], int]) -> None:
        self._inode = inode
        self._quota = quota
        self._now = now
        self._closed = False
        inode.opens += 1

    def read_at(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``offset``; b"" at the end."""
        inode = self._inode
        if inode.atime <= inode.mtime:  # as Linux' relatime does
            inode.atime = self._now()
        data = inode.data
        if data.__class__ is bytes:
            return data[offset : offset + count]
        return bytes(memoryview(data)[offset : offset + count])  # type: ignore[arg-type]

    def line_at(self, offset: int, delimiter: bytes, limit: int) -> bytes:
        """Return the bytes from ``offset`` up to and with ``delimiter``, at most ``limit``; b"" at the end."""
        inode = self._inode
        if inode.atime <= inode.mtime:
            inode.atime = self._now()
        data: Any = inode.data
        end = data.find(delimiter, offset, offset + limit) + 1 or offset + limit
        if data.__class__ is bytes:
            return data[offset:end]
        return bytes(memoryview(data)[offset:end])

    def write_at(self, offset: int, data: bytes) -> int:
        """Write all of ``data``; a gap before it is filled with NULs."""
        inode = self._inode
        old = inode.data
        size = len(old)
        if not data:
            return 0
        if offset == size:  # nearly always
            self.append(data)
            return len(data)
        end = offset + len(data)
        if end > size:
            self._quota.take_bytes(end - size)
        inode.mtime = inode.ctime = self._now()
        if not size and not offset:
            inode.data = bytes(data)
            return end
        if old.__class__ is bytes:
            inode.data = old = bytearray(old)
        if offset > size:
            old.extend(bytes(offset - size))  # type: ignore[union-attr]
        old[offset:end] = data  # type: ignore[index]
        return len(data)

    def append(self, data: bytes) -> int:
        """Write at the end and return the new size."""
        inode = self._inode
        old: Any = inode.data
        size = len(old)
        if not data:
            return size
        self._quota.take_bytes(len(data))
        inode.mtime = inode.ctime = self._now()
        if old.__class__ is bytearray:
            old += data
        elif size:
            inode.data = bytearray(old)
            inode.data += data
        else:
            inode.data = bytes(data)
        return size + len(data)

    def truncate(self, size: int) -> None:
        """Cut the file, or extend it with NULs."""
        inode = self._inode
        data = inode.data
        grown = size - len(data)
        self._quota.take_bytes(grown)
        inode.mtime = inode.ctime = self._now()
        if not size:
            inode.data = b""
        elif grown > 0:
            inode.data = bytearray(data) if data.__class__ is bytes else data
            inode.data.extend(bytes(grown))  # type: ignore[union-attr]
        elif data.__class__ is bytes:
            inode.data = data[:size]
        else:
            del data[size:]  # type: ignore[union-attr]

    def size(self) -> int:
        return len(self._inode.data)

    def stat(self) -> Stat:
        return self._inode.stat()

    def close(self) -> None:
        """Give the handle back; the bytes of an unlinked file go with its last handle."""
        if self._closed:
            return
        self._closed = True
        inode = self._inode
        inode.opens -= 1
        if not inode.opens and not inode.links:
            self._quota.take_bytes(-self.size())
            inode.data = b""

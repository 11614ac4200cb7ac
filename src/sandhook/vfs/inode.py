"""Inodes of the memory file system, and handles of open files."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator

from sandhook.typed import Protocol
from sandhook.vfs.base import Device, Stat
from sandhook.vfs.errors import fs_error
from sandhook.vfs.quota import Quota

S_IFMT = 0o170000
S_IFDIR = 0o040000
S_IFREG = 0o100000
S_IFLNK = 0o120000
S_IFCHR = 0o020000
S_IFIFO = 0o010000

#: Numbers of inodes that exist only while they are asked for start here, far above any quota.
DYNAMIC = 1 << 40

#: The size of a directory, as on ext4.
DIRECTORY_SIZE = 4096


class Children(Protocol):
    """The entries of a directory: what a dictionary of names to inodes can do, as far as anything uses it."""

    def __getitem__(self, name: str, /) -> Inode: ...

    def __setitem__(self, name: str, node: Inode, /) -> None: ...

    def __delitem__(self, name: str, /) -> None: ...

    def __iter__(self) -> Iterator[str]: ...

    def __len__(self) -> int: ...

    def get(self, name: str, /) -> Inode | None: ...

    def values(self) -> Iterable[Inode]: ...

    def items(self) -> Iterable[tuple[str, Inode]]: ...


class SkeletonRow(Protocol):
    """One file of the skeleton, see there."""

    @property
    def name(self) -> str: ...
    @property
    def number(self) -> int: ...
    @property
    def mode(self) -> int: ...
    @property
    def is_own(self) -> bool: ...
    @property
    def links(self) -> int: ...


class Inode:
    """One file of any type.

    Attributes:
        mode: Type and permission bits.
        children: Name to inode for a directory; for anything else an empty mapping, so that
            a path walk needs no test of the type.
        data: Contents of a regular file, ``bytes`` until the first change in place.
        target: Path that a symbolic link names, or ``Device`` of a character device; "" for other types.
        links: The number of names; for a directory, including its "." and the ".." of its children.
        opens: The number of open handles.
        unread: What a directory of the skeleton that nobody has looked at will be: its row there, the user, the group
            and the time. Else not set.
    """

    __slots__ = (
        "atime",
        "children",
        "ctime",
        "data",
        "gid",
        "ino",
        "links",
        "mode",
        "mtime",
        "opens",
        "target",
        "uid",
        "unread",
    )

    def __init__(self, mode: int, ino: int, uid: int, gid: int, now: int) -> None:
        self.mode = mode
        self.ino = ino
        self.uid = uid
        self.gid = gid
        self.mtime = self.atime = self.ctime = now
        self.links = 1
        self.opens = 0
        self.children: Children = NO_CHILDREN
        self.data: bytes | bytearray = b""
        self.target: str | Device = ""
        self.unread: tuple[SkeletonRow, int, int, int]

    def size(self) -> int:
        """Return the size in bytes that stat(2) reports."""
        target = self.target
        if not target:
            return DIRECTORY_SIZE if self.mode & S_IFMT == S_IFDIR else len(self.data)
        return len(target.encode("utf-8", "surrogateescape")) if isinstance(target, str) else 0

    def stat(self) -> Stat:
        """Return the fields of stat(2)."""
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
            1,  # the default of device: a record is made twice as fast when nothing is left out
            self.target.key if self.target and self.mode & S_IFMT == S_IFCHR else 0,  # type: ignore[union-attr]
        )


class _NoChildren(dict[str, Inode]):
    """An empty dictionary that stays empty."""

    __slots__ = ()

    def __setitem__(self, name: str, node: Inode) -> None:
        raise TypeError(f"{name}: not in a directory")


#: Shared by every inode that is not a directory.
NO_CHILDREN = _NoChildren()


class DynamicChildren(dict[str, Inode]):
    """Entries of which some exist only while they are asked for."""

    __slots__ = ()

    def fresh(self) -> DynamicChildren:
        """Return those entries alone, for a copy of the directory."""
        raise NotImplementedError

    def listed(self) -> Iterable[str]:
        """Return the names of all entries."""
        raise NotImplementedError

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise fs_error(errno.EPERM)
        super().__delitem__(name)


class HasClock(Protocol):
    """What an open file needs of its tree."""

    now: Callable[[], int]


class MemoryFile:
    """An open regular file of the memory file system."""

    __slots__ = ("_closed", "_inode", "_quota", "_tree")

    def __init__(self, inode: Inode, quota: Quota, tree: HasClock) -> None:
        self._inode = inode
        self._quota = quota
        self._tree = tree  # not its clock: it may be replaced while the file is open
        self._closed = False
        inode.opens += 1
        quota.handles += 1

    def read_at(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``offset``; b"" at the end."""
        inode = self._inode
        if inode.atime <= inode.mtime:  # as Linux' relatime does
            inode.atime = self._tree.now()
        data = inode.data
        if isinstance(data, bytes):
            return data[offset : offset + count]
        return bytes(memoryview(data)[offset : offset + count])

    def line_at(self, offset: int, delimiter: bytes, limit: int) -> bytes:
        """Return the bytes from ``offset`` up to and including ``delimiter``, at most ``limit``; b"" at the end."""
        inode = self._inode
        if inode.atime <= inode.mtime:
            inode.atime = self._tree.now()
        data = inode.data
        end = data.find(delimiter, offset, offset + limit) + 1 or offset + limit
        if isinstance(data, bytes):
            return data[offset:end]
        return bytes(memoryview(data)[offset:end])

    def write_at(self, offset: int, data: bytes) -> int:
        """Write all of ``data``; a gap before it is filled with NULs."""
        inode = self._inode
        old = inode.data
        size = len(old)
        if not data:
            return 0
        if offset == size:  # the usual case
            self.append(data)
            return len(data)
        end = offset + len(data)
        if end > size:
            self._quota.charge_bytes(end - size)
        inode.mtime = inode.ctime = self._tree.now()
        if not size and not offset:
            inode.data = bytes(data)
            return end
        if isinstance(old, bytes):
            inode.data = old = bytearray(old)
        if offset > size:
            old.extend(bytes(offset - size))
        old[offset:end] = data
        return len(data)

    def append(self, data: bytes) -> int:
        """Write at the end and return the new size."""
        inode = self._inode
        old = inode.data
        size = len(old)
        if not data:
            return size
        self._quota.charge_bytes(len(data))
        inode.mtime = inode.ctime = self._tree.now()
        if isinstance(old, bytearray):
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
        growth = size - len(data)
        self._quota.charge_bytes(growth)
        inode.mtime = inode.ctime = self._tree.now()
        if not size:
            inode.data = b""
        elif isinstance(data, bytes):
            inode.data = bytearray(data) + bytes(growth) if growth > 0 else data[:size]
        elif growth > 0:
            data.extend(bytes(growth))
        else:
            del data[size:]

    def size(self) -> int:
        return len(self._inode.data)

    def stat(self) -> Stat:
        return self._inode.stat()

    def close(self) -> None:
        """Close the handle; the bytes of an unlinked file are freed with its last handle."""
        if self._closed:
            return
        self._closed = True
        inode = self._inode
        inode.opens -= 1
        self._quota.handles -= 1
        if not inode.opens and not inode.links:
            self._quota.charge_bytes(-self.size())
            inode.data = b""

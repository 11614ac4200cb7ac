"""LockedFileSystem: one file system for runs in several threads at once.

Each operation holds the lock, and no longer: runs see each other's changes as processes of one machine do. A lock
for a whole run would let a script that loops hold up all others.
"""

from __future__ import annotations

from _thread import RLock
from collections.abc import Iterator
from contextlib import contextmanager

from sandhook.vfs.base import Device, Entry, FileHandle, FileSystem, Stat, lacks_of
from sandhook.vfs.initial import superuser
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.resolving import canonical_stat_of


class LockedFileSystem:
    """Another file system, whose operations never overlap.

    Args:
        fs: The files.
        lock: Held during each operation; file systems over one another have one lock.
    """

    __slots__ = ("_canonical_stat", "_fs", "_lacks", "_lock")

    def __init__(self, fs: FileSystem, lock: RLock) -> None:
        self._fs = fs
        self._canonical_stat = canonical_stat_of(fs)
        self._lacks = lacks_of(fs)
        self._lock = lock

    @property
    def files(self) -> FileSystem:
        """The file system itself, for a caller that holds the lock."""
        return self._fs

    @property
    def lock(self) -> RLock:
        """The lock that each operation holds."""
        return self._lock

    @contextmanager
    def superuser(self) -> Iterator[FileSystem]:
        """Show the files to their owner in the block alone; see ``initial.superuser``."""
        with self._lock, superuser(self._fs) as view:
            yield view

    def open(
        self,
        path: VirtualPath,
        *,
        read: bool = True,
        write: bool = False,
        create: bool = False,
        exclusive: bool = False,
        truncate: bool = False,
        mode: int = 0o666,
    ) -> FileHandle | Device:
        with self._lock:
            opened = self._fs.open(
                path,
                read=read,
                write=write,
                create=create,
                exclusive=exclusive,
                truncate=truncate,
                mode=mode,
            )
        return opened if isinstance(opened, Device) else _LockedHandle(opened, self._lock)

    def stat(self, path: VirtualPath, *, follow: bool = True) -> Stat:
        with self._lock:
            return self._fs.stat(path, follow=follow)

    def canonical_stat(self, path: VirtualPath, user: tuple[int, int]) -> Stat:
        """Return what lstat reports for a path that another layer has walked."""
        with self._lock:
            return self._canonical_stat(path, user)

    def listdir(self, path: VirtualPath) -> list[Entry]:
        with self._lock:
            return self._fs.listdir(path)

    def mkdir(self, path: VirtualPath, mode: int = 0o777) -> None:
        with self._lock:
            self._fs.mkdir(path, mode)

    def rmdir(self, path: VirtualPath) -> None:
        with self._lock:
            self._fs.rmdir(path)

    def unlink(self, path: VirtualPath) -> None:
        with self._lock:
            self._fs.unlink(path)

    def rename(self, old: VirtualPath, new: VirtualPath) -> None:
        with self._lock:
            self._fs.rename(old, new)

    def link(self, old: VirtualPath, new: VirtualPath) -> None:
        with self._lock:
            self._fs.link(old, new)

    def symlink(self, target: str, path: VirtualPath) -> None:
        with self._lock:
            self._fs.symlink(target, path)

    def readlink(self, path: VirtualPath) -> str:
        with self._lock:
            return self._fs.readlink(path)

    def mkfifo(self, path: VirtualPath, mode: int = 0o666) -> None:
        with self._lock:
            self._fs.mkfifo(path, mode)

    def chmod(self, path: VirtualPath, mode: int) -> None:
        with self._lock:
            self._fs.chmod(path, mode)

    def utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int, *, follow: bool = True) -> None:
        with self._lock:
            self._fs.utime(path, atime_ns, mtime_ns, follow=follow)

    def lacks(self, path: str) -> bool:
        """Return True if it is certain, at once, that an absolute path names nothing; False is no answer."""
        if self._lacks is None:
            return False
        with self._lock:
            return self._lacks(path)

    def access(self, path: VirtualPath, mask: int) -> bool:
        with self._lock:
            return self._fs.access(path, mask)

    def realpath(self, path: VirtualPath) -> VirtualPath:
        with self._lock:
            return self._fs.realpath(path)

    def exists(self, path: str) -> bool:
        with self._lock:
            return self._fs.exists(path)

    def is_dir(self, path: str) -> bool:
        with self._lock:
            return self._fs.is_dir(path)

    def read_bytes(self, path: str) -> bytes:
        with self._lock:
            return self._fs.read_bytes(path)

    def write_bytes(self, path: str, data: bytes, *, mode: int = 0o644, parents: bool = False) -> None:
        with self._lock:
            self._fs.write_bytes(path, data, mode=mode, parents=parents)


class _LockedHandle:
    """An opened file of a LockedFileSystem."""

    __slots__ = ("_handle", "_lock")

    def __init__(self, handle: FileHandle, lock: RLock) -> None:
        self._handle = handle
        self._lock = lock

    def read_at(self, offset: int, count: int) -> bytes:
        with self._lock:
            return self._handle.read_at(offset, count)

    def write_at(self, offset: int, data: bytes) -> int:
        with self._lock:
            return self._handle.write_at(offset, data)

    def append(self, data: bytes) -> int:
        with self._lock:
            return self._handle.append(data)

    def truncate(self, size: int) -> None:
        with self._lock:
            self._handle.truncate(size)

    def size(self) -> int:
        with self._lock:
            return self._handle.size()

    def stat(self) -> Stat:
        with self._lock:
            return self._handle.stat()

    def close(self) -> None:
        with self._lock:
            self._handle.close()

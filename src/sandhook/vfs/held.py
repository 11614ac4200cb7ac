"""HeldFileSystem: another file system, where a caller allows or refuses each access to contents and names.

Looking at a file (stat, access, realpath, readlink, listing a directory) is not an access: it shows no contents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from sandhook.vfs.base import Device, Entry, FileHandle, FileSystem, Stat
from sandhook.vfs.initial import superuser
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.resolving import canonical_stat_of

#: What is done to a path: its contents are read, or it is created, changed or removed.
Access = Literal["read", "write"]

#: Receives a path without links and the access; raises an OSError to refuse it.
Check = Callable[[VirtualPath, Access], None]


class HeldFileSystem:
    """Another file system with a check before each access.

    Args:
        fs: The files.
        check: Called with the path that an access leads to, after links.
    """

    __slots__ = ("_canonical_stat", "_check_access", "_fs")

    def __init__(self, fs: FileSystem, check: Check) -> None:
        self._fs = fs
        self._canonical_stat = canonical_stat_of(fs)
        self._check_access = check

    @contextmanager
    def superuser(self) -> Iterator[FileSystem]:
        """Show the files to their owner, for sandhook's own writes; see ``initial.superuser``."""
        with superuser(self._fs) as view:
            yield view

    def _check(self, path: VirtualPath, access: Access) -> None:
        self._check_access(self._place(path), access)

    def _place(self, path: VirtualPath) -> VirtualPath:
        """Return the path that a name leads to; a name that does not exist is in its directory."""
        try:
            return self._fs.realpath(path)
        except OSError:
            directory, _, name = path.rstrip("/").rpartition("/")
            if not directory or name in ("", ".", ".."):
                return path
            try:
                return VirtualPath(f"{self._fs.realpath(VirtualPath(directory)).rstrip('/')}/{name}")
            except OSError:
                return path

    def _check_name(self, path: VirtualPath) -> None:
        """Check the change of a name itself, which may be a link."""
        directory, _, name = path.rstrip("/").rpartition("/")
        try:
            place = self._fs.realpath(VirtualPath(directory or "/"))
        except OSError:
            place = VirtualPath(directory)
        self._check_access(VirtualPath(f"{place.rstrip('/')}/{name}"), "write")

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
        if read:
            self._check(path, "read")
        if write or create or truncate:
            self._check(path, "write")
        return self._fs.open(
            path, read=read, write=write, create=create, exclusive=exclusive, truncate=truncate, mode=mode
        )

    def stat(self, path: VirtualPath, *, follow: bool = True) -> Stat:
        return self._fs.stat(path, follow=follow)

    def canonical_stat(self, path: VirtualPath, user: tuple[int, int]) -> Stat:
        """Return what lstat reports for a path that another layer has walked."""
        return self._canonical_stat(path, user)

    def listdir(self, path: VirtualPath) -> list[Entry]:
        return self._fs.listdir(path)

    def mkdir(self, path: VirtualPath, mode: int = 0o777) -> None:
        self._check_name(path)
        self._fs.mkdir(path, mode)

    def rmdir(self, path: VirtualPath) -> None:
        self._check_name(path)
        self._fs.rmdir(path)

    def unlink(self, path: VirtualPath) -> None:
        self._check_name(path)
        self._fs.unlink(path)

    def rename(self, old: VirtualPath, new: VirtualPath) -> None:
        self._check_name(old)
        self._check_name(new)
        self._fs.rename(old, new)

    def link(self, old: VirtualPath, new: VirtualPath) -> None:
        self._check(old, "read")  # the new name shows the contents
        self._check(old, "write")
        self._check_name(new)
        self._fs.link(old, new)

    def symlink(self, target: str, path: VirtualPath) -> None:
        self._check_name(path)
        self._fs.symlink(target, path)

    def readlink(self, path: VirtualPath) -> str:
        return self._fs.readlink(path)

    def mkfifo(self, path: VirtualPath, mode: int = 0o666) -> None:
        self._check_name(path)
        self._fs.mkfifo(path, mode)

    def chmod(self, path: VirtualPath, mode: int) -> None:
        self._check(path, "write")
        self._fs.chmod(path, mode)

    def utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int, *, follow: bool = True) -> None:
        self._check(path, "write")
        self._fs.utime(path, atime_ns, mtime_ns, follow=follow)

    def access(self, path: VirtualPath, mask: int) -> bool:
        return self._fs.access(path, mask)

    def realpath(self, path: VirtualPath) -> VirtualPath:
        return self._fs.realpath(path)

    def exists(self, path: str) -> bool:
        return self._fs.exists(path)

    def is_dir(self, path: str) -> bool:
        return self._fs.is_dir(path)

    def read_bytes(self, path: str) -> bytes:
        self._check(VirtualPath(path), "read")
        return self._fs.read_bytes(path)

    def write_bytes(self, path: str, data: bytes, *, mode: int = 0o644, parents: bool = False) -> None:
        self._check(VirtualPath(path), "write")
        self._fs.write_bytes(path, data, mode=mode, parents=parents)

"""MountTable: several file systems in one namespace.

Links are resolved here, in the whole namespace, so a link inside of a mount leads to the path that the
script sees. Without mounts no table is needed: use the file system itself.
"""

from __future__ import annotations

import errno
from collections.abc import Callable

from sandhook.vfs.base import Device, Entry, FileHandle, FileSystem, Stat
from sandhook.vfs.errors import fs_error
from sandhook.vfs.inode import DIRECTORY_SIZE, S_IFDIR
from sandhook.vfs.path import ROOT, VirtualPath, basename, dirname, normalize
from sandhook.vfs.resolving import ResolvingFileSystem, canonical_stat_of

#: The first inode number of directories that exist only as parents of mount points.
_FIRST_NUMBER = 1 << 41


class MountTable(ResolvingFileSystem):
    """A root file system, with others mounted over its directories.

    A mount point need not exist in the root file system: it and its parents are shown anyway.

    Args:
        root: The file system at "/".
        uid: The user whose permission bits apply during path resolution.
        gid: Its group.

    Attributes:
        read_only: Nothing may be changed: writes fail with EROFS.
    """

    def __init__(self, root: FileSystem, *, uid: int = 1000, gid: int = 1000) -> None:
        super().__init__(uid, gid)
        self.root = root
        self.read_only = False
        self._mounts: list[tuple[str, FileSystem, int]] = []  # longest path first
        self._stats = {1: canonical_stat_of(root)}  # by device number
        self._mounted_names: dict[VirtualPath, set[str]] = {}  # directory to the names mounted in it
        self._numbers: dict[VirtualPath, int] = {}  # inode numbers of parents of mount points

    def mount(self, path: VirtualPath, fs: FileSystem) -> None:
        """Mount ``fs`` at ``path``. Raises EBUSY for "/" and for a path that already is a mount point."""
        path = normalize(path)
        if path == "/" or any(path == point for point, _, _ in self._mounts):
            raise fs_error(errno.EBUSY, path)
        self._stats[len(self._mounts) + 2] = canonical_stat_of(fs)
        self._mounts.append((path, fs, len(self._mounts) + 2))
        self._mounts.sort(key=lambda entry: len(entry[0]), reverse=True)
        while path != "/":
            parent = dirname(path)
            self._mounted_names.setdefault(parent, set()).add(basename(path))
            self._numbers.setdefault(parent, _FIRST_NUMBER + len(self._numbers))
            path = parent

    def file_systems(self) -> tuple[FileSystem, ...]:
        """Return the root file system and those that are mounted."""
        return self.root, *(fs for _, fs, _ in self._mounts)

    def with_each(self, change: Callable[[FileSystem], FileSystem]) -> MountTable:
        """Return a table with the same mount points and other file systems."""
        table = MountTable(change(self.root), uid=self._uid, gid=self._gid)
        table.read_only = self.read_only
        for point, fs, _ in sorted(self._mounts, key=lambda entry: entry[2]):  # for the same device numbers
            table.mount(VirtualPath(point), change(fs))
        return table

    def _resolve_mount(self, path: str) -> tuple[FileSystem, VirtualPath, int]:
        """Return the file system of a canonical path, the path in it, and its device number."""
        for point, fs, device in self._mounts:
            if path == point:
                return fs, ROOT, device
            if path.startswith(point + "/"):
                return fs, VirtualPath(path[len(point) :]), device
        return self.root, VirtualPath(path), 1

    def _check_busy(self, path: VirtualPath) -> None:
        if any(point == path or point.startswith(f"{path}/") for point, _, _ in self._mounts):
            raise fs_error(errno.EBUSY, path)

    def _lstat(self, path: VirtualPath) -> Stat:
        fs, inside, device = self._resolve_mount(path)
        if path in self._mounted_names and inside != "/" and not fs.is_dir(inside):
            return Stat(S_IFDIR | 0o755, DIRECTORY_SIZE, self._numbers[path], 2, device=device)
        stat = self._stats[device](inside, (self._uid, self._gid))
        return stat if stat.device == device else stat._replace(device=device)

    def _readlink(self, path: VirtualPath) -> str:
        fs, inside, _ = self._resolve_mount(path)
        return fs.readlink(inside)

    def _listdir(self, path: VirtualPath) -> list[Entry]:
        fs, inside, _ = self._resolve_mount(path)
        mounted_names = self._mounted_names.get(path)
        if not mounted_names:
            return fs.listdir(inside)
        entries = {entry.name: entry for entry in fs.listdir(inside)} if fs.is_dir(inside) else {}
        for name in mounted_names:
            stat = self._lstat(VirtualPath(f"{path.rstrip('/')}/{name}"))
            entries[name] = Entry(name, stat.mode, stat.inode)
        return sorted(entries.values(), key=lambda entry: entry.name.encode("utf-8", "surrogateescape"))

    def _open(self, path: VirtualPath, write: bool, truncate: bool) -> FileHandle | Device:
        fs, inside, _ = self._resolve_mount(path)
        # The read permission of the caller was already checked; opening for reading would fail for
        # write-only files.
        return fs.open(inside, read=not write, write=write, truncate=truncate)

    def _create(self, path: VirtualPath, mode: int) -> FileHandle | Device:
        fs, inside, _ = self._resolve_mount(path)
        return fs.open(inside, read=False, write=True, create=True, exclusive=True, mode=mode)

    def _mkdir(self, path: VirtualPath, mode: int) -> None:
        fs, inside, _ = self._resolve_mount(path)
        fs.mkdir(inside, mode)

    def _rmdir(self, path: VirtualPath) -> None:
        self._check_busy(path)
        fs, inside, _ = self._resolve_mount(path)
        fs.rmdir(inside)

    def rmdir(self, path: VirtualPath) -> None:
        """Remove a directory; raises EBUSY for a mount point, even if it is not empty."""
        place = self._entry(path)
        if place.stat is not None and place.name not in ("", ".", ".."):
            self._check_busy(place.path)
        super().rmdir(path)

    def _unlink(self, path: VirtualPath) -> None:
        fs, inside, _ = self._resolve_mount(path)
        fs.unlink(inside)

    def _rename(self, old: VirtualPath, new: VirtualPath) -> None:
        self._check_busy(old)
        self._check_busy(new)
        fs, inside, _ = self._resolve_mount(old)
        other, target, _ = self._resolve_mount(new)
        if fs is not other or inside == "/" or target == "/":
            raise fs_error(errno.EXDEV, old)
        fs.rename(inside, target)

    def _link(self, old: VirtualPath, new: VirtualPath) -> None:
        fs, inside, _ = self._resolve_mount(old)
        other, target, _ = self._resolve_mount(new)
        if fs is not other:
            raise fs_error(errno.EXDEV, old)
        fs.link(inside, target)

    def _symlink(self, target: str, path: VirtualPath) -> None:
        fs, inside, _ = self._resolve_mount(path)
        fs.symlink(target, inside)

    def _mkfifo(self, path: VirtualPath, mode: int) -> None:
        fs, inside, _ = self._resolve_mount(path)
        fs.mkfifo(inside, mode)

    def _chmod(self, path: VirtualPath, mode: int) -> None:
        fs, inside, _ = self._resolve_mount(path)
        fs.chmod(inside, mode)

    def _utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int) -> None:
        fs, inside, _ = self._resolve_mount(path)
        fs.utime(inside, atime_ns, mtime_ns, follow=False)

    def _check_writable(self, path: VirtualPath) -> None:
        if self.read_only:
            raise fs_error(errno.EROFS, path)
        fs, inside, _ = self._resolve_mount(path)
        if isinstance(fs, ResolvingFileSystem):
            fs._check_writable(inside)

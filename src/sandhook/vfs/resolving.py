"""ResolvingFileSystem: the path walk and every check, over primitives on canonical paths.

Mounts, overlays, host directories and pyfakefs trees differ in where a file is, not in the
rules of POSIX for paths. A subclass supplies primitives that receive an absolute path without
links, "." and "..", whose parent is a directory; it need not check permission bits, types or
existence again. ``MemoryFileSystem`` has its own walk because it must be faster.
"""

from __future__ import annotations

import errno
from collections.abc import Callable

from sandhook.record import Record
from sandhook.typed import TypeAlias
from sandhook.vfs.base import Device, Entry, FileHandle, FileSystem, Stat
from sandhook.vfs.conveniences import Conveniences
from sandhook.vfs.errors import TEXTS, NameMissing, fs_error
from sandhook.vfs.inode import S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG
from sandhook.vfs.names import DOTS, MAX_LINKS, check_name, check_path, check_target
from sandhook.vfs.path import VirtualPath, dirname

#: Reports what lstat does for a canonical path; see ``ResolvingFileSystem.canonical_stat``.
CanonicalStat: TypeAlias = Callable[[VirtualPath, tuple[int, int]], Stat]


def canonical_stat_of(fs: FileSystem) -> CanonicalStat:
    """Return the function that reports what lstat does in a file system below another one: its own, if it has one.

    Each layer walks each path. Without this function, the layers below would walk each of its directories again, and
    the time would grow with the number of directories to the power of the number of layers.
    """
    own: CanonicalStat | None = getattr(fs, "canonical_stat", None)
    return own or (lambda path, user: fs.stat(path, follow=False))


class Place(Record):
    """The result of a path walk."""

    path: VirtualPath  #: canonical
    stat: Stat | None  #: None when only the last component is missing
    parent: Stat
    name: str  #: the last component as it was written; "", "." and ".." are possible


def _missing(path: str, canonical: str) -> FileNotFoundError:
    """Return the error for a name that is missing.

    Args:
        canonical: Of the name. If the path begins with it, no link leads elsewhere: a search along PATH goes on.
    """
    if path.startswith(canonical):
        return NameMissing(errno.ENOENT, TEXTS[errno.ENOENT], path)
    return fs_error(errno.ENOENT, path)  # type: ignore[return-value]


class ResolvingFileSystem(Conveniences):
    """A file system seen by one user; uid 0 passes every permission check."""

    def __init__(self, uid: int = 1000, gid: int = 1000) -> None:
        self._uid = uid
        self._gid = gid

    # Primitives.

    def _lstat(self, path: VirtualPath) -> Stat:
        raise NotImplementedError

    def _readlink(self, path: VirtualPath) -> str:
        raise NotImplementedError

    def _listdir(self, path: VirtualPath) -> list[Entry]:
        raise NotImplementedError

    def _open(self, path: VirtualPath, write: bool, truncate: bool) -> FileHandle | Device:
        """Open a file that exists, and is neither a directory nor a link."""
        raise NotImplementedError

    def _create(self, path: VirtualPath, mode: int) -> FileHandle | Device:
        raise NotImplementedError

    def _mkdir(self, path: VirtualPath, mode: int) -> None:
        raise NotImplementedError

    def _rmdir(self, path: VirtualPath) -> None:
        raise NotImplementedError

    def _unlink(self, path: VirtualPath) -> None:
        raise NotImplementedError

    def _rename(self, old: VirtualPath, new: VirtualPath) -> None:
        """Rename; a file at ``new`` may be replaced."""
        raise NotImplementedError

    def _link(self, old: VirtualPath, new: VirtualPath) -> None:
        raise NotImplementedError

    def _symlink(self, target: str, path: VirtualPath) -> None:
        raise NotImplementedError

    def _mkfifo(self, path: VirtualPath, mode: int) -> None:
        raise NotImplementedError

    def _chmod(self, path: VirtualPath, mode: int) -> None:
        raise NotImplementedError

    def _utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int) -> None:
        raise NotImplementedError

    def _check_writable(self, path: VirtualPath) -> None:
        """Raise EROFS if nothing may change."""

    def canonical_stat(self, path: VirtualPath, user: tuple[int, int]) -> Stat:
        """Return what lstat reports for a path that another layer has walked: without links, "." and "..".

        Args:
            user: The user and the group for whom the other layer checked the directories above.
        """
        if user == (self._uid, self._gid):
            return self._lstat(path)
        return self.stat(path, follow=False)

    # The walk.

    def _walk(self, path: str, follow: bool) -> Place:
        check_path(path)
        paths = [""]  # of the directories walked, without a slash at the end
        stats = [self._lstat(VirtualPath("/"))]
        pending = path.split("/")
        pending.reverse()
        links = 0
        while pending:
            part = pending.pop()
            directory = stats[-1]
            if directory.mode & S_IFMT != S_IFDIR:
                raise fs_error(errno.ENOTDIR, path)
            if part in DOTS:
                if part and not self._allowed(directory, 1):
                    raise fs_error(errno.EACCES, path)
                if part == ".." and len(paths) > 1:
                    del paths[-1], stats[-1]
                continue
            if not self._allowed(directory, 1):
                raise fs_error(errno.EACCES, path)
            check_name(part, path)
            candidate = VirtualPath(f"{paths[-1]}/{part}")
            try:
                stat = self._lstat(candidate)
            except FileNotFoundError:
                if any(pending):
                    raise _missing(path, candidate) from None
                return Place(candidate, None, directory, part)
            if stat.mode & S_IFMT == S_IFLNK and (follow or pending):
                links += 1
                if links > MAX_LINKS:
                    raise fs_error(errno.ELOOP, path)
                target = self._readlink(candidate)
                if target[:1] == "/":
                    del paths[1:], stats[1:]
                pending.extend(reversed(target.split("/")))
                continue
            paths.append(candidate)
            stats.append(stat)
        last = paths[-1]
        return Place(
            VirtualPath(last or "/"), stats[-1], stats[len(stats) > 1 and -2], last.rpartition("/")[2]
        )

    def _lookup(self, path: str, follow: bool = True) -> tuple[VirtualPath, Stat]:
        place = self._walk(path, follow)
        if place.stat is None:
            raise _missing(path, place.path)
        return place.path, place.stat

    def _entry(self, path: str) -> Place:
        """Walk to the parent and look at the last name without following it."""
        head, _, name = path.rstrip("/").rpartition("/")
        directory, parent = self._lookup(head or "/")
        if parent.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, path)
        if not self._allowed(parent, 1):
            raise fs_error(errno.EACCES, path)
        if name in DOTS:
            candidate, stat = self._lookup(path)
            return Place(candidate, stat, parent, name)
        check_path(path)
        check_name(name, path)
        candidate = VirtualPath(f"{directory.rstrip('/')}/{name}")
        try:
            return Place(candidate, self._lstat(candidate), parent, name)
        except FileNotFoundError:
            return Place(candidate, None, parent, name)

    def _allowed(self, stat: Stat, mask: int) -> bool:
        mode = stat.mode
        if not self._uid:
            return not mask & 1 or mode & 0o111 != 0 or mode & S_IFMT == S_IFDIR
        if stat.uid == self._uid:
            mode >>= 6
        elif stat.gid == self._gid:
            mode >>= 3
        return mode & mask == mask

    def _new_path(self, path: str) -> VirtualPath:
        """Return the canonical path for a new file. Raises EEXIST if the file exists."""
        place = self._entry(path)
        if place.stat is not None:
            raise fs_error(errno.EEXIST, path)
        self._check_change(place, path)
        return place.path

    def _check_change(self, place: Place, path: str) -> None:
        self._check_writable(place.path)
        if not self._allowed(place.parent, 2):
            raise fs_error(errno.EACCES, path)

    # The protocol.

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
        if create and path[-1:] == "/":  # whatever is there, as in Linux
            self._entry(path)
            raise fs_error(errno.EISDIR, path)
        place = self._entry(path) if create and exclusive else self._walk(path, True)
        stat = place.stat
        if stat is None:
            if not create:
                raise fs_error(errno.ENOENT, path)
            self._check_change(place, path)
            return self._create(place.path, mode & 0o7777)
        if create and exclusive:
            raise fs_error(errno.EEXIST, path)
        kind = stat.mode & S_IFMT
        if kind == S_IFDIR:
            raise fs_error(errno.EISDIR, path)
        if write and kind == S_IFREG:
            self._check_writable(place.path)
        if not self._allowed(stat, (4 if read else 0) | (2 if write else 0)):
            raise fs_error(errno.EACCES, path)
        return self._open(place.path, write, truncate)

    def stat(self, path: VirtualPath, *, follow: bool = True) -> Stat:
        return self._lookup(path, follow)[1]

    def listdir(self, path: VirtualPath) -> list[Entry]:
        canonical, stat = self._lookup(path)
        if stat.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, path)
        if not self._allowed(stat, 4):
            raise fs_error(errno.EACCES, path)
        return self._listdir(canonical)

    def mkdir(self, path: VirtualPath, mode: int = 0o777) -> None:
        self._mkdir(self._new_path(path), mode & 0o1777)

    def rmdir(self, path: VirtualPath) -> None:
        place = self._entry(path)
        if place.stat is None:
            raise fs_error(errno.ENOENT, path)
        if place.name in DOTS:
            codes = {"": errno.EBUSY, ".": errno.EINVAL, "..": errno.ENOTEMPTY}
            raise fs_error(codes[place.name], path)
        if place.stat.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, path)
        self._check_change(place, path)
        if self._listdir(place.path):
            raise fs_error(errno.ENOTEMPTY, path)
        self._rmdir(place.path)

    def unlink(self, path: VirtualPath) -> None:
        place = self._entry(path)
        if place.stat is None:
            raise fs_error(errno.ENOENT, path)
        if place.name in DOTS or place.stat.mode & S_IFMT == S_IFDIR:
            raise fs_error(errno.EISDIR, path)
        if path[-1:] == "/":
            raise fs_error(errno.ENOTDIR, path)
        self._check_change(place, path)
        self._unlink(place.path)

    def rename(self, old: VirtualPath, new: VirtualPath) -> None:
        source = self._entry(old)
        if source.stat is None:
            raise fs_error(errno.ENOENT, old)
        target = self._entry(new)
        if source.name in DOTS or target.name in DOTS:
            raise fs_error(errno.EBUSY, old)
        is_directory = source.stat.mode & S_IFMT == S_IFDIR
        if not is_directory and (old[-1:] == "/" or new[-1:] == "/"):
            raise fs_error(errno.ENOTDIR, old)
        existing = target.stat
        if existing is not None and (existing.inode, existing.device) == (
            source.stat.inode,
            source.stat.device,
        ):
            if source.path == target.path or not self._same_entry(source, target):
                return
            self._check_change(source, old)
            self._rename(source.path, target.path)
            return
        self._check_change(source, old)
        self._check_change(target, new)
        if is_directory and f"{target.path}/".startswith(f"{source.path}/"):
            raise fs_error(errno.EINVAL, new)
        if existing is not None and existing.mode & S_IFMT == S_IFDIR:
            if not is_directory:
                raise fs_error(errno.EISDIR, new)
            if self._listdir(target.path):
                raise fs_error(errno.ENOTEMPTY, new)
        elif existing is not None and is_directory:
            raise fs_error(errno.ENOTDIR, new)
        self._rename(source.path, target.path)

    def _same_entry(self, source: Place, target: Place) -> bool:
        """Return True if two names are one entry of a case-insensitive directory."""
        if source.path.lower() != target.path.lower():
            return False
        return target.name not in [entry.name for entry in self._listdir(dirname(target.path))]

    def link(self, old: VirtualPath, new: VirtualPath) -> None:
        source, stat = self._lookup(old, False)
        target = self._new_path(new)
        if stat.mode & S_IFMT == S_IFDIR:
            raise fs_error(errno.EPERM, old)
        if new[-1:] == "/":
            raise fs_error(errno.ENOENT, new)
        self._link(source, target)

    def symlink(self, target: str, path: VirtualPath) -> None:
        canonical = self._new_path(path)
        if path[-1:] == "/":
            raise fs_error(errno.ENOENT, path)
        check_target(target, path)
        self._symlink(target, canonical)

    def readlink(self, path: VirtualPath) -> str:
        canonical, stat = self._lookup(path, False)
        if stat.mode & S_IFMT != S_IFLNK:
            raise fs_error(errno.EINVAL, path)
        return self._readlink(canonical)

    def mkfifo(self, path: VirtualPath, mode: int = 0o666) -> None:
        canonical = self._new_path(path)
        if path[-1:] == "/":
            raise fs_error(errno.ENOENT, path)
        self._mkfifo(canonical, mode & 0o7777)

    def chmod(self, path: VirtualPath, mode: int) -> None:
        canonical, stat = self._lookup(path)
        self._check_writable(canonical)
        if self._uid not in (0, stat.uid):
            raise fs_error(errno.EPERM, path)
        self._chmod(canonical, mode & 0o7777)

    def utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int, *, follow: bool = True) -> None:
        canonical, stat = self._lookup(path, follow)
        self._check_writable(canonical)
        if self._uid not in (0, stat.uid) and not self._allowed(stat, 2):
            raise fs_error(errno.EACCES, path)
        self._utime(canonical, atime_ns, mtime_ns)

    def access(self, path: VirtualPath, mask: int) -> bool:
        try:
            canonical, stat = self._lookup(path)
            if mask & 2 and stat.mode & S_IFMT not in (S_IFIFO, 0o020000):
                self._check_writable(canonical)
        except OSError:
            return False
        return self._allowed(stat, mask)

    def realpath(self, path: VirtualPath) -> VirtualPath:
        return self._lookup(path)[0]


def ancestors(path: VirtualPath) -> list[VirtualPath]:
    """Return the directories above a canonical path, the root first."""
    directories: list[VirtualPath] = []
    while path != "/":
        path = dirname(path)
        directories.append(path)
    return directories[::-1]

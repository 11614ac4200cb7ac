"""HostDirectory: a directory of the host as a file system; also writes changes back to one.

The only file of this package that touches the host. No virtual path leaves the directory: the
walk itself resolves links, inside of the virtual namespace, and every primitive opens the
components one by one without following links, even if one was replaced meanwhile. Devices, sockets
and FIFOs of the host are shown but never opened.
"""

# pathlib has no directory descriptors.
# ruff: noqa: PTH101, PTH104, PTH106, PTH108, PTH112, PTH118, PTH208
from __future__ import annotations

import errno
import os
import stat as st
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count

from sandhook.vfs.base import Device, Entry, FileHandle, Stat
from sandhook.vfs.changes import DELETED, Change
from sandhook.vfs.errors import fs_error
from sandhook.vfs.hostnames import check_windows_name, is_windows_name
from sandhook.vfs.hostwindows import (
    READ_ONLY,
    deleted_name,
    extended,
    is_busy,
    leads_away,
    link_target,
    open_shared,
    unlock,
)
from sandhook.vfs.inode import S_IFDIR, S_IFLNK, S_IFMT
from sandhook.vfs.names import byte_order
from sandhook.vfs.path import VirtualPath, basename, dirname
from sandhook.vfs.pieces import read_pieces
from sandhook.vfs.resolving import ResolvingFileSystem

_NOFOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK: int = getattr(os, "O_NONBLOCK", 0)
_CLOEXEC: int = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_DIRECTORY: int = getattr(os, "O_DIRECTORY", 0)
#: How a directory below another one is opened: never through a link.
_BELOW = os.O_RDONLY | _DIRECTORY | _NOFOLLOW | _CLOEXEC
_PREAD: Callable[[int, int, int], bytes] | None = getattr(os, "pread", None)
_PWRITE: Callable[[int, memoryview, int], int] | None = getattr(os, "pwrite", None)

#: Whether the host supports paths relative to an open directory; Windows does not.
_HAS_DIR_FD: bool = os.open in os.supports_dir_fd and bool(_NOFOLLOW)


class HostFile:
    """An open regular file of the host."""

    __slots__ = ("_fd", "_fs", "_inode")

    def __init__(self, fd: int, fs: HostDirectory) -> None:
        self._fd = fd
        self._fs = fs
        self._inode = 0 if _HAS_DIR_FD else fs.count_handle(os.fstat(fd).st_ino)

    def read_at(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``offset``; b"" at the end."""
        with _translated():
            count = min(count, self.size() - offset)  # never allocate more than the file has
            return read_pieces(self._pread, offset, count, 1 << 20)

    def _pread(self, offset: int, count: int) -> bytes:
        if _PREAD is not None:
            return _PREAD(self._fd, count, offset)
        os.lseek(self._fd, offset, os.SEEK_SET)
        return os.read(self._fd, count)

    def write_at(self, offset: int, data: bytes) -> int:
        """Write all of ``data``."""
        with _translated():
            view = memoryview(data)
            while view:
                if _PWRITE is not None:
                    written = _PWRITE(self._fd, view, offset)
                else:
                    os.lseek(self._fd, offset, os.SEEK_SET)
                    written = os.write(self._fd, view)
                offset += written
                view = view[written:]
        return len(data)

    def append(self, data: bytes) -> int:
        """Write at the end and return the new size."""
        size = self.size()
        self.write_at(size, data)
        return size + len(data)

    def truncate(self, size: int) -> None:
        with _translated():
            os.ftruncate(self._fd, size)

    def size(self) -> int:
        with _translated():
            return os.fstat(self._fd).st_size

    def stat(self) -> Stat:
        with _translated():
            return self._fs.to_stat(os.fstat(self._fd))

    def close(self) -> None:
        if self._fd >= 0:
            with _translated():
                os.close(self._fd)
            self._fd = -1
            if self._inode:
                self._fs.release_handle(self._inode)


class HostDirectory(ResolvingFileSystem):
    """The directory ``root`` of the host, which is the root of this file system.

    Args:
        root: Path of a directory on the host. Links in this path are followed.
        writable: Whether anything may be changed; EROFS otherwise.
        uid: The user whose permission bits apply; it owns the files of the host's user.
        gid: Its group.
    """

    def __init__(self, root: str, writable: bool = False, *, uid: int = 1000, gid: int = 1000) -> None:
        super().__init__(uid, gid)
        self.root = extended(os.path.realpath(root))
        self.writable = writable
        self._open_inodes: dict[int, int] = {}  # open handles by inode, where open files cannot be removed
        self._owner: int = os.getuid() if hasattr(os, "getuid") else 0
        if not os.path.isdir(self.root):
            raise fs_error(errno.ENOTDIR, root)

    # Names.

    @contextmanager
    def _parent(self, path: str) -> Iterator[tuple[int | None, str]]:
        """Yield the directory and the name of a canonical path ("." for the root itself).

        Where the host has no directory descriptors the first is None and the second a whole path.
        """
        parts = [part for part in path.split("/") if part]
        name = parts.pop() if parts else "."
        if not _HAS_DIR_FD:
            yield None, self._whole_path(parts, name)
            return
        with _translated(path):
            fd = self._open_directory(parts)
            try:
                yield fd, _to_host(name)
            finally:
                os.close(fd)

    def _open_directory(self, parts: list[str]) -> int:
        """Open a directory below the root, one name at a time, so that no link leads out."""
        fd = os.open(self.root, os.O_RDONLY | _DIRECTORY | _CLOEXEC)
        try:
            for part in parts:
                below = os.open(_to_host(part), _BELOW, dir_fd=fd)
                os.close(fd)
                fd = below
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _whole_path(self, parts: list[str], name: str) -> str:
        path = self.root
        for part in parts:
            path = os.path.join(path, check_windows_name(part))
            with _translated(part):
                _check_no_reparse(path)
        return path if name == "." else os.path.join(path, check_windows_name(name))

    def count_handle(self, inode: int) -> int:
        """Count an open handle of a file, and return its inode number."""
        self._open_inodes[inode] = self._open_inodes.get(inode, 0) + 1
        return inode

    def release_handle(self, inode: int) -> None:
        self._open_inodes[inode] -= 1
        if not self._open_inodes[inode]:
            del self._open_inodes[inode]

    def _prepare_removal(self, path: str) -> str:
        """Make a file removable, and return the path to remove.

        Windows keeps the name of an open file until it is closed, so such a file is renamed first.
        It cannot remove a read-only file, so the attribute is cleared.
        """
        info = unlock(path)
        if info.st_ino not in self._open_inodes or leads_away(info):
            return path
        for number in count():
            aside = deleted_name(path, number)
            if not os.path.lexists(aside):
                os.rename(path, aside)
                return aside
        raise AssertionError

    def _check_writable(self, path: VirtualPath) -> None:
        if not self.writable:
            raise fs_error(errno.EROFS, path)

    # Looking.

    def to_stat(self, info: os.stat_result) -> Stat:
        """Convert a stat of the host; files of the host's user belong to the virtual user."""
        mode = info.st_mode
        links = info.st_nlink
        attributes = getattr(info, "st_file_attributes", 0)
        if attributes:
            kind = S_IFLNK if leads_away(info) else mode & S_IFMT
            is_directory = kind == S_IFDIR
            # Windows has only a read-only flag, which means something else on a directory.
            mode = kind | (0o555 if attributes & READ_ONLY and not is_directory else 0o755)
            links = max(links, 2) if is_directory else links
        is_own = info.st_uid == self._owner
        return Stat(
            mode=mode,
            size=info.st_size,
            inode=info.st_ino & (1 << 63) - 1,
            links=links,
            uid=self._uid if is_own else info.st_uid,
            gid=self._gid if is_own else info.st_gid,
            mtime_ns=info.st_mtime_ns,
            atime_ns=info.st_atime_ns,
            ctime_ns=info.st_ctime_ns,
        )

    def _lstat(self, path: VirtualPath) -> Stat:
        if not _HAS_DIR_FD:
            if not is_windows_name(path):
                raise fs_error(errno.ENOENT, path)  # no file can have this name; creating one raises EINVAL
            with self._parent(path) as (fd, name), _translated(path):
                return self.to_stat(os.stat(name, dir_fd=fd, follow_symlinks=False))
        *parts, name = [part for part in path.split("/") if part] or ["."]
        try:  # a context manager only for errors: each walk stats each of its names
            directory = self._open_directory(parts)
            try:
                return self.to_stat(os.stat(_to_host(name), dir_fd=directory, follow_symlinks=False))
            finally:
                os.close(directory)
        except (OSError, ValueError):
            with _translated(path):
                raise

    def _readlink(self, path: VirtualPath) -> str:
        with self._parent(path) as (fd, name), _translated(path):
            target = os.readlink(name, dir_fd=fd)
            return _to_virtual(target) if fd is not None else link_target(target, self.root)

    def _listdir(self, path: VirtualPath) -> list[Entry]:
        prefix = path.rstrip("/")
        with self._parent(path) as (fd, name), _translated(path):
            if fd is None:
                names = os.listdir(name)
            else:
                directory = os.open(name, _BELOW, dir_fd=fd)
                try:
                    names = os.listdir(directory)
                finally:
                    os.close(directory)
        entries: list[Entry] = []
        for entry_name in byte_order(map(_to_virtual, names)):
            with suppress(FileNotFoundError):  # removed meanwhile
                info = self._lstat(VirtualPath(f"{prefix}/{entry_name}"))
                entries.append(Entry(entry_name, info.mode, info.inode))
        return entries

    def _open(self, path: VirtualPath, write: bool, truncate: bool) -> FileHandle | Device:
        flags = os.O_RDWR if write else os.O_RDONLY
        with self._parent(path) as (fd, name), _translated(path):
            info = os.stat(name, dir_fd=fd, follow_symlinks=False)
            if not st.S_ISREG(info.st_mode) or leads_away(info):
                raise fs_error(errno.EACCES, path)
            if fd is None:
                file_fd = open_shared(name, flags)
            else:
                file_fd = os.open(name, flags | _NOFOLLOW | _NONBLOCK | _CLOEXEC, dir_fd=fd)
        if not st.S_ISREG(os.fstat(file_fd).st_mode):  # it was replaced between the two looks
            os.close(file_fd)
            raise fs_error(errno.EACCES, path)
        handle = HostFile(file_fd, self)
        if truncate:
            handle.truncate(0)
        return handle

    # Changing.

    def _create(self, path: VirtualPath, mode: int) -> FileHandle:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC
        with self._parent(path) as (fd, name), _translated(path):
            if fd is None:
                file_fd = open_shared(name, os.O_RDWR | os.O_CREAT | os.O_EXCL)
            else:
                file_fd = os.open(name, flags, 0o600, dir_fd=fd)
            handle = HostFile(file_fd, self)
        self._chmod(path, mode)  # regardless of the umask of the host
        return handle

    def _mkdir(self, path: VirtualPath, mode: int) -> None:
        with self._parent(path) as (fd, name), _translated(path):
            os.mkdir(name, 0o700, dir_fd=fd)
        self._chmod(path, mode)

    def _rmdir(self, path: VirtualPath) -> None:
        with self._parent(path) as (fd, name), _translated(path):
            os.rmdir(name, dir_fd=fd)

    def _unlink(self, path: VirtualPath) -> None:
        with self._parent(path) as (fd, name), _translated(path):
            os.unlink(self._prepare_removal(name) if fd is None else name, dir_fd=fd)

    def _rename(self, old: VirtualPath, new: VirtualPath) -> None:
        with self._parent(old) as (fd, name), self._parent(new) as (other, target), _translated(old):
            if other is None and os.path.lexists(target) and not _same_file(name, target):
                if os.path.isdir(target):
                    os.rmdir(target)  # Windows cannot replace a directory
                elif (aside := self._prepare_removal(target)) != target:
                    os.unlink(aside)
            os.replace(name, target, src_dir_fd=fd, dst_dir_fd=other)

    def _link(self, old: VirtualPath, new: VirtualPath) -> None:
        with self._parent(old) as (fd, name), self._parent(new) as (other, target), _translated(old):
            if fd is None:
                _check_no_reparse(name)
                os.link(name, target)
            else:
                os.link(name, target, src_dir_fd=fd, dst_dir_fd=other, follow_symlinks=False)

    def _symlink(self, target: str, path: VirtualPath) -> None:
        if not _HAS_DIR_FD:
            raise fs_error(errno.EPERM, path)  # Windows requires a privilege and the type of the target
        with self._parent(path) as (fd, name), _translated(path):
            os.symlink(_to_host(target), name, dir_fd=fd)

    def _mkfifo(self, path: VirtualPath, mode: int) -> None:
        raise fs_error(errno.EPERM, path)  # FIFOs of the host are never opened

    def _chmod(self, path: VirtualPath, mode: int) -> None:
        with self._parent(path) as (fd, name), _translated(path):
            if fd is None:
                _check_no_reparse(name)
                if not st.S_ISDIR(os.lstat(name).st_mode):  # directories of Windows have no such flag
                    os.chmod(name, st.S_IWRITE | st.S_IREAD if mode & 0o200 else st.S_IREAD)
                return
            kind = os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode
            flags = os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _CLOEXEC
            if not (st.S_ISREG(kind) or st.S_ISDIR(kind)):
                raise fs_error(errno.EACCES, path)
            try:
                file_fd = os.open(name, flags, dir_fd=fd)
            except PermissionError:  # no read permission
                _chmod_unread(name, mode & 0o1777, fd, path)
                return
            try:
                if sys.platform != "win32":
                    os.fchmod(file_fd, mode & 0o1777)  # never set-user-ID or set-group-ID on the host
            finally:
                os.close(file_fd)

    def _utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int) -> None:
        with self._parent(path) as (fd, name), _translated(path):
            if fd is None:
                _check_no_reparse(name)
                os.utime(name, ns=(atime_ns, mtime_ns))
            else:
                os.utime(name, ns=(atime_ns, mtime_ns), dir_fd=fd, follow_symlinks=False)

    # For writing back.

    def replace(self, path: VirtualPath, data: bytes, mode: int) -> None:
        """Replace a file atomically: a reader sees the old or the new contents, never a part."""
        directory = dirname(path).rstrip("/")
        for number in count():
            temporary = VirtualPath(f"{directory}/.{basename(path)[:200]}.{number}.new")
            try:
                handle = self._create(temporary, mode & 0o777)
                break
            except FileExistsError:
                if number > 100:
                    raise
        try:
            try:
                handle.write_at(0, data)
            finally:
                handle.close()
            self._rename(temporary, path)
        except BaseException:
            with suppress(OSError):
                self._unlink(temporary)
            raise


def apply_changes(changes: Iterable[Change], host_root: str) -> list[VirtualPath]:
    """Apply changes of an overlay or a diff to a directory of the host.

    Files are replaced atomically. A path through a link of the host is an error, and
    so are devices and FIFOs; set-user-ID bits are dropped.

    Returns:
        The paths that were changed, in order.

    Raises:
        OSError: The first change that failed; the changes before it remain.
    """
    target = HostDirectory(host_root, writable=True, uid=0, gid=0)
    paths: list[VirtualPath] = []
    for change in changes:
        _apply(target, change)
        paths.append(change.path)
    return paths


def _apply(target: HostDirectory, change: Change) -> None:
    path = change.path
    try:
        kind = target._lstat(path).mode & S_IFMT
    except FileNotFoundError:
        kind = 0
    if change.kind == DELETED:
        if kind == S_IFDIR:
            target._rmdir(path)
        elif kind:
            target._unlink(path)
    elif change.is_dir:
        if kind == S_IFDIR:
            target._chmod(path, change.mode & 0o777)
            return
        if kind:
            target._unlink(path)
        target._mkdir(path, change.mode & 0o777)
    elif change.is_link:
        if kind == S_IFDIR:
            target._rmdir(path)
        elif kind:
            target._unlink(path)
        target._symlink(change.content().decode("utf-8", "surrogateescape"), path)
    elif change.is_file:
        if kind == S_IFLNK:
            raise fs_error(errno.ELOOP, path)
        if kind == S_IFDIR:
            target._rmdir(path)
        target.replace(path, change.content(), change.mode)
    else:
        raise fs_error(errno.EPERM, path)


def _chmod_unread(name: str, mode: int, directory: int, path: VirtualPath) -> None:
    """Change the mode of a file that cannot be opened for reading; never that of a link's target."""
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(name, mode, dir_fd=directory, follow_symlinks=False)
        return
    if not hasattr(os, "O_PATH"):
        raise fs_error(errno.EACCES, path)
    place = os.open(name, os.O_PATH | _NOFOLLOW | _CLOEXEC, dir_fd=directory)
    try:
        kind = os.fstat(place).st_mode
        if not (st.S_ISREG(kind) or st.S_ISDIR(kind)):  # a link that came after the check
            raise fs_error(errno.EACCES, path)
        os.chmod(f"/proc/self/fd/{place}", mode)  # Linux: the file itself, whatever its name is now
    finally:
        os.close(place)


def _check_no_reparse(path: str) -> None:
    """Raise EACCES for a path that Windows would follow to another place."""
    if leads_away(os.lstat(path)):
        raise fs_error(errno.EACCES)


def _same_file(name: str, other: str) -> bool:
    """Return True if two names that differ in case denote one file."""
    return os.path.samestat(os.lstat(name), os.lstat(other))


@contextmanager
def _translated(path: str = "") -> Iterator[None]:
    """Re-raise errors of the host with GNU's texts and the virtual path; a host path is never shown."""
    try:
        yield
    except OSError as error:
        raise fs_error(errno.EBUSY if is_busy(error) else error.errno or errno.EIO, path) from None
    except ValueError:  # a NUL
        raise fs_error(errno.EINVAL, path) from None


def _to_host(name: str) -> str:
    """Encode a name for the host, whose file system encoding may differ."""
    if name.isascii():
        return name
    return os.fsdecode(name.encode("utf-8", "surrogateescape")) if _HAS_DIR_FD else name


def _to_virtual(name: str) -> str:
    """Convert a name of the host to a virtual one."""
    return os.fsencode(name).decode("utf-8", "surrogateescape") if _HAS_DIR_FD else name

"""HostFileSystem: the machine's files, under the shell's names.

The host resolves paths itself, with its links, mounts and permissions. Only names of the shell's
descriptors (/dev/stdin, /dev/fd/3) are resolved here, because they are not descriptors of the host
process. An open file is a real descriptor with the system's offset, so that a program continues to read
where the shell stopped.
"""

# pathlib knows neither descriptors nor surrogates.
# ruff: noqa: PTH101, PTH102, PTH105, PTH106, PTH108, PTH110, PTH112, PTH113, PTH114, PTH115, PTH116, PTH118, PTH120, PTH211
from __future__ import annotations

import errno
import os
import stat as st
import sys
from collections.abc import Callable
from contextlib import suppress

from sandhook.host.names import to_native, to_virtual
from sandhook.kernel.descriptor import CHUNK, File
from sandhook.kernel.signals import BrokenPipe
from sandhook.vfs.base import Device, DeviceKind, Entry, FileHandle, Stat
from sandhook.vfs.conveniences import Conveniences
from sandhook.vfs.errors import fs_error
from sandhook.vfs.hostwindows import is_busy, open_shared, unlock
from sandhook.vfs.names import byte_order
from sandhook.vfs.path import VirtualPath, normalize
from sandhook.vfs.pieces import read_pieces

WINDOWS = sys.platform == "win32"

_CLOEXEC: int = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_BINARY: int = getattr(os, "O_BINARY", 0)

#: Names of the shell's own descriptors, on every system.
_STREAMS: dict[str, DeviceKind] = {"/dev/stdin": "stdin", "/dev/stdout": "stdout", "/dev/stderr": "stderr"}

#: Devices that Windows does not have, or has under other names.
_DEVICES: dict[str, DeviceKind] = {
    "/dev/null": "null",
    "/dev/zero": "zero",
    "/dev/full": "full",
    "/dev/random": "random",
    "/dev/urandom": "random",
}

#: Bytes that ``read_until`` reads at a time; the offset then moves back to the end of the line.
_LINE = 4_096

_UTF8 = sys.getfilesystemencoding().lower().replace("-", "") == "utf8"


class HostHandle:
    """An open regular file."""

    __slots__ = ("fd",)

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def read_at(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``offset``; b"" at the end, which has no other sign in /proc."""
        return read_pieces(self._pread, offset, count, 1 << 20)

    def _pread(self, offset: int, count: int) -> bytes:
        try:
            if sys.platform != "win32":
                return os.pread(self.fd, count, offset)
            offset_before = os.lseek(self.fd, 0, os.SEEK_CUR)
            os.lseek(self.fd, offset, os.SEEK_SET)
            data = os.read(self.fd, count)
            os.lseek(self.fd, offset_before, os.SEEK_SET)
            return data
        except OSError as error:
            raise to_fs_error(error) from None

    def write_at(self, offset: int, data: bytes) -> int:
        """Write all of ``data``."""
        try:
            os.lseek(self.fd, offset, os.SEEK_SET)
        except OSError as error:
            raise to_fs_error(error) from None
        write_all(self.fd, data)
        return len(data)

    def append(self, data: bytes) -> int:
        """Write at the end and return the new size."""
        return self.write_at(self.size(), data) + self.size()

    def truncate(self, size: int) -> None:
        try:
            os.ftruncate(self.fd, size)
        except OSError as error:
            raise to_fs_error(error) from None

    def size(self) -> int:
        return os.fstat(self.fd).st_size

    def stat(self) -> Stat:
        return to_stat(os.fstat(self.fd))

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


class Special(HostHandle):
    """A device, FIFO or terminal that is not open yet, because opening it may block."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        super().__init__(-1)
        self.path = path

    def size(self) -> int:
        return 0

    def read_at(self, offset: int, count: int) -> bytes:
        raise fs_error(errno.EINVAL, self.path)  # only a process can read a stream of the host

    def write_at(self, offset: int, data: bytes) -> int:
        raise fs_error(errno.EINVAL, self.path)

    def stat(self) -> Stat:
        return to_stat(os.stat(self.path))


class HostFile(File):
    """A regular file that a process opened; its offset is that of the descriptor, which programs share."""

    __slots__ = ("fd",)

    def __init__(self, handle: HostHandle, *, read: bool, write: bool, append: bool = False) -> None:
        super().__init__(handle, read=read, write=write, append=append)
        self.fd = handle.fd

    def read(self, count: int) -> bytes:
        if not self.readable:
            raise fs_error(errno.EBADF)
        try:
            return os.read(self.fd, min(count, 1 << 20))
        except OSError as error:
            raise to_fs_error(error) from None

    def read_until(self, delimiter: bytes, limit: int) -> bytes:
        line = b""
        while len(line) < limit:
            data = self.read(min(_LINE, limit - len(line)))
            end = data.find(delimiter) + 1
            if end and end < len(data):
                os.lseek(self.fd, end - len(data), os.SEEK_CUR)
                data = data[:end]
            line += data
            if end or not data:
                break
        return line

    def write(self, data: bytes) -> None:
        if not self.writable:
            raise fs_error(errno.EBADF)
        if self.append and WINDOWS:
            os.lseek(self.fd, 0, os.SEEK_END)
        write_all(self.fd, data)

    def tell(self) -> int:
        return os.lseek(self.fd, 0, os.SEEK_CUR)

    def seek(self, offset: int) -> None:
        os.lseek(self.fd, offset, os.SEEK_SET)


class HostFileSystem(Conveniences):
    """The files of this machine.

    Args:
        working: The native working directory; on Windows its drive is that of "/" and "\\x".
    """

    def __init__(self, working: str = "") -> None:
        self._drive = os.path.splitdrive(working)[0] if WINDOWS else "C:"
        self._temporary = os.environ.get("TEMP", "") if WINDOWS else ""

    # ------------------------------------------------------------------ names

    def native(self, path: str) -> str:
        """Convert a path to the host's form. Raises OSError (EINVAL) for an impossible name."""
        if not path:
            raise fs_error(errno.ENOENT)
        if "\0" in path:
            raise fs_error(errno.EINVAL, path)
        if WINDOWS:
            return to_native(path, self._drive, self._temporary)
        return path if _UTF8 else os.fsdecode(path.encode("utf-8", "surrogateescape"))

    def to_run(self, path: str) -> str:
        """Return the native path to execute a file by."""
        return self.native(path)

    def virtual(self, path: str) -> str:
        """Convert a path of the host to the shell's form."""
        if WINDOWS:
            return to_virtual(path, self._drive)
        return path if _UTF8 else os.fsencode(path).decode("utf-8", "surrogateescape")

    def _device(self, path: str) -> Device | None:
        """Return the device for a name of the shell's own descriptors, None for other names."""
        if path[:5] not in ("/dev/", "/proc"):
            if "/dev/" not in path and "/proc/self/fd/" not in path:
                return None
            path = normalize(path)
        # "cd /dev/fd" leads to the last of these directories.
        for prefix in ("/dev/fd/", "/proc/self/fd/", f"/proc/{os.getpid()}/fd/"):
            if path.startswith(prefix) and path[len(prefix) :].isdecimal():
                return Device("fd", int(path[len(prefix) :]))
        kind = _STREAMS.get(path) or (_DEVICES.get(path) if WINDOWS else None)
        return None if kind is None else Device(kind)

    # ------------------------------------------------------------------ the protocol

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
        device = self._device(path)
        if device is not None:
            return device
        native = self.native(path)
        flags = (os.O_RDWR if read and write else os.O_WRONLY if write else os.O_RDONLY) | _CLOEXEC | _BINARY
        if create:
            flags |= os.O_CREAT
        if exclusive:
            flags |= os.O_EXCL
        if truncate:
            flags |= os.O_TRUNC
        is_new = False
        try:
            kind = os.stat(native).st_mode
            if not (st.S_ISREG(kind) or st.S_ISDIR(kind)):
                return Special(native)
        except OSError:
            is_new = create
        try:
            fd = open_shared(native, flags, follow=True) if WINDOWS else os.open(native, flags, mode)
        except IsADirectoryError:
            raise fs_error(errno.EISDIR, path) from None
        except OSError as error:
            if WINDOWS and os.path.isdir(native):
                raise fs_error(errno.EISDIR, path) from None
            raise to_fs_error(error, path) from None
        try:
            info = os.fstat(fd)
            if st.S_ISDIR(info.st_mode):
                raise fs_error(errno.EISDIR, path)
            if sys.platform != "win32" and is_new and st.S_IMODE(info.st_mode) != mode & 0o7777:
                # The host's umask removed more bits than the script's. Some file systems have no modes.
                with suppress(OSError):
                    os.fchmod(fd, mode & 0o7777)
        except BaseException:
            os.close(fd)
            raise
        return HostHandle(fd)

    def stat(self, path: VirtualPath, *, follow: bool = True) -> Stat:
        device = self._device(path)
        if device is not None:
            return Stat(st.S_IFCHR | 0o666, 0, 1, 1)
        native = self.native(path)
        try:
            return to_stat(os.stat(native, follow_symlinks=follow))
        except OSError as error:
            raise to_fs_error(error, path) from None

    def listdir(self, path: VirtualPath) -> list[Entry]:
        native = self.native(path)
        entries: dict[str, Entry] = {}
        try:
            with os.scandir(native) as scan:
                for entry in scan:
                    name = self._name(entry.name)
                    with suppress(OSError):  # removed meanwhile
                        entries[name] = Entry(name, _kind(entry), entry.inode())
        except OSError as error:
            raise to_fs_error(error, path) from None
        return [entries[name] for name in byte_order(entries)]

    def _name(self, name: str) -> str:
        return name if WINDOWS or _UTF8 else os.fsencode(name).decode("utf-8", "surrogateescape")

    def mkdir(self, path: VirtualPath, mode: int = 0o777) -> None:
        native = self.native(path)
        self._change(path, lambda: os.mkdir(native, mode))
        if not WINDOWS:
            with suppress(OSError):
                os.chmod(native, mode)  # the host's umask does not apply

    def rmdir(self, path: VirtualPath) -> None:
        self._change(path, lambda: os.rmdir(self.native(path)))

    def unlink(self, path: VirtualPath) -> None:
        native = self.native(path)
        if os.path.isdir(native) and not os.path.islink(native):
            raise fs_error(errno.EISDIR, path)
        self._change(path, lambda: unlock(native) if WINDOWS else None)
        self._change(path, lambda: os.unlink(native))

    def rename(self, old: VirtualPath, new: VirtualPath) -> None:
        source, target = self.native(old), self.native(new)
        if WINDOWS and os.path.isdir(source) and os.path.isdir(target):
            self._change(new, lambda: os.rmdir(target))  # on Windows a directory cannot replace another
        elif WINDOWS and os.path.isfile(target):
            self._change(new, lambda: unlock(target))
        self._change(old, lambda: os.replace(source, target))

    def link(self, old: VirtualPath, new: VirtualPath) -> None:
        source, target = self.native(old), self.native(new)
        follow = {} if os.link not in os.supports_follow_symlinks else {"follow_symlinks": False}
        self._change(new, lambda: os.link(source, target, **follow))

    def symlink(self, target: str, path: VirtualPath) -> None:
        native = self.native(path)
        if not target:
            raise fs_error(errno.ENOENT, path)
        if WINDOWS:
            native_target = (
                self.native(target) if target[:1] == "/" or ":" in target else target.replace("/", "\\")
            )
            directory = os.path.dirname(native)
            self._change(
                path,
                lambda: os.symlink(
                    native_target, native, os.path.isdir(os.path.join(directory, native_target))
                ),
            )
        else:
            self._change(path, lambda: os.symlink(self.native(target), native))

    def capacity(self, path: VirtualPath) -> tuple[int, int, int, int]:
        """Return bytes, used bytes, files and used files of a path's file system; Windows does not count files."""
        native = self.native(path)
        try:
            if sys.platform == "win32":
                from shutil import disk_usage

                total, used, _ = disk_usage(native)
                return total, used, 0, 0
            info = os.statvfs(native)
        except OSError as error:
            raise to_fs_error(error, path) from None
        used = (info.f_blocks - info.f_bfree) * info.f_frsize
        return info.f_blocks * info.f_frsize, used, info.f_files, info.f_files - info.f_ffree

    def readlink(self, path: VirtualPath) -> str:
        native = self.native(path)
        try:
            return self.virtual(os.readlink(native))
        except OSError as error:
            raise to_fs_error(error, path) from None

    def mkfifo(self, path: VirtualPath, mode: int = 0o666) -> None:
        native = self.native(path)
        if sys.platform == "win32":
            raise fs_error(errno.EPERM, path)
        self._change(path, lambda: os.mkfifo(native, mode))
        with suppress(OSError):
            os.chmod(native, mode)

    def chmod(self, path: VirtualPath, mode: int) -> None:
        native = self.native(path)
        if WINDOWS:  # a read-only flag, and for files alone
            if os.path.isdir(native):
                return
            mode = st.S_IREAD | st.S_IWRITE if mode & 0o200 else st.S_IREAD
        self._change(path, lambda: os.chmod(native, mode))

    def utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int, *, follow: bool = True) -> None:
        native = self.native(path)
        follows_links = os.utime in os.supports_follow_symlinks
        self._change(
            path,
            lambda: os.utime(
                native, ns=(atime_ns, mtime_ns), follow_symlinks=follow if follows_links else True
            ),
        )

    def access(self, path: VirtualPath, mask: int) -> bool:
        if self._device(path) is not None:
            return not mask & 1
        try:
            return os.access(self.native(path), mask)
        except OSError:
            return False

    def realpath(self, path: VirtualPath) -> VirtualPath:
        native = self.native(path)
        try:
            return VirtualPath(self.virtual(os.path.realpath(native, strict=True)))
        except OSError as error:
            raise to_fs_error(error, path) from None

    def exists(self, path: str) -> bool:
        """Return True if a path leads to a file of any kind; a broken link does not."""
        try:
            return self._device(path) is not None or os.path.exists(self.native(path))
        except OSError:
            return False

    def is_dir(self, path: str) -> bool:
        """Return True if a path leads to a directory, directly or through links."""
        try:
            return os.path.isdir(self.native(path))
        except OSError:
            return False

    def read_bytes(self, path: str) -> bytes:
        """Return a file's whole contents, also for files of unknown size (/proc)."""
        handle = self._regular(VirtualPath(path), self.open(VirtualPath(path)))
        try:
            parts: list[bytes] = []
            offset = 0
            while part := handle.read_at(offset, CHUNK):
                parts.append(part)
                offset += len(part)
            return b"".join(parts)
        finally:
            handle.close()

    @staticmethod
    def _change(path: str, change: Callable[[], object]) -> None:
        try:
            change()
        except OSError as error:
            raise to_fs_error(error, path) from None


def _kind(entry: os.DirEntry[str]) -> int:
    """Return the type bits of an entry as by lstat, without a system call if the listing has them."""
    if entry.is_symlink():
        return st.S_IFLNK | 0o777
    if entry.is_dir(follow_symlinks=False):
        return st.S_IFDIR
    if entry.is_file(follow_symlinks=False):
        return st.S_IFREG
    return entry.stat(follow_symlinks=False).st_mode


def to_stat(info: os.stat_result) -> Stat:
    """Convert a stat of the host."""
    mode = info.st_mode
    if WINDOWS and st.S_ISREG(mode):
        mode |= 0o111  # Windows has no such bits: the dispatcher decides whether a file can run
    return Stat(
        mode=mode,
        size=info.st_size,
        inode=info.st_ino,
        links=info.st_nlink,
        uid=info.st_uid,
        gid=info.st_gid,
        mtime_ns=info.st_mtime_ns,
        atime_ns=info.st_atime_ns,
        ctime_ns=info.st_ctime_ns,
        device=info.st_dev,
        rdev=getattr(info, "st_rdev", 0),
    )


def to_fs_error(error: OSError, path: str = "") -> OSError:
    """Convert an error of the host to one with GNU's text and the shell's name of the file."""
    return fs_error(errno.EBUSY if is_busy(error) else error.errno or errno.EIO, path)


def write_all(fd: int, data: bytes) -> None:
    """Write all of ``data`` to a blocking descriptor. Raises BrokenPipe for a pipe without reader."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(fd, view) :]
    except BrokenPipeError:
        raise BrokenPipe from None
    except OSError as error:
        raise to_fs_error(error) from None

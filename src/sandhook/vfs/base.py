"""The FileSystem protocol, with the errno each method raises.

All paths are absolute virtual paths (``VirtualPath``); they may contain "." and "..", which
are resolved here, component by component, after symbolic links (POSIX XBD 4.16). A
relative name is joined to the working directory of a process by ``vfs.path.join`` before it is passed
here. Every failure is an ``OSError`` whose ``strerror`` is GNU's text (``vfs.errors.fs_error``).

Common errors of every method that takes a path, not repeated below: ENOENT (a component is
missing), ENOTDIR (a component that must be a directory is not one), ELOOP (over 40 links),
ENAMETOOLONG (a name over 255 bytes or a path over 4,096), EINVAL (a NUL in a name).
"""

from __future__ import annotations

from collections.abc import Callable

from sandhook.record import Record
from sandhook.typed import Literal, Protocol, TypeAlias
from sandhook.vfs.path import VirtualPath


class Stat(Record):
    """The fields of stat(2). Times are nanoseconds since the epoch; the owner is the superuser by default."""

    mode: int  #: type and permission bits, stat.S_IF* | 0o7777
    size: int  #: bytes
    inode: int
    links: int
    uid: int = 0
    gid: int = 0
    mtime_ns: int = 0
    atime_ns: int = 0
    ctime_ns: int = 0
    device: int = 1
    rdev: int = 0


class FileHandle(Protocol):
    """The contents of an open regular file; the kernel keeps the offsets."""

    def read_at(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``offset``; b"" at the end."""
        ...

    def write_at(self, offset: int, data: bytes) -> int:
        """Write all of ``data``; a gap is filled with NULs. Raises ENOSPC when a quota is reached."""
        ...

    def append(self, data: bytes) -> int:
        """Write at the end and return the new size."""
        ...

    def truncate(self, size: int) -> None: ...

    def size(self) -> int: ...

    def stat(self) -> Stat: ...

    def close(self) -> None: ...


DeviceKind: TypeAlias = Literal[
    "null", "zero", "full", "random", "uuid", "stdin", "stdout", "stderr", "tty", "fd", "fifo"
]


class Device(Record):
    """The result of ``open`` for a character device or FIFO; the kernel implements it."""

    kind: DeviceKind
    number: int = -1  #: the descriptor of an "fd"
    key: int = 0  #: the inode of a "fifo"; the major and minor number (as st_rdev) of the others


class Entry(Record):
    """One name of a directory."""

    name: str
    mode: int  #: as lstat reports it
    inode: int


class FileSystem(Protocol):
    """One namespace of files. Implementations pass tests/vfs/contract.py."""

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
        """Open a file; ``mode`` is the mode of a new file, after the umask.

        Raises EISDIR for a directory (POSIX raises it for reading only in read(2),
        this already here), EEXIST with ``exclusive``, EACCES, EROFS, ENOSPC.
        """
        ...

    def stat(self, path: VirtualPath, *, follow: bool = True) -> Stat: ...

    def listdir(self, path: VirtualPath) -> list[Entry]:
        """Return the entries without "." and "..", in byte order of their names."""
        ...

    def mkdir(self, path: VirtualPath, mode: int = 0o777) -> None:
        """EEXIST, ENOSPC."""
        ...

    def rmdir(self, path: VirtualPath) -> None:
        """ENOTEMPTY, EBUSY (the root, a mount point)."""
        ...

    def unlink(self, path: VirtualPath) -> None:
        """EISDIR for a directory."""
        ...

    def rename(self, old: VirtualPath, new: VirtualPath) -> None:
        """Replaces ``new``; EXDEV between mounts, ENOTEMPTY, EISDIR, ENOTDIR, EINVAL (into itself)."""
        ...

    def link(self, old: VirtualPath, new: VirtualPath) -> None:
        """EPERM for a directory, EEXIST, EXDEV."""
        ...

    def symlink(self, target: str, path: VirtualPath) -> None: ...

    def readlink(self, path: VirtualPath) -> str:
        """EINVAL for anything but a symbolic link."""
        ...

    def mkfifo(self, path: VirtualPath, mode: int = 0o666) -> None: ...

    def chmod(self, path: VirtualPath, mode: int) -> None: ...

    def utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int, *, follow: bool = True) -> None: ...

    def access(self, path: VirtualPath, mask: int) -> bool:
        """Return True if read (4), write (2), execute (1) are all allowed; False for a missing file."""
        ...

    def realpath(self, path: VirtualPath) -> VirtualPath:
        """Return the path without links, "." and ".."; every component must exist."""
        ...

    # Conveniences, defined once on top of the above, with paths as callers write them.

    def exists(self, path: str) -> bool: ...

    def is_dir(self, path: str) -> bool: ...

    def read_bytes(self, path: str) -> bytes: ...

    def write_bytes(self, path: str, data: bytes, *, mode: int = 0o644, parents: bool = False) -> None: ...


def lacks_of(fs: FileSystem) -> Callable[[str], bool] | None:
    """Return a file system's function that says at once of most missing files that they are missing, if it has one.

    A search along PATH is the only use: it meets more missing files than others, and their errors take time.
    """
    lacks: Callable[[str], bool] | None = getattr(fs, "lacks", None)
    return lacks

"""PyfakefsFileSystem: a pyfakefs file system of the caller as a ``FileSystem``.

The adapter uses pyfakefs' nodes. It never uses pyfakefs' patcher, ``os`` or ``open``: these fall back to the
host for missing features, and have switches for the whole process. So a test with pytest's ``fs`` fixture sees
what a script writes, and a script reaches only the tree. Only this module imports pyfakefs, which is an
extra: ``pip install 'sandhook[pyfakefs]'``. docs/howto/embed-in-python.md shows a fixture.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from contextlib import contextmanager
from time import time_ns
from typing import TYPE_CHECKING, Any

from sandhook.vfs.base import Device, Entry, FileHandle, Stat
from sandhook.vfs.errors import fs_error
from sandhook.vfs.inode import (
    DIRECTORY_SIZE,
    S_IFCHR,
    S_IFDIR,
    S_IFIFO,
    S_IFLNK,
    S_IFMT,
    S_IFREG,
)
from sandhook.vfs.names import byte_order
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.resolving import ResolvingFileSystem

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Devices by the path under which pyfakefs trees keep them.
_DEVICES = {
    "/dev/null": Device("null"),
    "/dev/zero": Device("zero"),
    "/dev/full": Device("full"),
    "/dev/random": Device("random"),
    "/dev/urandom": Device("random"),
    "/dev/stdin": Device("stdin"),
    "/dev/stdout": Device("stdout"),
    "/dev/stderr": Device("stderr"),
    "/dev/tty": Device("tty"),
}


class PyfakefsFile:
    """An open regular file; its contents are pyfakefs' own immutable bytes."""

    __slots__ = ("_fs", "_node")

    def __init__(self, node: Any, fs: PyfakefsFileSystem) -> None:
        self._node = node
        self._fs = fs

    def _contents(self) -> bytes:
        return self._node.byte_contents or b""

    def read_at(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``offset``; b"" at the end."""
        return self._contents()[offset : offset + count]

    def write_at(self, offset: int, data: bytes) -> int:
        """Write all of ``data``; a gap before it is filled with NULs."""
        if data:
            self._fs.check_growth(offset + len(data))
            old = self._contents()
            gap = bytes(max(0, offset - len(old)))
            self._fs.set_contents(self._node, old[:offset] + gap + data + old[offset + len(data) :])
        return len(data)

    def append(self, data: bytes) -> int:
        """Write at the end and return the new size."""
        size = self.size()
        self.write_at(size, data)
        return size + len(data)

    def truncate(self, size: int) -> None:
        old = self._contents()
        self._fs.check_growth(size)
        self._fs.set_contents(self._node, old[:size].ljust(size, b"\0"))

    def size(self) -> int:
        return len(self._contents())

    def stat(self) -> Stat:
        return self._fs.to_stat(self._node)

    def close(self) -> None:
        """Do nothing: pyfakefs counts only the handles that it opened."""


class PyfakefsFileSystem(ResolvingFileSystem):
    """The tree of a ``pyfakefs.fake_filesystem.FakeFilesystem``.

    Files of pyfakefs' own user belong to ``uid`` here. Scripts also see a few devices below /dev,
    which the tree itself does not have.

    Args:
        fake: The file system; pytest's ``fs`` fixture is one.
        now_ns: Clock for the times of files, in nanoseconds since the epoch.
        uid: The user whose permission bits apply.
        gid: Its group.
        largest: The maximum size of one file, in bytes; pyfakefs itself has no default limit.

    Raises:
        ModuleNotFoundError: pyfakefs is not installed.
    """

    def __init__(
        self,
        fake: Any,
        *,
        now_ns: Callable[[], int] = time_ns,
        uid: int = 1000,
        gid: int = 1000,
        largest: int = 16 << 20,
    ) -> None:
        super().__init__(uid, gid)
        try:
            from pyfakefs import fake_file, helpers
        except ModuleNotFoundError as error:
            message = (
                "PyfakefsFileSystem needs pyfakefs, which is not installed: pip install 'sandhook[pyfakefs]'"
            )
            raise ModuleNotFoundError(message, name=error.name) from None
        self._fake = fake
        self._now = now_ns
        self._largest = largest
        self._modules = fake_file
        self._owner: int = helpers.get_uid()

    # Nodes.

    def _node(self, path: str) -> Any:
        node = self._fake.root_dir  # on Windows, the root of the current drive
        for part in path.split("/"):
            if part:
                try:
                    node = node.entries[part]
                except (KeyError, AttributeError):
                    raise fs_error(errno.ENOENT, path) from None
        return node

    def _split(self, path: str) -> tuple[Any, str]:
        above, _, name = path.rpartition("/")
        return self._node(above), name

    def to_stat(self, node: Any) -> Stat:
        """Return the attributes of a node, as stat(2) does."""
        mode: int = node.st_mode
        kind = mode & S_IFMT
        if kind == S_IFDIR:
            size, links = (
                DIRECTORY_SIZE,
                2 + sum(child.st_mode & S_IFMT == S_IFDIR for child in node.entries.values()),
            )
        else:
            size, links = len(node.byte_contents or b""), node.st_nlink
        is_own = node.st_uid == self._owner
        info = node.stat_result
        return Stat(
            mode=mode,
            size=size,
            inode=node.st_ino or 1,
            links=links,
            uid=self._uid if is_own else node.st_uid,
            gid=self._gid if is_own else node.st_gid,
            mtime_ns=info.st_mtime_ns,
            atime_ns=info.st_atime_ns,
            ctime_ns=info.st_ctime_ns,
        )

    def check_growth(self, size: int) -> None:
        """Raise ENOSPC when a file of ``size`` bytes would exceed the limit; called before the bytes are built."""
        if size > self._largest:
            raise fs_error(errno.ENOSPC)

    def set_contents(self, node: Any, data: bytes) -> None:
        """Replace the contents of a file. Raises ENOSPC when the file is too big, or pyfakefs' simulated disk is full."""
        self.check_growth(len(data))
        with _translated():
            node.set_initial_contents(data)
        node.stat_result.st_mtime_ns = node.stat_result.st_ctime_ns = self._now()

    def _add(self, path: str, mode: int, contents: Any = b"") -> Any:
        parent, name = self._split(path)
        if mode & S_IFMT == S_IFDIR:
            node: Any = self._modules.FakeDirectory(name, mode & 0o7777, filesystem=self._fake)
        else:
            node = self._modules.FakeFile(
                name, mode, contents, filesystem=self._fake, encoding="utf-8", errors="surrogateescape"
            )
        with _translated(path):
            parent.add_entry(node)
        info = node.stat_result
        info.st_mtime_ns = info.st_atime_ns = info.st_ctime_ns = self._now()
        self._touch(parent)
        return node

    def _touch(self, node: Any) -> None:
        node.stat_result.st_mtime_ns = node.stat_result.st_ctime_ns = self._now()

    # Primitives.

    def _lstat(self, path: VirtualPath) -> Stat:
        try:
            return self.to_stat(self._node(path))
        except FileNotFoundError:
            if path == "/dev":
                return Stat(S_IFDIR | 0o755, DIRECTORY_SIZE, 2, 2)
            if path in _DEVICES:
                return Stat(S_IFCHR | 0o666, 0, 3, 1)
            raise

    def _readlink(self, path: VirtualPath) -> str:
        contents: bytes = self._node(path).byte_contents or b""
        return contents.decode("utf-8", "surrogateescape")

    def _listdir(self, path: VirtualPath) -> list[Entry]:
        try:
            children = self._node(path).entries
        except FileNotFoundError:
            children = {}
        entries = {name: Entry(name, node.st_mode, node.st_ino or 1) for name, node in children.items()}
        if path == "/dev":
            for device in _DEVICES:
                entries.setdefault(device[5:], Entry(device[5:], S_IFCHR | 0o666, 3))
        return [entries[name] for name in byte_order(entries)]

    def _open(self, path: VirtualPath, write: bool, truncate: bool) -> FileHandle | Device:
        if path in _DEVICES:
            return _DEVICES[path]
        node = self._node(path)
        if node.st_mode & S_IFMT == S_IFIFO:
            return Device("fifo", key=node.st_ino)
        if node.st_mode & S_IFMT != S_IFREG:
            raise fs_error(errno.EACCES, path)
        handle = PyfakefsFile(node, self)
        if truncate:
            handle.truncate(0)
        return handle

    def _create(self, path: VirtualPath, mode: int) -> FileHandle | Device:
        return PyfakefsFile(self._add(path, S_IFREG | mode), self)

    def _mkdir(self, path: VirtualPath, mode: int) -> None:
        self._add(path, S_IFDIR | mode)

    def _rmdir(self, path: VirtualPath) -> None:
        self._unlink(path)

    def _unlink(self, path: VirtualPath) -> None:
        parent, name = self._split(path)
        node = self._node(path)
        with _translated(path):
            parent.remove_entry(name)
        node.stat_result.st_ctime_ns = self._now()
        self._touch(parent)

    def _rename(self, old: VirtualPath, new: VirtualPath) -> None:
        node = self._node(old)
        source, old_name = self._split(old)
        target, name = self._split(new)
        with _translated(new):
            if name in target.entries:
                target.remove_entry(name)
            source.remove_entry(old_name, recursive=False)
            node.name = name
            target.add_entry(node)
        self._touch(source)
        self._touch(target)
        node.stat_result.st_ctime_ns = self._now()

    def _link(self, old: VirtualPath, new: VirtualPath) -> None:
        node = self._node(old)
        target, name = self._split(new)
        old_name = node.name
        with _translated(new):
            node.name = name  # pyfakefs takes the name of the entry from the node
            try:
                target.add_entry(node)
            finally:
                node.name = old_name
        self._touch(target)

    def _symlink(self, target: str, path: VirtualPath) -> None:
        self._add(path, S_IFLNK | 0o777, target.encode("utf-8", "surrogateescape"))

    def _mkfifo(self, path: VirtualPath, mode: int) -> None:
        self._add(path, S_IFIFO | mode)

    def _chmod(self, path: VirtualPath, mode: int) -> None:
        node = self._node(path)
        node.st_mode = node.st_mode & S_IFMT | mode
        node.stat_result.st_ctime_ns = self._now()

    def _utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int) -> None:
        info = self._node(path).stat_result
        info.st_atime_ns = atime_ns
        info.st_mtime_ns = mtime_ns
        info.st_ctime_ns = self._now()


@contextmanager
def _translated(path: str = "") -> Iterator[None]:
    """Re-raise errors of pyfakefs with the messages of this part."""
    try:
        yield
    except OSError as error:
        raise fs_error(error.errno or errno.EIO, path) from None

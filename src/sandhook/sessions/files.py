"""The files of a session: written to a snapshot, read from one, and shared with a fork."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from struct import error as StructError
from threading import RLock
from typing import TYPE_CHECKING

from sandhook.errors import SnapshotError
from sandhook.sessions.reading import Cursor, shown
from sandhook.vfs.delta import decode, delta, encode
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.locked import LockedFileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import ROOT

if TYPE_CHECKING:
    from sandhook.limits import Limits
    from sandhook.sessions.reading import Json
    from sandhook.vfs.base import FileSystem
    from sandhook.vfs.snapshot import Snapshot

#: A time that no file has, so that every path of a file system differs from those of an empty one.
_NEVER = -(1 << 63) + 1

#: The largest user and group number.
_MOST = 0xFFFFFFFF


def memory_of(fs: FileSystem) -> tuple[MemoryFileSystem, AbstractContextManager[object]]:
    """Return the memory file system of a shell, and what holds its lock. Raises SnapshotError for another one."""
    lock: AbstractContextManager[object] = nullcontext()
    if isinstance(fs, LockedFileSystem):
        lock = fs.lock
        fs = fs.files
    if type(fs) is MemoryFileSystem:
        return fs, lock
    raise SnapshotError("files", f"{type(fs).__name__} cannot be stored; wanted a MemoryFileSystem")


def state_of(fs: FileSystem) -> Snapshot:
    """Return the present state of the files of a shell."""
    memory, lock = memory_of(fs)
    with lock:
        return memory.snapshot()


def write_files(fs: FileSystem) -> tuple[Json, bytes]:
    """Return what a snapshot has of the files: a document about the whole, and the entries."""
    memory, lock = memory_of(fs)
    with lock:
        user = memory.user
        root = memory.stat(ROOT)
        try:
            entries = encode(delta(_empty(user), memory.snapshot()))
        except StructError:
            raise SnapshotError("files", "a file has a time beyond the year 2262, or before 1677") from None
    facts: list[Json] = [root.mode & 0o7777, root.uid, root.gid, root.mtime_ns, root.atime_ns]
    return {"user": list(user), "root": facts}, entries


def _empty(user: tuple[int, int, bool]) -> Snapshot:
    uid, gid, bare = user
    return MemoryFileSystem(now_ns=lambda: _NEVER, uid=uid, gid=gid, bare=bare).snapshot()


def read_files(document: Cursor, data: bytes, limits: Limits) -> MemoryFileSystem:
    """Return a new file system with the files of a snapshot.

    Raises:
        SnapshotError: The entries are malformed, or exceed ``fs_bytes`` or ``fs_inodes``.
    """
    fields = document.fields("user", "root")
    user = _read_user(fields["user"])
    uid, gid, bare = user
    fs = MemoryFileSystem(
        quota_bytes=int(limits.fs_bytes), quota_inodes=int(limits.fs_inodes), uid=uid, gid=gid, bare=bare
    )
    try:
        fs.apply(decode(data))
    except (ValueError, OSError, TypeError) as error:
        raise SnapshotError("files", shown(str(error))) from None
    bytes_left, names_left, _ = fs.quota_left
    if bytes_left < 0:
        raise SnapshotError("files", f"{-bytes_left} bytes more than fs_bytes allows ({limits.fs_bytes})")
    if names_left < 0:
        raise SnapshotError("files", f"{-names_left} names more than fs_inodes allows ({limits.fs_inodes})")
    _restore_root(fs, fields["root"])
    if encode(delta(_empty(user), fs.snapshot())) != data:
        raise SnapshotError("files", "wanted each path once, in order, with the first name of its file")
    return fs


def _read_user(item: Cursor) -> tuple[int, int, bool]:
    values = item.items()
    if len(values) != 3:
        item.refuse("wanted user, group and whether there is only a root")
    return values[0].number(0, _MOST), values[1].number(0, _MOST), values[2].flag()


def _restore_root(fs: MemoryFileSystem, item: Cursor) -> None:
    values = item.items()
    if len(values) != 5:
        item.refuse("wanted mode, user, group and two times")
    mode, uid, gid = values[0].number(0, 0o7777), values[1].number(0, _MOST), values[2].number(0, _MOST)
    with fs.superuser() as view:
        view.chmod(ROOT, mode)
        view.chown(ROOT, uid, gid)
        view.utime(ROOT, values[4].number(), values[3].number())


def fork_files(fs: FileSystem) -> FileSystem:
    """Return a file system that begins as this one is now. No inode is copied before one of the two needs it.

    An overlay keeps its lower file system, which nobody changes through it. So does a directory of the machine that is
    mounted for reading. Raises SnapshotError for other file systems.
    """
    return _Fork().of(fs)


class _Fork:
    """Forks file systems, each once, whatever the number of paths to it."""

    def __init__(self) -> None:
        self._forks: dict[int, FileSystem] = {}
        self._locks: dict[int, RLock] = {}

    def of(self, fs: FileSystem) -> FileSystem:
        fork = self._forks.get(id(fs))
        if fork is None:
            fork = self._forks[id(fs)] = self._new(fs)
        return fork

    def _new(self, fs: FileSystem) -> FileSystem:
        if isinstance(fs, LockedFileSystem):
            with fs.lock:
                return LockedFileSystem(self.of(fs.files), self._locks.setdefault(id(fs.lock), RLock()))
        if type(fs) is MemoryFileSystem:
            return fs.fork()
        if type(fs) is OverlayFileSystem:
            return fs.fork(self._forks.get(id(fs.lower), fs.lower))
        if type(fs) is MountTable:
            for each in fs.file_systems():
                if type(each) is not OverlayFileSystem:  # one of them may be the lower of an overlay
                    self.of(each)
            return fs.with_each(self.of)
        if isinstance(fs, HostDirectory):
            if not fs.writable:
                return fs
            raise SnapshotError("files", f"{fs.root} is mounted for writing, and has no copy")
        raise SnapshotError(
            "files",
            f"{type(fs).__name__} cannot be copied; wanted a MemoryFileSystem, an OverlayFileSystem or a MountTable",
        )

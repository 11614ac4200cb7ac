"""OverlayFileSystem: changes in memory over a file system that is never changed.

A path is looked up in the upper file system and then in the lower, unless it or a directory above it has a
whiteout (it was deleted). A file is copied up when it is first opened for writing. Whiteouts remain
when a new file replaces them, so a new directory hides the contents of the old one.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import time_ns

from sandhook.vfs.base import Device, Entry, FileHandle, FileSystem, Stat
from sandhook.vfs.changes import CHMOD, CREATED, DELETED, MODIFIED, Change, Changes
from sandhook.vfs.errors import fs_error
from sandhook.vfs.inode import S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, Inode
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.names import byte_order
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.resolving import ResolvingFileSystem, ancestors, canonical_stat_of

#: Bytes copied up at a time.
_CHUNK = 1 << 20


class _Whiteouts:
    """The paths of the lower file system that were deleted.

    Attributes:
        paths: It only grows, and is copied before that while a fork shares it.
    """

    __slots__ = ("_is_shared", "paths")

    def __init__(self, paths: set[VirtualPath]) -> None:
        self.paths = paths
        self._is_shared = False

    def add(self, path: VirtualPath) -> None:
        if self._is_shared:
            self.paths, self._is_shared = set(self.paths), False
        self.paths.add(path)

    def fork(self) -> _Whiteouts:
        new = _Whiteouts(self.paths)
        self._is_shared = new._is_shared = True
        return new


class OverlayFileSystem(ResolvingFileSystem):
    """Copy-on-write over ``lower``, which is only read.

    Args:
        lower: The file system below; its root is this one's.
        quota_bytes: The maximum size of all contents that are copied up or written.
        quota_inodes: The maximum number of names that are copied up or created.
        now_ns: Clock for the times of files, in nanoseconds since the epoch.
        uid: The user whose permission bits apply, and who owns new files.
        gid: Its group.
    """

    def __init__(
        self,
        lower: FileSystem,
        *,
        quota_bytes: int = 16 << 20,
        quota_inodes: int = 10_000,
        now_ns: Callable[[], int] = time_ns,
        uid: int = 1000,
        gid: int = 1000,
    ) -> None:
        super().__init__(uid, gid)
        self.lower = lower
        self._lower_stat = canonical_stat_of(lower)
        self._owner = uid, gid
        self._upper = MemoryFileSystem(
            quota_bytes=quota_bytes, quota_inodes=quota_inodes, now_ns=now_ns, uid=0, gid=0, bare=True
        )
        self._whiteouts = _Whiteouts(set())
        #: The last path of the current walk, without a slash at the end, and its inode in the upper. So a walk looks at
        #: each directory once; nothing changes during a walk.
        self._walked: tuple[str, Inode | None] = "\0", None

    # For copies in other processes: not reachable from a script.

    @classmethod
    def of(
        cls, lower: FileSystem, upper: MemoryFileSystem, whiteouts: set[VirtualPath], user: tuple[int, int]
    ) -> OverlayFileSystem:
        """Return an overlay with existing changes; ``user`` has the user and group that permission bits apply to."""
        overlay = cls(lower, uid=user[0], gid=user[1])
        overlay._upper = upper
        overlay._whiteouts = _Whiteouts(whiteouts)
        return overlay

    def fork(self, lower: FileSystem) -> OverlayFileSystem:
        """Return a second overlay that begins as this one is now; see ``MemoryFileSystem.fork``.

        Args:
            lower: The file system below it, with the files of this one's.
        """
        self._forget_walk()
        fork = OverlayFileSystem.of(lower, self._upper.fork(), set(), self.user)
        fork._whiteouts = self._whiteouts.fork()
        return fork

    @contextmanager
    def superuser(self) -> Iterator[OverlayFileSystem]:
        """Show the same files in the block alone, with every permission; see ``initial.superuser``."""
        view = OverlayFileSystem.of(self.lower, self._upper, set(), (0, self._gid))
        view._owner, view._whiteouts = self._owner, self._whiteouts
        yield view

    @property
    def upper(self) -> MemoryFileSystem:
        """The files that were copied up or written."""
        self._forget_walk()
        return self._upper

    def _forget_walk(self) -> None:
        self._walked = "\0", None

    @property
    def whiteouts(self) -> set[VirtualPath]:
        """The paths of the lower file system that were deleted. The set only grows."""
        return self._whiteouts.paths

    def hide(self, paths: Iterable[VirtualPath]) -> None:
        """Add whiteouts for those of the paths that the lower file system has."""
        for path in paths:
            self._hide(path)

    @property
    def user(self) -> tuple[int, int]:
        """The user and the group whose permission bits apply."""
        return self._uid, self._gid

    # Looking.

    def _hidden(self, path: VirtualPath) -> bool:
        """Return True if the lower file at ``path``, or a directory above it, was deleted."""
        whiteouts = self._whiteouts.paths
        if not whiteouts:
            return False
        return path in whiteouts or any(ancestor in whiteouts for ancestor in ancestors(path))

    def _in_upper(self, path: VirtualPath) -> bool:
        try:
            self._upper.stat(path, follow=False)
        except OSError:
            return False
        return True

    def _in_lower(self, path: VirtualPath) -> Stat | None:
        if self._hidden(path):
            return None
        try:
            return self._lower_stat(path, self.user)
        except OSError:
            return None

    def _lstat(self, path: VirtualPath) -> Stat:
        if path == "/":  # each walk begins here
            self._walked = "", self._upper.inode("/")
        else:
            head, _, name = path.rpartition("/")
            walked, directory = self._walked
            if walked != head:
                directory = self._upper.inode(head or "/")
            child = None
            if directory is not None and directory.mode & S_IFMT == S_IFDIR and name in directory.children:
                child = directory.children[name]
            self._walked = path, child
            if child is not None:
                return child.stat()._replace(device=2)
        if self._hidden(path):
            raise fs_error(errno.ENOENT, path)
        return self._lower_stat(path, self.user)

    def _readlink(self, path: VirtualPath) -> str:
        return self._upper.readlink(path) if self._in_upper(path) else self.lower.readlink(path)

    def _listdir(self, path: VirtualPath) -> list[Entry]:
        entries: dict[str, Entry] = {}
        stat = self._in_lower(path)
        if stat is not None and stat.mode & S_IFMT == S_IFDIR:
            prefix = path.rstrip("/")
            for entry in self.lower.listdir(path):
                if VirtualPath(f"{prefix}/{entry.name}") not in self._whiteouts.paths:
                    entries[entry.name] = entry
        if self._in_upper(path):
            entries.update((entry.name, entry) for entry in self._upper.listdir(path))
        return [entries[name] for name in byte_order(entries)]

    def _open(self, path: VirtualPath, write: bool, truncate: bool) -> FileHandle | Device:
        if write:
            self._copy_up(path, contents=not truncate)
        if self._in_upper(path):
            return self._upper.open(path, write=write, truncate=truncate)
        return self.lower.open(path)

    # Changing.

    def _copy_up(self, path: VirtualPath, *, contents: bool = True) -> None:
        """Copy ``path`` and every directory above it to the upper, unless they are already there."""
        if self._in_upper(path):
            return
        for component in (*ancestors(path)[1:], path):
            if not self._in_upper(component):
                self._copy_one(component, self.lower.stat(component, follow=False), contents)

    def _copy_one(self, path: VirtualPath, stat: Stat, contents: bool) -> None:
        self._forget_walk()
        upper = self._upper
        kind = stat.mode & S_IFMT
        if kind == S_IFDIR:
            upper.mkdir(path)
        elif kind == S_IFLNK:
            upper.symlink(self.lower.readlink(path), path)
        elif kind == S_IFIFO:
            upper.mkfifo(path)
        elif kind == S_IFREG:
            self._copy_contents(path, stat.size if contents else 0)
        else:
            raise fs_error(errno.EPERM, path)  # a device is not copied
        upper.chown(path, stat.uid, stat.gid)
        if kind != S_IFLNK:
            upper.chmod(path, stat.mode & 0o7777)
        upper.utime(path, stat.atime_ns, stat.mtime_ns, follow=False)

    def _copy_contents(self, path: VirtualPath, size: int) -> None:
        source = self.lower.open(path) if size else None
        target = self._upper.open(path, write=True, create=True, exclusive=True)
        if isinstance(target, Device) or isinstance(source, Device):
            raise fs_error(errno.EINVAL, path)
        try:
            offset = 0
            while source is not None and (chunk := source.read_at(offset, _CHUNK)):
                target.write_at(offset, chunk)
                offset += len(chunk)
        except BaseException:
            self._upper.unlink(path)  # a partial copy must not hide the file
            raise
        finally:
            target.close()
            if source is not None:
                source.close()

    def _make(self, path: VirtualPath, create: Callable[[], None]) -> None:
        """Create a new file in the upper, owned by the user."""
        self._forget_walk()
        parent = ancestors(path)[-1]
        if parent != "/":
            self._copy_up(parent)
        create()
        self._upper.chown(path, *self._owner)

    def _create(self, path: VirtualPath, mode: int) -> FileHandle | Device:
        handles: list[FileHandle | Device] = []
        self._make(
            path,
            lambda: handles.append(
                self._upper.open(path, write=True, create=True, exclusive=True, mode=mode)
            ),
        )
        return handles[0]

    def _mkdir(self, path: VirtualPath, mode: int) -> None:
        self._make(path, lambda: self._upper.mkdir(path, mode))

    def _symlink(self, target: str, path: VirtualPath) -> None:
        self._make(path, lambda: self._upper.symlink(target, path))

    def _mkfifo(self, path: VirtualPath, mode: int) -> None:
        self._make(path, lambda: self._upper.mkfifo(path, mode))

    def _link(self, old: VirtualPath, new: VirtualPath) -> None:
        self._copy_up(old)
        parent = ancestors(new)[-1]
        if parent != "/":
            self._copy_up(parent)
        self._forget_walk()
        self._upper.link(old, new)

    def _hide(self, path: VirtualPath) -> None:
        """Add a whiteout if the lower has the path."""
        if self._in_lower(path) is not None:
            self._whiteouts.add(path)

    def _unlink(self, path: VirtualPath) -> None:
        self._forget_walk()
        if self._in_upper(path):
            self._upper.unlink(path)
        self._hide(path)

    def _rmdir(self, path: VirtualPath) -> None:
        self._forget_walk()
        if self._in_upper(path):
            self._upper.rmdir(path)
        self._hide(path)

    def _rename(self, old: VirtualPath, new: VirtualPath) -> None:
        pending = [old]
        while pending:  # a directory moves with its contents
            path = pending.pop()
            self._copy_up(path)
            if self._lstat(path).mode & S_IFMT == S_IFDIR:
                pending.extend(VirtualPath(f"{path}/{entry.name}") for entry in self._listdir(path))
        parent = ancestors(new)[-1]
        if parent != "/":
            self._copy_up(parent)
        self._hide(new)
        self._forget_walk()
        self._upper.rename(old, new)
        self._hide(old)

    def _chmod(self, path: VirtualPath, mode: int) -> None:
        self._copy_up(path)
        self._upper.chmod(path, mode)

    def _utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int) -> None:
        self._copy_up(path)
        self._upper.utime(path, atime_ns, mtime_ns, follow=False)

    # The result.

    def changes(self) -> Changes:
        """Return the changes relative to the lower: contents, types and permission bits."""
        changes: list[Change] = []
        whiteouts = self._whiteouts.paths
        for path in whiteouts:
            if not any(
                ancestor in whiteouts for ancestor in ancestors(path)
            ):  # else reported with the ancestor
                changes.extend(self._deletions(path))
        pending = [VirtualPath("/")]
        while pending:
            directory = pending.pop()
            for entry in self._upper.listdir(directory):
                path = VirtualPath(f"{directory.rstrip('/')}/{entry.name}")
                change = self._compare(path, entry.mode)
                if change is not None:
                    changes.append(change)
                if entry.mode & S_IFMT == S_IFDIR:
                    pending.append(path)
        return Changes.ordered(changes)

    def _deletions(self, path: VirtualPath) -> list[Change]:
        """Return deletions for the files of the lower at and below a whiteout that the upper does not have."""
        deletions: list[Change] = []
        pending = [path]
        while pending:
            current = pending.pop()
            try:
                mode = self.lower.stat(current, follow=False).mode
            except OSError:
                continue  # removed from the lower meanwhile
            if mode & S_IFMT == S_IFDIR:
                pending.extend(
                    VirtualPath(f"{current}/{entry.name}") for entry in self.lower.listdir(current)
                )
            has_same_type = (
                self._in_upper(current)
                and self._upper.stat(current, follow=False).mode & S_IFMT == mode & S_IFMT
            )
            if not has_same_type:
                deletions.append(Change(DELETED, current, mode, bytes))
        return deletions

    def _compare(self, path: VirtualPath, mode: int) -> Change | None:
        content = self._content(self._upper, path, mode)
        try:
            old = self.lower.stat(path, follow=False).mode
        except OSError:
            return Change(CREATED, path, mode, content)
        if old & S_IFMT != mode & S_IFMT:
            return Change(CREATED, path, mode, content)
        if content() != self._content(self.lower, path, old)():
            return Change(MODIFIED, path, mode, content)
        return None if old == mode else Change(CHMOD, path, mode, content)

    @staticmethod
    def _content(fs: FileSystem, path: VirtualPath, mode: int) -> Callable[[], bytes]:
        if mode & S_IFMT == S_IFLNK:
            return lambda: fs.readlink(path).encode("utf-8", "surrogateescape")
        if mode & S_IFMT == S_IFREG:
            return lambda: fs.read_bytes(path)
        return bytes

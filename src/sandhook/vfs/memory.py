"""MemoryFileSystem: a whole file system in slotted inodes.

Every run in a sandbox creates one, so the constructor does almost nothing: the skeleton is built at the
first walk (``tree.py``). It has its own inodes because importing pyfakefs costs 48 ms and one of its
file systems 39 microseconds; ``pyfakefs_adapter`` is for callers that already have one.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import time_ns

from sandhook.text.surrogates import as_shell_text
from sandhook.typed import TYPE_CHECKING
from sandhook.vfs.base import Device, Entry, Stat
from sandhook.vfs.conveniences import Conveniences
from sandhook.vfs.errors import fs_error
from sandhook.vfs.inode import (
    DYNAMIC,
    S_IFDIR,
    S_IFIFO,
    S_IFLNK,
    S_IFMT,
    S_IFREG,
    DynamicChildren,
    Inode,
    MemoryFile,
)
from sandhook.vfs.names import DOTS, byte_order, check_relative, check_target
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.quota import Quota
from sandhook.vfs.tree import Tree

if TYPE_CHECKING:
    from sandhook.vfs.changes import Changes
    from sandhook.vfs.delta import CountingClock, DeltaEntry
    from sandhook.vfs.snapshot import Snapshot


class MemoryFileSystem(Conveniences):
    """Files in memory, seen by one unprivileged user.

    Args:
        quota_bytes: The maximum size of all contents and link targets together.
        quota_inodes: The maximum number of names (files, directories, links), without the skeleton.
        now_ns: Clock for the times of files, in nanoseconds since the epoch.
        uid: The user whose permission bits apply; 0 passes every check.
        gid: The user's group.
        bare: Create only the root, which the user owns.
    """

    __slots__ = ("__weakref__", "_tree")

    def __init__(
        self,
        *,
        quota_bytes: int = 16 << 20,
        quota_inodes: int = 10_000,
        now_ns: Callable[[], int] = time_ns,
        uid: int = 1000,
        gid: int = 1000,
        bare: bool = False,
    ) -> None:
        self._tree = Tree(Quota(quota_bytes, quota_inodes), now_ns, uid, gid, bare)

    # Files.

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
    ) -> MemoryFile | Device:
        tree = self._tree
        mask = (4 if read else 0) | (2 if write else 0)
        existing = None if exclusive else tree.quick_lookup(path, create=True)
        if (  # an existing regular file, the usual case
            existing is not None
            and existing.mode & S_IFMT == S_IFREG
            and existing.links
            and tree.allowed(existing, mask)
        ):
            handle = MemoryFile(existing, tree.quota, tree)
            if truncate:
                handle.truncate(0)
            return handle
        node = self._open_or_create(path, exclusive, mode) if create else tree.lookup(path)
        kind = node.mode & S_IFMT
        if kind == S_IFDIR:
            raise fs_error(errno.EISDIR, path)
        if node.links and not tree.allowed(node, mask):
            raise fs_error(errno.EACCES, path)
        if not node.links:
            node.links = 1  # new: its permission bits apply from the next open on
        if kind == S_IFREG:
            handle = MemoryFile(node, tree.quota, tree)
            if truncate:
                handle.truncate(0)
            return handle
        if kind == S_IFIFO:
            return Device("fifo", key=node.ino)
        device = node.target
        if not isinstance(device, Device):  # a link that was not followed
            raise fs_error(errno.ELOOP, path)
        return device

    def _open_or_create(self, path: str, exclusive: bool, mode: int) -> Inode:
        """Return the inode to open; a new one still has no link count."""
        tree = self._tree
        parent, name, node = tree.entry(path)
        if path[-1:] == "/":  # whatever is there, as in Linux
            raise fs_error(errno.EISDIR, path)
        if exclusive and node is not None:
            raise fs_error(errno.EEXIST, path)
        if node is not None and node.mode & S_IFMT == S_IFLNK:
            parent, name, node = tree.walk(path, True)[:3]
        if node is not None:
            return node
        if not tree.allowed(parent, 2):
            raise fs_error(errno.EACCES, path)
        tree.quota.charge_entry()
        node = tree.add(parent, name, S_IFREG | mode & 0o7777)
        node.links = 0
        return node

    def read_bytes(self, path: str) -> bytes:
        tree = self._tree
        node = tree.lookup(VirtualPath(path))
        if node.mode & S_IFMT == S_IFREG and isinstance(node.data, bytes) and tree.allowed(node, 4):
            if node.atime <= node.mtime:
                node.atime = tree.now()
            return node.data
        return Conveniences.read_bytes(self, path)

    def link(self, old: VirtualPath, new: VirtualPath) -> None:
        tree = self._tree
        node = tree.lookup(old, False)
        parent, name = tree.new_entry(new)
        if node.mode & S_IFMT == S_IFDIR:
            raise fs_error(errno.EPERM, old)
        if node.ino >= DYNAMIC:  # it is stored nowhere
            raise fs_error(errno.EXDEV, new)
        if new[-1:] == "/":
            raise fs_error(errno.ENOENT, new)
        tree.quota.charge_entry()
        parent.children[name] = node
        node.links += 1
        node.ctime = parent.mtime = parent.ctime = tree.now()

    def symlink(self, target: str, path: VirtualPath) -> None:
        tree = self._tree
        parent, name = tree.new_entry(path)
        if path[-1:] == "/":
            raise fs_error(errno.ENOENT, path)
        check_target(target, path)
        tree.quota.charge_entry(len(target.encode("utf-8", "surrogateescape")))
        tree.add(parent, name, S_IFLNK | 0o777).target = target

    def readlink(self, path: VirtualPath) -> str:
        node = self._tree.lookup(path, False)
        if node.mode & S_IFMT != S_IFLNK:
            raise fs_error(errno.EINVAL, path)
        return str(node.target)

    def mkfifo(self, path: VirtualPath, mode: int = 0o666) -> None:
        tree = self._tree
        parent, name = tree.new_entry(path)
        if path[-1:] == "/":
            raise fs_error(errno.ENOENT, path)
        tree.quota.charge_entry()
        tree.add(parent, name, S_IFIFO | mode & 0o7777)

    def unlink(self, path: VirtualPath) -> None:
        tree = self._tree
        parent, name, node = tree.entry(path)
        if node is None:
            raise fs_error(errno.ENOENT, path)
        if name in DOTS or node.mode & S_IFMT == S_IFDIR:
            raise fs_error(errno.EISDIR, path)
        if path[-1:] == "/":
            raise fs_error(errno.ENOTDIR, path)
        if not tree.allowed(parent, 2):
            raise fs_error(errno.EACCES, path)
        del parent.children[name]
        parent.mtime = parent.ctime = tree.now()
        tree.drop(node)

    # Directories.

    def listdir(self, path: VirtualPath) -> list[Entry]:
        tree = self._tree
        node = tree.lookup(path)
        if node.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, path)
        if not tree.allowed(node, 4):
            raise fs_error(errno.EACCES, path)
        if node.atime <= node.mtime:
            node.atime = tree.now()
        children = node.children
        names = children.listed() if isinstance(children, DynamicChildren) else children
        entries = [(name, children[name]) for name in byte_order(names)]
        return [Entry(name, child.mode, child.ino) for name, child in entries]

    def mkdir(self, path: VirtualPath, mode: int = 0o777) -> None:
        tree = self._tree
        parent, name = tree.new_entry(path)
        tree.quota.charge_entry()
        node = tree.add(parent, name, S_IFDIR | mode & 0o1777)
        node.children = {}
        node.links = 2
        parent.links += 1

    def rmdir(self, path: VirtualPath) -> None:
        tree = self._tree
        parent, name, node = tree.entry(path)
        if node is None:
            raise fs_error(errno.ENOENT, path)
        if name in DOTS:
            codes = {"": errno.EBUSY, ".": errno.EINVAL, "..": errno.ENOTEMPTY}
            raise fs_error(codes[name], path)
        if node.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, path)
        if not tree.allowed(parent, 2):
            raise fs_error(errno.EACCES, path)
        if node.children:
            raise fs_error(errno.ENOTEMPTY, path)
        tree.remove_directory(parent, name, node)

    def rename(self, old: VirtualPath, new: VirtualPath) -> None:
        tree = self._tree
        old_parent, old_name, node = tree.entry(old)
        if node is None:
            raise fs_error(errno.ENOENT, old)
        parent, name, replaced = tree.entry(new)
        if old_name in DOTS or name in DOTS:
            raise fs_error(errno.EBUSY, old)
        is_directory = node.mode & S_IFMT == S_IFDIR
        if not is_directory and (old[-1:] == "/" or new[-1:] == "/"):
            raise fs_error(errno.ENOTDIR, old)
        if replaced is node:
            return
        if not (tree.allowed(old_parent, 2) and tree.allowed(parent, 2)):
            raise fs_error(errno.EACCES, old)
        if is_directory:
            tree.check_move(node, new)
        if replaced is not None:
            if replaced.mode & S_IFMT == S_IFDIR:
                if not is_directory:
                    raise fs_error(errno.EISDIR, new)
                if replaced.children:
                    raise fs_error(errno.ENOTEMPTY, new)
                tree.remove_directory(parent, name, replaced)
            elif is_directory:
                raise fs_error(errno.ENOTDIR, new)
            else:
                tree.drop(replaced)
        del old_parent.children[old_name]
        parent.children[name] = node
        if is_directory:
            old_parent.links -= 1
            parent.links += 1
        now = tree.now()
        node.ctime = old_parent.mtime = old_parent.ctime = parent.mtime = parent.ctime = now

    # Attributes.

    def stat(self, path: VirtualPath, *, follow: bool = True) -> Stat:
        return self._tree.lookup(path, follow).stat()

    def inode(self, path: str) -> Inode | None:
        """Return the inode of a path, for a file system above this one; None if there is no such file."""
        try:
            return self._tree.lookup(path, False)
        except OSError:
            return None

    def lacks(self, path: str) -> bool:
        """Return True if it is certain, at once, that an absolute path names nothing; False is no answer."""
        return self._tree.lacks(path)

    def exists(self, path: str) -> bool:
        return not self._tree.lacks(path) and super().exists(path)

    def access(self, path: VirtualPath, mask: int) -> bool:
        tree = self._tree
        try:
            return tree.allowed(tree.lookup(path), mask)
        except OSError:
            return False

    def chmod(self, path: VirtualPath, mode: int) -> None:
        tree = self._tree
        node = tree.lookup(path)
        if tree.uid not in (0, node.uid):
            raise fs_error(errno.EPERM, path)
        node.mode = node.mode & S_IFMT | mode & 0o7777
        node.ctime = tree.now()

    def utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int, *, follow: bool = True) -> None:
        tree = self._tree
        node = tree.lookup(path, follow)
        if tree.uid not in (0, node.uid) and not tree.allowed(node, 2):
            raise fs_error(errno.EACCES, path)
        node.atime = atime_ns
        node.mtime = mtime_ns
        node.ctime = tree.now()

    def realpath(self, path: VirtualPath) -> VirtualPath:
        tree = self._tree
        plain = tree.quick_lookup(path)
        if plain is not None and plain.mode & S_IFMT != S_IFLNK:
            return path
        _, _, node, names, _ = tree.walk(path, True)
        if node is None:
            raise fs_error(errno.ENOENT, path)
        return VirtualPath("/" + "/".join(names))

    # For the host: not reachable from a script.

    def populate(self, files: Mapping[str, str | bytes], base: VirtualPath) -> None:
        """Write initial files, regardless of permission bits.

        Args:
            files: Name to contents. Relative names are below ``base``; missing directories are
                created. A ``str`` is encoded as UTF-8 (surrogateescape). Contents that begin
                with "#!" have mode 0o755, others 0o644.
            base: Absolute directory for relative names.

        Raises:
            ValueError: A name is empty, or has a NUL, an empty component, "." or "..".
            OSError: ENOSPC, or ENOTDIR and EISDIR when names contradict each other.
        """
        tree = self._tree
        root = tree.root or tree.build()
        for key, value in files.items():
            parts = check_relative(key if key[:1] == "/" else f"{base.rstrip('/')}/{key}", key)
            data = (
                as_shell_text(value).encode("utf-8", "surrogateescape")
                if isinstance(value, str)
                else bytes(value)
            )
            directory = root
            for part in parts[:-1]:
                directory = tree.descend(directory, part, key)
            node = directory.children.get(parts[-1])
            if node is None:
                tree.quota.charge_entry(len(data))
                node = tree.add(directory, parts[-1], S_IFREG)
            elif node.mode & S_IFMT != S_IFREG:
                raise fs_error(errno.EISDIR if node.mode & S_IFMT == S_IFDIR else errno.EEXIST, key)
            else:
                tree.quota.charge_bytes(len(data) - node.size())
            node.mode = S_IFREG | (0o755 if data[:2] == b"#!" else 0o644)
            node.data = data

    @contextmanager
    def superuser(self) -> Iterator[MemoryFileSystem]:
        """Show the same files in the block alone, with every permission; see ``initial.superuser``."""
        tree = self._tree
        view = MemoryFileSystem.__new__(MemoryFileSystem)
        view._tree = shared = tree.as_superuser()
        quota = tree.quota
        quota.handles += 1
        try:
            yield view
        finally:
            quota.handles -= 1
            tree.last = shared.last

    def chown(self, path: VirtualPath, uid: int, gid: int) -> None:
        """Change the owner of a file (of a link itself)."""
        node = self._tree.lookup(path, False)
        node.uid = uid
        node.gid = gid
        node.ctime = self._tree.now()

    def snapshot(self) -> Snapshot:
        """Return the current state; contents are shared until they change."""
        from sandhook.vfs.snapshot import Snapshot

        tree = self._tree
        return Snapshot.take(tree.root or tree.build(), tree.last, tree.quota)

    def restore(self, snapshot: Snapshot) -> None:
        """Restore a state. Open handles keep their own, detached files."""
        tree = self._tree
        tree.root, tree.last, tree.quota = snapshot.build()
        tree.now()  # for a CountingClock

    def fork(self) -> MemoryFileSystem:
        """Return a second file system that begins as this one is now, with its quota and its clock.

        No inode but the root is copied: each of the two copies what it needs later. While files are open, all inodes
        are copied at once, because the handles hold those of this file system.
        """
        tree = self._tree
        uid, gid, bare = self.user
        fork = MemoryFileSystem(now_ns=getattr(tree.now, "uncounted", tree.now), uid=uid, gid=gid, bare=bare)
        if tree.quota.handles:
            fork.restore(self.snapshot())
            return fork
        from sandhook.vfs import forked

        new, root, quota = fork._tree, tree.root or tree.build(), tree.quota
        tree.root, new.root = forked.fork(root)
        new.last, new.owner = tree.last, tree.owner
        new.quota = Quota(quota.bytes_left, quota.entries_left, quota.limit)
        return fork

    def watch(self) -> CountingClock:
        """Return a clock whose count grows with every change, and with some first reads."""
        from sandhook.vfs.delta import CountingClock

        tree = self._tree
        clock = tree.now
        if not isinstance(clock, CountingClock):
            clock = tree.now = CountingClock(clock)
        return clock

    def apply(self, entries: Iterable[DeltaEntry]) -> None:
        """Bring in changes that were made to a copy, whatever the permission bits and the quota."""
        from sandhook.vfs.delta import apply

        apply(self._tree, entries)

    @property
    def user(self) -> tuple[int, int, bool]:
        """The user and the group whose permission bits apply, and whether only the root was created."""
        tree = self._tree
        return tree.uid, tree.gid, tree.bare

    @property
    def quota_left(self) -> tuple[int, int, int]:
        """Bytes and names that are left, and the bytes that all contents may take."""
        quota = self._tree.quota
        return quota.bytes_left, quota.entries_left, quota.limit

    @quota_left.setter
    def quota_left(self, left: tuple[int, int, int]) -> None:
        quota = self._tree.quota
        quota.bytes_left, quota.entries_left, quota.limit = left

    def diff(self, snapshot: Snapshot) -> Changes:
        """Return the changes since an earlier state: contents, types, permission bits."""
        from sandhook.vfs.snapshot import difference

        return difference(snapshot, self.snapshot())

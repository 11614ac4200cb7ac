"""MemoryFileSystem: a whole file system in slotted inodes.

A sandbox gets a fresh one for every run, so making one touches nothing: the skeleton is built
at the first walk. Inodes are our own because importing pyfakefs costs 48 ms and one of its file
systems 39 microseconds; ``pyfakefs_adapter`` serves those who have one already.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping
from time import time_ns

from sandhook.vfs import skeleton
from sandhook.vfs.base import Device, Entry, Stat
from sandhook.vfs.changes import Changes
from sandhook.vfs.conveniences import Conveniences
from sandhook.vfs.errors import fs_error
from sandhook.vfs.inode import S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, Inode, MemoryFile
from sandhook.vfs.names import (
    MAX_DEPTH,
    MAX_LINKS,
    SHORT_PATH,
    byte_order,
    check_name,
    check_path,
    check_relative,
)
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.quota import Quota
from sandhook.vfs.snapshot import Snapshot, difference

_DOTS = ("", ".", "..")


class MemoryFileSystem(Conveniences):
    """Files in memory, seen by one unprivileged user.

    Args:
        quota_bytes: Bytes that all contents and link targets together may take.
        quota_inodes: Names (files, directories, links) besides those of the skeleton.
        now_ns: Clock for the times of files, in nanoseconds since the epoch.
        uid: The user whose permission bits apply; 0 passes every check.
        gid: Its group.
        bare: Have nothing but the root, which the user owns.
    """

    __slots__ = ("_bare", "_gid", "_next", "_now", "_quota", "_root", "_uid")

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
        self._quota = Quota(quota_bytes, quota_inodes)
        self._now = now_ns
        self._uid = uid
        self._gid = gid
        self._bare = bare
        self._root: Inode | None = None
        self._next = 1

    def _build(self) -> Inode:
        if self._bare:
            self._root = skeleton.directory(0o755, 1, self._uid, self._gid, self._now())
            return self._root
        self._root, self._next, size = skeleton.build(self._uid, self._gid, self._now())
        self._quota.limit += size
        return self._root

    # The path walk.

    def _plainly(self, path: str, *, make: bool = False) -> Inode | None:
        """Return the inode of a path without links, "." and ".." on the way; None where there is more to do.

        Unless it may be made, raises ENOENT where a directory has no such name: searches along PATH ask that most.
        """
        if not 0 < len(path) < SHORT_PATH:
            check_path(path)
        node = self._root or self._build()
        parts = path.split("/")
        del parts[0]
        try:
            for part in parts:
                if node.mode & 0o111 != 0o111:
                    return None
                node = node.children[part]
        except KeyError:
            sure = (
                node.mode & S_IFMT == S_IFDIR and part not in _DOTS and len(part) < 64 and part.isprintable()
            )
            if sure and not make:
                raise fs_error(errno.ENOENT, path) from None
            return None
        return node

    def _lookup(self, path: str, follow: bool = True) -> Inode:
        """Return the inode of a path; the fast road for paths without links, "." and ".."."""
        node = self._plainly(path)
        if node is not None and (not follow or node.mode & S_IFMT != S_IFLNK):
            return node
        found = self._walk(path, follow)[2]
        if found is None:
            raise fs_error(errno.ENOENT, path)
        return found

    def _walk(self, path: str, follow: bool) -> tuple[Inode, str, Inode | None, list[str], list[Inode]]:
        """Walk a path with all that POSIX XBD 4.16 asks for.

        Returns:
            Parent, name, inode (None when only the last component is missing), and the names
            and inodes of the way there without links.
        """
        check_path(path)
        trail = [self._root or self._build()]
        names: list[str] = []
        pending = path.split("/")
        pending.reverse()
        links = 0
        while pending:
            part = pending.pop()
            here = trail[-1]
            if here.mode & S_IFMT != S_IFDIR:
                raise fs_error(errno.ENOTDIR, path)
            if part in _DOTS:
                if part and not self._allowed(here, 1):
                    raise fs_error(errno.EACCES, path)
                if part == ".." and names:
                    del trail[-1], names[-1]
                continue
            if not self._allowed(here, 1):
                raise fs_error(errno.EACCES, path)
            try:
                child = here.children[part]
            except KeyError:
                check_name(part, path)
                if any(pending):
                    raise fs_error(errno.ENOENT, path) from None
                return here, part, None, names, trail
            if child.mode & S_IFMT == S_IFLNK and (follow or pending):
                links += 1
                if links > MAX_LINKS:
                    raise fs_error(errno.ELOOP, path)
                target = str(child.data)
                if target[:1] == "/":
                    del trail[1:], names[:]
                pending.extend(reversed(target.split("/")))
                continue
            trail.append(child)
            names.append(part)
        return trail[len(trail) > 1 and -2], names[-1] if names else "", trail[-1], names, trail

    def _entry(self, path: str) -> tuple[Inode, str, Inode | None]:
        """Return parent directory, name and inode (or None) of a path whose last link is not followed.

        The name is "", "." or ".." when the path ends so; the inode is then that directory.
        """
        head, _, name = path.rstrip("/").rpartition("/")
        parent = self._lookup(head or "/")
        if parent.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, path)
        if not self._allowed(parent, 1):
            raise fs_error(errno.EACCES, path)
        if name in _DOTS:
            return parent, name, self._lookup(path)
        try:
            return parent, name, parent.children[name]
        except KeyError:
            check_path(path)
            check_name(name, path)
            return parent, name, None

    def _allowed(self, node: Inode, mask: int) -> bool:
        mode = node.mode
        if mode & mask == mask and mode & (mask << 3) == mask << 3 and mode & (mask << 6) == mask << 6:
            return True
        if not self._uid:
            return not mask & 1 or mode & 0o111 != 0 or mode & S_IFMT == S_IFDIR
        if node.uid == self._uid:
            mode >>= 6
        elif node.gid == self._gid:
            mode >>= 3
        return mode & mask == mask

    def _room(self, path: str) -> tuple[Inode, str]:
        """Return parent and name for something new; EEXIST when it is there already."""
        parent, name, node = self._entry(path)
        if node is not None:
            raise fs_error(errno.EEXIST, path)
        if not parent.links:
            raise fs_error(errno.ENOENT, path)
        if not self._allowed(parent, 2):
            raise fs_error(errno.EACCES, path)
        return parent, name

    def _add(self, parent: Inode, name: str, mode: int) -> Inode:
        self._next += 1
        now = self._now()
        node = Inode(mode, self._next, self._uid, self._gid, now)
        parent.children[name] = node
        parent.mtime = parent.ctime = now
        return node

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
        wanted = (4 if read else 0) | (2 if write else 0)
        found = None if exclusive else self._plainly(path, make=True)
        if (  # a regular file that is there, as it nearly always is
            found is not None
            and found.mode & S_IFMT == S_IFREG
            and found.links
            and self._allowed(found, wanted)
        ):
            handle = MemoryFile(found, self._quota, self._now)
            if truncate:
                handle.truncate(0)
            return handle
        node = self._open_or_make(path, exclusive, mode) if create else self._lookup(path)
        kind = node.mode & S_IFMT
        if kind == S_IFDIR:
            raise fs_error(errno.EISDIR, path)
        if node.links and not self._allowed(node, wanted):
            raise fs_error(errno.EACCES, path)
        if not node.links:
            node.links = 1  # made just now: its permission bits are for the next one who opens it
        if kind == S_IFREG:
            handle = MemoryFile(node, self._quota, self._now)
            if truncate:
                handle.truncate(0)
            return handle
        if kind == S_IFIFO:
            return Device("fifo", key=node.ino)
        device = node.data
        if not isinstance(device, Device):  # a link that was not followed
            raise fs_error(errno.ELOOP, path)
        return device

    def _open_or_make(self, path: str, exclusive: bool, mode: int) -> Inode:
        """Return the inode to open; a new one still has no link count."""
        parent, name, node = self._entry(path)
        if exclusive and node is not None:
            raise fs_error(errno.EEXIST, path)
        if path[-1:] == "/" and (node is None or node.mode & S_IFMT != S_IFDIR):
            raise fs_error(errno.EISDIR if node is None else errno.ENOTDIR, path)
        if node is not None and node.mode & S_IFMT == S_IFLNK:
            parent, name, node = self._walk(path, True)[:3]
        if node is not None:
            return node
        if not self._allowed(parent, 2):
            raise fs_error(errno.EACCES, path)
        self._quota.take_entry()
        node = self._add(parent, name, S_IFREG | mode & 0o7777)
        node.links = 0
        return node

    def read_bytes(self, path: VirtualPath) -> bytes:
        node = self._lookup(path)
        if node.mode & S_IFMT == S_IFREG and node.data.__class__ is bytes and self._allowed(node, 4):
            if node.atime <= node.mtime:
                node.atime = self._now()
            return node.data
        return Conveniences.read_bytes(self, path)

    def link(self, old: VirtualPath, new: VirtualPath) -> None:
        node = self._lookup(old, False)
        parent, name = self._room(new)
        if node.mode & S_IFMT == S_IFDIR:
            raise fs_error(errno.EPERM, old)
        if new[-1:] == "/":
            raise fs_error(errno.ENOENT, new)
        self._quota.take_entry()
        parent.children[name] = node
        node.links += 1
        node.ctime = parent.mtime = parent.ctime = self._now()

    def symlink(self, target: str, path: VirtualPath) -> None:
        parent, name = self._room(path)
        if not target or path[-1:] == "/":
            raise fs_error(errno.ENOENT, path)
        check_path(target)
        self._quota.take_entry(len(target.encode("utf-8", "surrogateescape")))
        self._add(parent, name, S_IFLNK | 0o777).data = target

    def readlink(self, path: VirtualPath) -> str:
        node = self._lookup(path, False)
        if node.mode & S_IFMT != S_IFLNK:
            raise fs_error(errno.EINVAL, path)
        return str(node.data)

    def mkfifo(self, path: VirtualPath, mode: int = 0o666) -> None:
        parent, name = self._room(path)
        if path[-1:] == "/":
            raise fs_error(errno.ENOENT, path)
        self._quota.take_entry()
        self._add(parent, name, S_IFIFO | mode & 0o7777)

    def unlink(self, path: VirtualPath) -> None:
        parent, name, node = self._entry(path)
        if node is None:
            raise fs_error(errno.ENOENT, path)
        if name in _DOTS or node.mode & S_IFMT == S_IFDIR:
            raise fs_error(errno.EISDIR, path)
        if path[-1:] == "/":
            raise fs_error(errno.ENOTDIR, path)
        if not self._allowed(parent, 2):
            raise fs_error(errno.EACCES, path)
        del parent.children[name]
        parent.mtime = parent.ctime = self._now()
        self._drop(node)

    def _drop(self, node: Inode) -> None:
        """Take one name from an inode; without names and handles its bytes are free again."""
        node.links -= 1
        node.ctime = self._now()
        self._quota.entries_left += 1
        if not node.links and not node.opens and node.mode & S_IFMT in (S_IFREG, S_IFLNK):
            self._quota.take_bytes(-node.size())
            node.data = b""

    # Directories.

    def listdir(self, path: VirtualPath) -> list[Entry]:
        node = self._lookup(path)
        if node.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, path)
        if not self._allowed(node, 4):
            raise fs_error(errno.EACCES, path)
        if node.atime <= node.mtime:
            node.atime = self._now()
        children = node.children
        return [Entry(name, children[name].mode, children[name].ino) for name in byte_order(children)]

    def mkdir(self, path: VirtualPath, mode: int = 0o777) -> None:
        parent, name = self._room(path)
        self._quota.take_entry()
        node = self._add(parent, name, S_IFDIR | mode & 0o1777)
        node.children = {}
        node.links = 2
        parent.links += 1

    def rmdir(self, path: VirtualPath) -> None:
        parent, name, node = self._entry(path)
        if node is None:
            raise fs_error(errno.ENOENT, path)
        if name in _DOTS:
            codes = {"": errno.EBUSY, ".": errno.EINVAL, "..": errno.ENOTEMPTY}
            raise fs_error(codes[name], path)
        if node.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, path)
        if not self._allowed(parent, 2):
            raise fs_error(errno.EACCES, path)
        if node.children:
            raise fs_error(errno.ENOTEMPTY, path)
        self._remove_directory(parent, name, node)

    def _remove_directory(self, parent: Inode, name: str, node: Inode) -> None:
        del parent.children[name]
        node.links = 0
        parent.links -= 1
        parent.mtime = parent.ctime = self._now()
        self._quota.entries_left += 1

    def rename(self, old: VirtualPath, new: VirtualPath) -> None:
        old_parent, old_name, node = self._entry(old)
        if node is None:
            raise fs_error(errno.ENOENT, old)
        parent, name, there = self._entry(new)
        if old_name in _DOTS or name in _DOTS:
            raise fs_error(errno.EBUSY, old)
        directory = node.mode & S_IFMT == S_IFDIR
        if not directory and (old[-1:] == "/" or new[-1:] == "/"):
            raise fs_error(errno.ENOTDIR, old)
        if there is node:
            return
        if not (self._allowed(old_parent, 2) and self._allowed(parent, 2)):
            raise fs_error(errno.EACCES, old)
        if directory:
            self._check_move(node, new)
        if there is not None:
            if there.mode & S_IFMT == S_IFDIR:
                if not directory:
                    raise fs_error(errno.EISDIR, new)
                if there.children:
                    raise fs_error(errno.ENOTEMPTY, new)
                self._remove_directory(parent, name, there)
            elif directory:
                raise fs_error(errno.ENOTDIR, new)
            else:
                self._drop(there)
        del old_parent.children[old_name]
        parent.children[name] = node
        if directory:
            old_parent.links -= 1
            parent.links += 1
        now = self._now()
        node.ctime = old_parent.mtime = old_parent.ctime = parent.mtime = parent.ctime = now

    def _check_move(self, node: Inode, new: str) -> None:
        """Refuse to move a directory below itself, or so deep that no path reaches its leaves."""
        trail = self._walk(new.rstrip("/").rpartition("/")[0] or "/", True)[4]
        if node in trail:
            raise fs_error(errno.EINVAL, new)
        depth = len(trail)
        level = [node]
        while level:
            depth += 1
            if depth > MAX_DEPTH:
                raise fs_error(errno.ENAMETOOLONG, new)
            level = [child for each in level for child in each.children.values() if child.children]

    # Attributes.

    def stat(self, path: VirtualPath, *, follow: bool = True) -> Stat:
        return self._lookup(path, follow).stat()

    def access(self, path: VirtualPath, mask: int) -> bool:
        try:
            return self._allowed(self._lookup(path), mask)
        except OSError:
            return False

    def chmod(self, path: VirtualPath, mode: int) -> None:
        node = self._lookup(path)
        if self._uid not in (0, node.uid):
            raise fs_error(errno.EPERM, path)
        node.mode = node.mode & S_IFMT | mode & 0o7777
        node.ctime = self._now()

    def utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int, *, follow: bool = True) -> None:
        node = self._lookup(path, follow)
        if self._uid not in (0, node.uid) and not self._allowed(node, 2):
            raise fs_error(errno.EACCES, path)
        node.atime = atime_ns
        node.mtime = mtime_ns
        node.ctime = self._now()

    def realpath(self, path: VirtualPath) -> VirtualPath:
        plain = self._plainly(path)
        if plain is not None and plain.mode & S_IFMT != S_IFLNK:
            return path
        _, _, node, names, _ = self._walk(path, True)
        if node is None:
            raise fs_error(errno.ENOENT, path)
        return VirtualPath("/" + "/".join(names))

    # The host's side: not reachable from a script.

    def populate(self, files: Mapping[str, str | bytes], base: VirtualPath) -> None:
        """Write initial files, whatever the permission bits say.

        Args:
            files: Name to contents. Relative names are below ``base``; missing directories are
                made. A ``str`` is encoded as UTF-8 (surrogateescape). Contents that begin
                with "#!" get mode 0o755, others 0o644.
            base: Absolute directory for relative names.

        Raises:
            ValueError: A name is empty, or has a NUL, an empty component, "." or "..".
            OSError: ENOSPC, or ENOTDIR and EISDIR when names contradict each other.
        """
        root = self._root or self._build()
        for key, value in files.items():
            parts = check_relative(key if key[:1] == "/" else f"{base.rstrip('/')}/{key}", key)
            data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else bytes(value)
            here = root
            for part in parts[:-1]:
                here = self._descend(here, part, key)
            there = here.children.get(parts[-1])
            if there is None:
                self._quota.take_entry(len(data))
                there = self._add(here, parts[-1], S_IFREG)
            elif there.mode & S_IFMT != S_IFREG:
                raise fs_error(errno.EISDIR if there.mode & S_IFMT == S_IFDIR else errno.EEXIST, key)
            else:
                self._quota.take_bytes(len(data) - there.size())
            there.mode = S_IFREG | (0o755 if data[:2] == b"#!" else 0o644)
            there.data = data

    def make_directories(self, path: VirtualPath) -> None:
        """Make a directory with its parents, whatever the permission bits say.

        Raises ValueError and OSError as ``populate`` does.
        """
        here = self._root or self._build()
        for part in check_relative(path, path) if path != "/" else ():
            here = self._descend(here, part, path)

    def _descend(self, here: Inode, name: str, key: str) -> Inode:
        child = here.children.get(name)
        if child is None:
            self._quota.take_entry()
            child = self._add(here, name, S_IFDIR | 0o755)
            child.children = {}
            child.links = 2
            here.links += 1
        elif child.mode & S_IFMT != S_IFDIR:
            raise fs_error(errno.ENOTDIR, key)
        return child

    def chown(self, path: VirtualPath, uid: int, gid: int) -> None:
        """Give a file (a link itself) to another user."""
        node = self._lookup(path, False)
        node.uid = uid
        node.gid = gid

    def snapshot(self) -> Snapshot:
        """Return the present state; contents are shared until they change."""
        return Snapshot.take(self._root or self._build(), self._next, self._quota)

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a state. Handles that are still open keep their own, detached files."""
        self._root, self._next, self._quota = snapshot.build()

    def diff(self, snapshot: Snapshot) -> Changes:
        """Return what differs from an earlier state (contents, types, permission bits)."""
        return difference(snapshot, self.snapshot())

"""Snapshot: an immutable state of a memory file system, and the difference of two."""

from __future__ import annotations

from collections.abc import Mapping

from sandhook.record import Record
from sandhook.vfs.base import Device
from sandhook.vfs.changes import CHMOD, CREATED, DELETED, MODIFIED, Change, ChangeKind, Changes
from sandhook.vfs.inode import S_IFDIR, S_IFMT, DynamicChildren, Inode
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.quota import Quota


class SavedInode(Record):
    """The saved state of one inode."""

    mode: int
    uid: int
    gid: int
    times: tuple[int, int, int]  # mtime, atime, ctime
    links: int
    data: bytes
    target: str | Device
    children: tuple[tuple[str, int], ...] | None
    special: DynamicChildren | None  # of which a copy has none but the dynamic ones


#: Makes a SavedInode of all its fields; a run in a worker saves every inode, and this takes a fifth of the time.
_saved = tuple.__new__


class Snapshot:
    """A state of a ``MemoryFileSystem``. Contents are shared with the file system."""

    __slots__ = ("_linked", "_next", "_paths", "_quota", "_root", "_saved")

    def __init__(
        self, saved: dict[int, SavedInode], root: int, next_ino: int, quota: tuple[int, int, int]
    ) -> None:
        self._saved = saved
        self._root = root
        self._next = next_ino
        self._quota = quota
        self._paths: dict[VirtualPath, SavedInode] | None = None
        self._linked: dict[VirtualPath, tuple[VirtualPath, ...]] | None = None

    @classmethod
    def take(cls, root: Inode, next_ino: int, quota: Quota) -> Snapshot:
        """Save every reachable inode; changed contents are converted to ``bytes`` once."""
        saved: dict[int, SavedInode] = {}
        remaining = quota.limit  # files without a name are not part of the state
        pending = [root]
        while pending:
            node = pending.pop()
            if node.ino in saved:
                continue
            data = node.data
            if isinstance(data, bytearray):
                data = node.data = bytes(data)
            children: tuple[tuple[str, int], ...] | None = None
            special = None
            if node.mode & S_IFMT == S_IFDIR:
                if isinstance(node.children, DynamicChildren):
                    special = node.children
                children = tuple((name, child.ino) for name, child in node.children.items())
                pending.extend(node.children.values())
            else:
                remaining -= node.size()
            times = (node.mtime, node.atime, node.ctime)
            fields = (node.mode, node.uid, node.gid, times, node.links, data, node.target, children, special)
            saved[node.ino] = _saved(SavedInode, fields)
        return cls(saved, root.ino, next_ino, (remaining, quota.entries_left, quota.limit))

    def build(self) -> tuple[Inode, int, Quota]:
        """Return a new tree of inodes, the last inode number and the remaining quota."""
        nodes: dict[int, Inode] = {}
        for number, saved in self._saved.items():
            node = Inode(saved.mode, number, saved.uid, saved.gid, 0)
            node.mtime, node.atime, node.ctime = saved.times
            node.links = saved.links
            node.data = saved.data
            node.target = saved.target
            nodes[number] = node
        for number, saved in self._saved.items():
            if saved.children is not None:
                children = {} if saved.special is None else saved.special.fresh()
                children.update((name, nodes[child]) for name, child in saved.children)
                nodes[number].children = children
        return nodes[self._root], self._next, Quota(*self._quota)

    def paths(self) -> Mapping[VirtualPath, SavedInode]:
        """Return every path below the root with its inode."""
        if self._paths is None:
            self._paths = self._walk()
        return self._paths

    def linked_paths(self) -> Mapping[VirtualPath, tuple[VirtualPath, ...]]:
        """Return each path whose file has several names, with all of these in order."""
        if self._linked is None:
            groups: dict[int, list[VirtualPath]] = {}
            for path, saved in self.paths().items():
                if saved.links > 1 and saved.mode & S_IFMT != S_IFDIR:
                    groups.setdefault(id(saved), []).append(path)
            names = [tuple(sorted(group)) for group in groups.values() if len(group) > 1]
            self._linked = {path: group for group in names for path in group}
        return self._linked

    def _walk(self) -> dict[VirtualPath, SavedInode]:
        saved_by_path: dict[VirtualPath, SavedInode] = {}
        pending = [("", self._root)]
        while pending:
            parent, number = pending.pop()
            for name, child in self._saved[number].children or ():
                path = f"{parent}/{name}"
                saved = self._saved[child]
                saved_by_path[VirtualPath(path)] = saved
                if saved.children:
                    pending.append((path, child))
        return saved_by_path


def difference(before: Snapshot, after: Snapshot) -> Changes:
    """Return the changes from one state to the other; times and owners are ignored."""
    old = before.paths()
    new = after.paths()
    changes = [_change(DELETED, path, saved) for path, saved in old.items() if path not in new]
    for path, saved in new.items():
        former = old.get(path)
        if former is None:
            changes.append(_change(CREATED, path, saved))
        elif former.mode & S_IFMT != saved.mode & S_IFMT:
            changes.append(_change(DELETED, path, former))
            changes.append(_change(CREATED, path, saved))
        elif (former.data, former.target) != (saved.data, saved.target):
            changes.append(_change(MODIFIED, path, saved))
        elif former.mode != saved.mode:
            changes.append(_change(CHMOD, path, saved))
    return Changes.ordered(changes)


def _change(kind: ChangeKind, path: VirtualPath, saved: SavedInode) -> Change:
    target = saved.target
    content = target.encode("utf-8", "surrogateescape") if target and isinstance(target, str) else saved.data
    return Change(kind, path, saved.mode, lambda: content)

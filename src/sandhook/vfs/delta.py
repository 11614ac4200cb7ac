"""Delta: what changed from one state of a memory file system to another, to be applied to a copy of the first.

Unlike ``changes.Changes`` it has owners and times, and it is applied whatever the permission bits. Two names of one
file become two files; sockets and devices are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from struct import Struct, error

from sandhook.record import Record
from sandhook.vfs.inode import S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, Inode
from sandhook.vfs.names import MAX_DEPTH, check_path
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.snapshot import Snapshot
from sandhook.vfs.tree import DOTS, Tree

_TYPES = (S_IFDIR, S_IFREG, S_IFLNK, S_IFIFO)

#: mode, uid, gid, mtime and atime in nanoseconds, lengths of path and content in bytes
_HEAD = Struct("<IIIqqII")


class CountingClock:
    """A clock that counts its calls. Every change of a tree asks the clock.

    Attributes:
        calls: How often it was asked.
    """

    __slots__ = ("_now", "calls")

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self.calls = 0

    def __call__(self) -> int:
        self.calls += 1
        return self._now()


class DeltaEntry(Record):
    """One path that differs.

    Attributes:
        path: Absolute and free of links.
        mode: Type and permission bits; 0 if the path is gone.
        content: Contents of a regular file, target of a symbolic link.
    """

    path: VirtualPath
    mode: int
    uid: int = 0
    gid: int = 0
    mtime: int = 0
    atime: int = 0
    content: bytes = b""


def delta(before: Snapshot, after: Snapshot, *, times: bool = True) -> list[DeltaEntry]:
    """Return what changed, in an order in which it can be applied: removals deepest first, then by path.

    Args:
        times: A path whose times alone differ has changed.
    """
    old, new = before.paths(), after.paths()
    gone = [path for path in old if path not in new]
    entries = [DeltaEntry(path, 0) for path in sorted(gone, reverse=True)]
    differ = tuple.__ne__  # a Record compares types too
    changed = [path for path, saved in new.items() if path not in old or differ(saved, old[path])]
    for path in sorted(changed):
        saved, was = new[path], old.get(path)
        if saved.mode & S_IFMT not in _TYPES or saved.special is not None:
            continue
        if was is not None:
            same = (was.mode, was.uid, was.gid, was.data, was.target) == (
                saved.mode,
                saved.uid,
                saved.gid,
                saved.data,
                saved.target,
            )
            if same and (not times or was.times[0] == saved.times[0]):
                continue
        target = saved.target
        content = (
            target.encode("utf-8", "surrogateescape") if target and isinstance(target, str) else saved.data
        )
        mtime, atime, _ = saved.times
        entries.append(
            DeltaEntry(
                path, saved.mode, uid=saved.uid, gid=saved.gid, mtime=mtime, atime=atime, content=content
            )
        )
    return entries


def encode(entries: Sequence[DeltaEntry]) -> bytes:
    """Return the entries as bytes."""
    pieces: list[bytes] = []
    for path, mode, uid, gid, mtime, atime, content in entries:
        name = path.encode("utf-8", "surrogateescape")
        pieces += (_HEAD.pack(mode, uid, gid, mtime, atime, len(name), len(content)), name, content)
    return b"".join(pieces)


def decode(data: bytes) -> list[DeltaEntry]:
    """Return the entries of ``encode``. Raises ValueError for anything else."""
    entries: list[DeltaEntry] = []
    at = 0
    try:
        while at < len(data):
            mode, uid, gid, mtime, atime, name, size = _HEAD.unpack_from(data, at)
            at += _HEAD.size
            path = VirtualPath(data[at : at + name].decode("utf-8", "surrogateescape"))
            at += name
            content = data[at : at + size]
            entries.append(
                DeltaEntry(
                    _checked(path, mode), mode, uid=uid, gid=gid, mtime=mtime, atime=atime, content=content
                )
            )
            at += size
    except (error, OSError) as fault:
        raise ValueError(f"this is not a delta: {fault}") from None
    if at != len(data):
        raise ValueError("the delta is cut")
    return entries


def check_plain(path: VirtualPath) -> VirtualPath:
    """Return an absolute path that names an entry plainly. Raises ValueError and OSError for another one."""
    check_path(path)
    parts = path.split("/")
    if parts[0] or "\0" in path or any(part in DOTS for part in parts[1:]) or len(parts) > MAX_DEPTH:
        raise ValueError(f"{path!r} is not a plain path")
    return path


def _checked(path: VirtualPath, mode: int) -> VirtualPath:
    """Return a plain path, of a type that a delta has. Raises ValueError and OSError."""
    check_plain(path)
    if mode and mode & S_IFMT not in _TYPES:
        raise ValueError(f"{path!r} has a type that a delta cannot have")
    return path


def apply(tree: Tree, entries: Iterable[DeltaEntry]) -> None:
    """Apply entries to a tree, which may have changed meanwhile: the entries win, a directory in use stays."""
    root = tree.root or tree.build()
    directories: list[tuple[Inode, DeltaEntry]] = []
    for entry in entries:
        parts = entry.path.split("/")[1:]
        parent = root
        for part in parts[:-1]:
            child = parent.children.get(part)
            if child is None or child.mode & S_IFMT != S_IFDIR:
                if not entry.mode:
                    break
                if child is not None:
                    _remove(tree, parent, part, child)
                child = _add(tree, parent, part, S_IFDIR | 0o755)
            parent = child
        else:
            _apply_one(tree, parent, parts[-1], entry)
            node = parent.children.get(parts[-1])
            if node is not None and entry.mode & S_IFMT == S_IFDIR:
                directories.append((node, entry))
    for node, entry in directories:  # what was put into them has changed their times
        node.mtime, node.atime = entry.mtime, entry.atime


def _apply_one(tree: Tree, parent: Inode, name: str, entry: DeltaEntry) -> None:
    node = parent.children.get(name)
    if not entry.mode:
        if node is not None and not node.children:
            _remove(tree, parent, name, node)
        return
    if node is not None and node.mode & S_IFMT != entry.mode & S_IFMT:
        if node.children:
            return
        _remove(tree, parent, name, node)
        node = None
    if node is None:
        node = _add(tree, parent, name, entry.mode)
    node.mode, node.uid, node.gid = entry.mode, entry.uid, entry.gid
    before = node.size()
    kind = entry.mode & S_IFMT
    if kind == S_IFREG:
        node.data = entry.content
    elif kind == S_IFLNK:
        node.target = entry.content.decode("utf-8", "surrogateescape")
    tree.quota.bytes_left -= node.size() - before
    node.ctime = tree.now()
    node.mtime, node.atime = entry.mtime, entry.atime


def _add(tree: Tree, parent: Inode, name: str, mode: int) -> Inode:
    tree.quota.entries_left -= 1
    node = tree.add(parent, name, mode)
    if mode & S_IFMT == S_IFDIR:
        node.children = {}
        node.links = 2
        parent.links += 1
    return node


def _remove(tree: Tree, parent: Inode, name: str, node: Inode) -> None:
    if node.mode & S_IFMT == S_IFDIR:
        tree.remove_directory(parent, name, node)
    else:
        del parent.children[name]
        tree.drop(node)

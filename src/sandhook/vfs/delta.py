"""Delta: what changed from one state of a memory file system to another, to be applied to a copy of the first.

Unlike ``changes.Changes`` it has owners, times and hard links, and it is applied whatever the permission bits. Sockets
and devices are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from struct import Struct, error

from sandhook.record import Record
from sandhook.vfs.inode import S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT, S_IFREG, Inode
from sandhook.vfs.names import DOTS, MAX_DEPTH, check_name, check_path, check_target
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.snapshot import SavedInode, Snapshot
from sandhook.vfs.tree import Tree

_FILES = (S_IFREG, S_IFLNK, S_IFIFO)
_TYPES = (S_IFDIR, *_FILES)

#: ``DeltaEntry.mode`` of a further name of a file, whose first name is the content.
LINK = 1

#: The bit of the encoded mode that stands for ``DeltaEntry.is_new``; modes have 16 bits.
_NEW = 1 << 31

#: mode, uid, gid, mtime and atime in nanoseconds, lengths of path and content in bytes
_HEAD = Struct("<IIIqqII")


class CountingClock:
    """A clock that counts its calls. Every change of a tree asks the clock.

    Attributes:
        calls: How often it was asked.
        uncounted: The clock itself.
    """

    __slots__ = ("calls", "uncounted")

    def __init__(self, now: Callable[[], int]) -> None:
        self.uncounted = now
        self.calls = 0

    def __call__(self) -> int:
        self.calls += 1
        return self.uncounted()


class DeltaEntry(Record):
    """One path that differs.

    Attributes:
        path: Absolute and free of links.
        mode: Type and permission bits; 0 if the path is gone, LINK if it is a further name of a file.
        content: Contents of a regular file, target of a symbolic link, first name of a file.
        is_new: A file of its own. Names that the path shared its file with keep the old one.
    """

    path: VirtualPath
    mode: int
    uid: int = 0
    gid: int = 0
    mtime: int = 0
    atime: int = 0
    content: bytes = b""
    is_new: bool = False


def delta(before: Snapshot, after: Snapshot, *, times: bool = True) -> list[DeltaEntry]:
    """Return what changed, in an order in which it can be applied: removals deepest first, then by path.

    Args:
        times: A path whose times alone differ has changed.
    """
    old, new = before.paths(), after.paths()
    names_before, names_after = before.linked_paths(), after.linked_paths()
    regrouped = {
        path
        for path in (*names_before, *names_after)
        if names_before.get(path, ()) != names_after.get(path, ()) and path in new
    }
    gone = [path for path in old if path not in new]
    entries = [DeltaEntry(path, 0) for path in sorted(gone, reverse=True)]
    differ = tuple.__ne__  # a Record compares types too
    changed = {path for path, saved in new.items() if path not in old or differ(saved, old[path])}
    for path in sorted(changed | regrouped):
        saved, was = new[path], old.get(path)
        if saved.mode & S_IFMT not in _TYPES or saved.special is not None:
            continue
        if was is not None and path not in regrouped and _is_same(was, saved, times):
            continue
        names = names_after.get(path, (path,))
        if names[0] != path:
            entries.append(DeltaEntry(path, LINK, content=_encoded(names[0])))
            continue
        is_new = any(other in new and other not in names for other in names_before.get(path, ()))
        target = saved.target
        content = _encoded(target) if target and isinstance(target, str) else saved.data
        mtime, atime, _ = saved.times
        entries.append(
            DeltaEntry(
                path,
                saved.mode,
                uid=saved.uid,
                gid=saved.gid,
                mtime=mtime,
                atime=atime,
                content=content,
                is_new=is_new,
            )
        )
    return entries


def _is_same(was: SavedInode, saved: SavedInode, times: bool) -> bool:
    before = (was.mode, was.uid, was.gid, was.data, was.target)
    after = (saved.mode, saved.uid, saved.gid, saved.data, saved.target)
    return before == after and (not times or was.times[0] == saved.times[0])


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def encode(entries: Sequence[DeltaEntry]) -> bytes:
    """Return the entries as bytes."""
    pieces: list[bytes] = []
    for path, mode, uid, gid, mtime, atime, content, is_new in entries:
        name = _encoded(path)
        pieces += (
            _HEAD.pack(mode | _NEW if is_new else mode, uid, gid, mtime, atime, len(name), len(content)),
            name,
            content,
        )
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
            is_new, mode = mode & _NEW != 0, mode & ~_NEW
            path = _checked(path, mode, content)
            entries.append(
                DeltaEntry(
                    path, mode, uid=uid, gid=gid, mtime=mtime, atime=atime, content=content, is_new=is_new
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
    if parts[0] or any(part in DOTS for part in parts[1:]) or len(parts) > MAX_DEPTH:
        raise ValueError(f"{path!r} is not a plain path")
    for part in parts[1:]:
        check_name(part, path)
    return path


def _checked(path: VirtualPath, mode: int, content: bytes) -> VirtualPath:
    """Return a plain path, of a type that a delta has. Raises ValueError and OSError."""
    check_plain(path)
    if mode == LINK:
        check_plain(VirtualPath(content.decode("utf-8", "surrogateescape")))
    elif mode and (mode & S_IFMT not in _TYPES or mode > S_IFMT | 0o7777):
        raise ValueError(f"{path!r} has a type that a delta cannot have")
    if mode & S_IFMT == S_IFLNK:
        check_target(content.decode("utf-8", "surrogateescape"), path)
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
    if entry.mode == LINK:
        _link(tree, parent, name, entry.content.decode("utf-8", "surrogateescape"))
        return
    if node is not None and entry.is_new and not node.children:
        _remove(tree, parent, name, node)
        node = None
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


def _link(tree: Tree, parent: Inode, name: str, first: str) -> None:
    """Make a name one of the file that has the other name; nothing if that is no file, or the name a directory in use."""
    target: Inode | None = tree.root
    for part in first.split("/")[1:]:
        target = None if target is None else target.children.get(part)
    node = parent.children.get(name)
    if target is None or target is node or target.mode & S_IFMT not in _FILES or (node and node.children):
        return
    if node is not None:
        _remove(tree, parent, name, node)
    tree.quota.entries_left -= 1
    parent.children[name] = target
    target.links += 1
    target.ctime = parent.mtime = parent.ctime = tree.now()


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

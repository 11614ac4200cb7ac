"""Compares the working tree with the index.

A file whose stat data are those of the index is not read, unless it changed in the same moment as the index.

Source: git's read-cache.c and diff-lib.c.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator

from sandhook.utilities.git.diff.model import NULL_ID, Pair, Side, pair_of
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.index import IndexEntry, order
from sandhook.utilities.git.store.objects import EMPTY_BLOB, GITLINK, SYMLINK, object_id
from sandhook.utilities.git.store.repository import Globals, Repository, find_place
from sandhook.utilities.git.work.convert import converts, stored_form
from sandhook.utilities.git.work.submodules import IgnoredChanges
from sandhook.vfs.base import Stat

_LOW = 0xFFFFFFFF


class WorkTree:
    """The files of a working tree, as git sees them."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.access = repository.access
        self.root = repository.root.rstrip("/")
        self._uses_modes = repository.config.boolean("core.filemode", True)
        self._uses_ctime = repository.config.boolean("core.trustctime", True)
        self._known: dict[str, Side | None] = {}

    def path(self, name: str) -> str:
        """Return the path in the file system of a path of the repository."""
        return f"{self.root}/{name}"

    def read(self, name: str, mode: int) -> bytes:
        """Return the contents of a file as git would store them."""
        data = self._raw(name, mode)
        return data if mode in (GITLINK, SYMLINK) else self.stored(name, data)

    def _raw(self, name: str, mode: int) -> bytes:
        """Return the contents of a file as they are."""
        if mode == GITLINK:
            return b""
        if mode == SYMLINK:
            return encode(self.access.readlink(self.path(name)))
        return self.access.read(self.path(name))

    def stored(self, name: str, data: bytes) -> bytes:
        """Return the contents of a regular file as git stores them."""
        return stored_form(self.repository, name, data)

    def side(self, entry: IndexEntry) -> Side | None:
        """Return the file of an index entry: None if it was removed, else a side.

        A file without changes has the object of the entry; another one has NULL_ID.
        """
        if entry.stage == 0 and entry.path in self._known:
            return self._known[entry.path]
        result = self._side(entry)
        if entry.stage == 0:
            self._known[entry.path] = result
        return result

    def _side(self, entry: IndexEntry) -> Side | None:
        if entry.assumed or entry.skipped:
            return Side(entry.path, entry.mode, entry.oid)
        found = self.access.stat(self.path(entry.path))
        if found is None:
            return None
        if entry.mode == GITLINK:
            return self._submodule(entry, found)
        kind = found.mode & 0o170000
        if kind == 0o040000:
            return None
        mode = self._mode(found, entry)
        if entry.intended:
            return Side(entry.path, mode, NULL_ID, True)
        if mode & 0o170000 == entry.mode & 0o170000 and not self._content_differs(entry, found, mode):
            return Side(entry.path, mode, entry.oid if mode == entry.mode else NULL_ID, True)
        return Side(entry.path, mode, NULL_ID, True)

    def _mode(self, found: Stat, entry: IndexEntry | None) -> int:
        if stat.S_ISLNK(found.mode):
            return SYMLINK
        if not self._uses_modes and entry is not None and entry.mode & 0o170000 == 0o100000:
            return entry.mode
        return 0o100755 if found.mode & 0o100 else 0o100644

    def mode_of(self, name: str, entry: IndexEntry | None) -> int:
        """Return the mode that git would store for a file; 0 if there is no such file."""
        found = self.access.stat(self.path(name))
        if found is None or stat.S_ISDIR(found.mode):
            return 0
        return self._mode(found, entry)

    def _content_differs(self, entry: IndexEntry, found: Stat, mode: int) -> bool:
        if self._is_clean(entry, found):
            return False
        size = entry.stat[8]
        if (
            found.size & _LOW != size
            and size
            and mode != SYMLINK
            and not converts(self.repository, entry.path)
        ):
            return True
        data = self._raw(entry.path, mode)
        self.access.charge(1 + (len(data) >> 10))
        if object_id("blob", data) == entry.oid and b"\r\n" not in data:
            return False  # attributes, which git does not read for a file without changes, would not matter
        return mode == SYMLINK or object_id("blob", self.stored(entry.path, data)) != entry.oid

    def _is_clean(self, entry: IndexEntry, found: Stat) -> bool:
        """Return True if the stat data prove that the file is that of the index."""
        ctime_s, ctime_ns, mtime_s, mtime_ns, _, inode, _, _, size = (
            entry.stat
        )  # owners are those of the sandbox
        if (found.mtime_ns // 10**9 & _LOW, found.mtime_ns % 10**9) != (mtime_s, mtime_ns):
            return False
        if found.size & _LOW != size or (not size and entry.oid != EMPTY_BLOB):
            return False
        if self._uses_ctime and (found.ctime_ns // 10**9 & _LOW, found.ctime_ns % 10**9) != (
            ctime_s,
            ctime_ns,
        ):
            return False
        if found.inode & _LOW != inode:
            return False
        return mtime_s * 10**9 + mtime_ns < self.repository.index.mtime_ns

    # ------------------------------------------------------------------ submodules

    def _submodule(self, entry: IndexEntry, found: Stat) -> Side | None:
        if not stat.S_ISDIR(found.mode):
            return Side(entry.path, self._mode(found, None), NULL_ID, True)
        inner = self.submodule(entry.path)
        head = inner.refs.resolve("HEAD") if inner is not None else None
        if inner is None or head is None:
            return Side(entry.path, entry.mode, entry.oid)
        return Side(entry.path, entry.mode, head, True, self._dirt(inner))

    def submodule(self, name: str) -> Repository | None:
        """Return the repository of a submodule, None if it is not checked out."""
        path = self.path(name)
        if self.access.stat(f"{path}/.git") is None:
            return None
        environment = {
            key: value
            for key, value in self.repository.options.environment.items()
            if not key.startswith("GIT_")
        }
        options = Globals(environment, path)
        place = find_place(self.access, options)
        return None if place is None or place.root != path else Repository(self.access, options, place)

    def _dirt(self, inner: Repository) -> str:
        """Return "M" for a submodule with changes, "U" for one with untracked files, or both."""
        from sandhook.utilities.git.diff.trees import compare_with_index
        from sandhook.utilities.git.work.untracked import find_untracked

        everything = Pathspec([], self.access.charge)
        head = inner.refs.resolve("HEAD")
        tree = None if head is None else inner.objects.tree_of(head)
        staged = any(True for _ in compare_with_index(inner.objects, tree, inner.index, everything))
        changed = staged or any(True for _ in compare_work_tree(WorkTree(inner), everything))
        untracked = find_untracked(inner, everything, "normal").untracked
        return ("M" if changed else "") + ("U" if untracked else "")


def compare_work_tree(
    work: WorkTree,
    pathspec: Pathspec,
    *,
    ignore_submodules: str | IgnoredChanges = "",
    stage: int = 0,
    skip_equal: bool = True,
) -> Iterator[Pair]:
    """Yield what differs between the index and the working tree.

    Args:
        stage: The stage that a file with conflicts is compared with, too; 0 for none.
        skip_equal: Such a file is left out if it is that of the stage.
    """
    for path, entries in work.repository.index.by_path.items():
        if not pathspec.matches(path):
            continue
        work.access.charge(1)
        entry = entries[0]
        if entry.stage:
            yield Pair(Side(path, 0, NULL_ID), Side(path, work.mode_of(path, None), NULL_ID, True), "U")
            for each in entries:
                if each.stage == stage and stage:
                    yield from _against_stage(work, each, skip_equal=skip_equal)
            continue
        new = work.side(entry)
        if entry.mode == GITLINK and new is not None:
            new = without_dirt(new, entry, ignore_submodules)
        old = None if entry.intended else Side(path, entry.mode, entry.oid)
        if old is None and new is None:
            continue
        if new is None or old is None or (new.mode, new.oid, new.dirty) != (old.mode, old.oid, ""):
            yield pair_of(path, old, new)


def without_dirt(side: Side, entry: IndexEntry, ignored: str | IgnoredChanges) -> Side:
    """Return the side of a submodule without the changes that --ignore-submodules leaves out."""
    ignore = ignored if isinstance(ignored, str) else ignored.of(entry.path)
    if ignore == "all":
        return Side(side.path, side.mode, entry.oid)
    if ignore == "dirty":
        return side._replace(dirty="")
    if ignore == "untracked":
        return side._replace(dirty=side.dirty.replace("U", ""))
    return side


def _against_stage(work: WorkTree, entry: IndexEntry, *, skip_equal: bool) -> Iterator[Pair]:
    """Yield the difference between one stage of a file with conflicts and the working tree."""
    old = Side(entry.path, entry.mode, entry.oid)
    mode = work.mode_of(entry.path, None)
    if skip_equal and mode == entry.mode and object_id("blob", work.read(entry.path, mode)) == entry.oid:
        return
    yield pair_of(entry.path, old, Side(entry.path, mode, NULL_ID, True) if mode else None)


def compare_tree_with_work_tree(
    work: WorkTree,
    tree: str | None,
    pathspec: Pathspec,
    *,
    ignore_submodules: str | IgnoredChanges = "",
    staged: bool = False,
) -> Iterator[Pair]:
    """Yield what differs between a tree and the working tree, for the paths of both the tree and the index.

    Args:
        staged: A file that differs from the index differs, even if it is that of the tree.
    """
    from sandhook.utilities.git.diff.trees import walk_tree

    olds = {side.path: side for side in walk_tree(work.repository.objects, tree, pathspec)}
    entries = {path: each for path, each in work.repository.index.by_path.items() if pathspec.matches(path)}
    for path in sorted(olds.keys() | entries.keys(), key=order):
        work.access.charge(1)
        mine = entries.get(path)
        old = olds.get(path)
        if mine is not None and mine[0].stage:
            mode = work.mode_of(path, None)
            new = Side(path, mode, NULL_ID, True) if mode else None
        else:
            new = work.side(mine[0]) if mine is not None else None
        if new is not None and mine is not None and mine[0].mode == GITLINK:
            new = without_dirt(new, mine[0], ignore_submodules)
        if old is None and new is None:
            continue
        if (
            new is not None
            and old is not None
            and new.oid == NULL_ID
            and new.mode == old.mode
            and new.in_work_tree
            and not staged
        ):
            data = work.read(path, new.mode)
            if object_id("blob", data) == old.oid:
                continue
        if old is None or new is None or (old.mode, old.oid) != (new.mode, new.oid) or new.dirty:
            yield pair_of(path, old, new)

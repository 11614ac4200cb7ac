"""Changes the index and writes it, and writes the trees that it stands for.

Source: gitformat-index(5); git 2.39, read-cache.c and cache-tree.c.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from itertools import groupby

from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.index import (
    ASSUME_VALID,
    EXTENDED,
    FIXED,
    INTENT_TO_ADD,
    SKIP_WORKTREE,
    Index,
    IndexEntry,
    order,
)
from sandhook.utilities.git.store.objects import GITLINK, TREE
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import replace_file, write_object
from sandhook.vfs.base import Stat
from sandhook.vfs.path import VirtualPath, join

_LOW = 0xFFFFFFFF
_LONGEST_NAME = 0xFFF
_SIZE = 8  #: the place of the size among the stat data
_NO_STAT = (0,) * 9
_DEEPEST = 1000


def stat_data(found: Stat) -> tuple[int, int, int, int, int, int, int, int, int]:
    """Return what an entry keeps of a stat."""
    return (
        found.ctime_ns // 10**9 & _LOW,
        found.ctime_ns % 10**9,
        found.mtime_ns // 10**9 & _LOW,
        found.mtime_ns % 10**9,
        found.device & _LOW,
        found.inode & _LOW,
        found.uid & _LOW,
        found.gid & _LOW,
        found.size & _LOW,
    )


class IndexChange:
    """Entries of an index that are being changed.

    Args:
        repository: Its index is the one to change.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._path = join(
            VirtualPath(repository.options.cwd),
            repository.options.environment.get("GIT_INDEX_FILE") or f"{repository.git_dir}/index",
        )
        self._before = repository.access.read_or_none(self._path) or b""
        self._entries = {path: list(entries) for path, entries in repository.index.by_path.items()}
        self._fresh: set[str] = set()
        self._directories: set[str] | None = None
        self.changed = False

    def entries(self) -> list[IndexEntry]:
        """Return all entries in order."""
        return [entry for path in sorted(self._entries, key=order) for entry in self._entries[path]]

    def get(self, path: str) -> list[IndexEntry]:
        """Return the entries of a path, one for each stage."""
        return self._entries.get(path, [])

    def put(self, entry: IndexEntry, *, fresh: bool = True) -> None:
        """Add an entry in place of those of its path, and of those that it excludes: of "a" for "a/b", and the reverse.

        Args:
            fresh: The stat data were read after the contents.
        """
        if self._entries.get(entry.path) == [entry]:
            return
        self.changed = True
        for parent in _parents(entry.path):
            self._entries.pop(parent, None)
        if entry.path not in self._entries:
            self._remove_below(entry.path)
        self._entries[entry.path] = [entry]
        if self._directories is not None:
            self._directories.update(_parents(entry.path))
        if fresh:
            self._fresh.add(entry.path)

    def _remove_below(self, path: str) -> None:
        if self._directories is None:
            self._directories = {parent for each in self._entries for parent in _parents(each)}
        if path in self._directories:
            for each in [each for each in self._entries if each.startswith(path + "/")]:
                del self._entries[each]

    def put_conflict(self, path: str, stages: Iterable[tuple[int, int, str]]) -> None:
        """Replace the entries of a path by those of a conflict: stage, mode and object of each side."""
        self.remove(path)
        entries = [IndexEntry(path, mode, oid, stage, _NO_STAT) for stage, mode, oid in stages]
        if entries:
            self.changed = True
            self._entries[path] = entries

    def remove(self, path: str) -> None:
        """Remove the entries of a path."""
        if self._entries.pop(path, None) is not None:
            self.changed = True

    def index(self) -> Index:
        """Return the entries as an index that has not been written."""
        return Index(self.entries(), self._repository.index.mtime_ns, self._repository.index.version)

    def write(self) -> None:
        """Write the index, and make it the one of the repository. Raises GitError."""
        access, old = self._repository.access, self._repository.index
        entries = [self._smudged(entry, old.mtime_ns) for entry in self.entries()]
        access.charge(len(entries) * 2)
        access.ctx.budget.check_fits(len(entries) * 200)
        replace_file(access, self._path, _packed(entries), self._before)
        found = access.stat(self._path, follow=True)
        self._repository.index = Index(entries, found.mtime_ns if found is not None else 0)

    def _smudged(self, entry: IndexEntry, index_ns: int) -> IndexEntry:
        """Return an entry with the size 0, if it may have changed in the moment of the last write of the index.

        Its stat data proved nothing by then. The new index is younger, so they would seem to prove something.
        """
        is_racy = entry.stat[2] * 10**9 + entry.stat[3] >= index_ns
        if entry.path in self._fresh or entry.stage or entry.mode == GITLINK or not is_racy:
            return entry
        return entry._replace(stat=(*entry.stat[:_SIZE], 0))


def _parents(path: str) -> Iterable[str]:
    """Yield the directories above a path."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


def _packed(entries: list[IndexEntry]) -> bytes:
    """Return the file of an index: version 2, or 3 if an entry needs it."""
    extended = any(entry.intended or entry.skipped for entry in entries)
    pieces = [b"DIRC", struct.pack(">II", 3 if extended else 2, len(entries))]
    for entry in entries:
        name = encode(entry.path)
        more = entry.intended * INTENT_TO_ADD | entry.skipped * SKIP_WORKTREE
        flags = min(len(name), _LONGEST_NAME) | entry.stage << 12 | entry.assumed * ASSUME_VALID
        ctime, ctime_ns, mtime, mtime_ns, device, inode, uid, gid, size = entry.stat
        data = FIXED.pack(
            ctime, ctime_ns, mtime, mtime_ns, device, inode, entry.mode, uid, gid, size,
            bytes.fromhex(entry.oid), flags | (EXTENDED if more else 0),
        )  # fmt: skip
        data += (struct.pack(">H", more) if more else b"") + name
        pieces.append(data + bytes(8 - len(data) % 8))
    content = b"".join(pieces)
    return content + hashlib.sha1(content, usedforsecurity=False).digest()


def entry_of(path: str, mode: int, oid: str, found: Stat | None = None) -> IndexEntry:
    """Return an entry without conflicts; ``found`` is the stat of its file."""
    return IndexEntry(path, mode, oid, 0, stat_data(found) if found is not None else _NO_STAT)


def write_tree(repository: Repository, entries: list[IndexEntry], *, missing_ok: bool = False) -> str:
    """Write the trees of an index; return the name of the top one.

    Raises:
        GitError: There are conflicts, or, without ``missing_ok``, the repository lacks an object.
    """
    unmerged = next((entry for entry in entries if entry.stage), None)
    if unmerged is not None:
        raise GitError(f"{unmerged.path}: unmerged ({unmerged.oid})", prefix="error")
    staged = [(entry.path.split("/"), entry) for entry in entries if not entry.intended]
    for _, entry in staged if not missing_ok else ():
        if entry.mode != GITLINK and not repository.objects.has(entry.oid):
            raise GitError(f"invalid object {entry.mode:06o} {entry.oid} for '{entry.path}'", prefix="error")
    return _write_tree(repository, staged, 0)


def _write_tree(repository: Repository, entries: list[tuple[list[str], IndexEntry]], depth: int) -> str:
    """Write the tree of entries that share the first ``depth`` names of their paths."""
    if depth > _DEEPEST:
        repository.ctx.budget.fail("nesting")
    rows = []
    for name, group in groupby(entries, key=lambda each: each[0][depth]):
        members = list(group)
        repository.access.charge(1)
        if len(members[0][0]) == depth + 1:
            mode, oid = members[0][1].mode, members[0][1].oid
        else:
            mode, oid = TREE, _write_tree(repository, members, depth + 1)
        rows.append(f"{mode:o} ".encode() + encode(name) + b"\0" + bytes.fromhex(oid))
    return write_object(repository.objects, "tree", b"".join(rows))

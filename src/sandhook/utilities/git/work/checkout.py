"""Writes files of trees and of the index into the working tree.

Source: git 2.39, entry.c, unpack-trees.c and builtin/checkout.c.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from sandhook.utilities.git.diff.model import Side
from sandhook.utilities.git.diff.trees import walk_tree
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.access import Access, decode
from sandhook.utilities.git.store.index import IndexEntry, order
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of
from sandhook.utilities.git.store.objects import GITLINK, SYMLINK
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import remove_file, write_new
from sandhook.utilities.git.work.convert import working_form
from sandhook.utilities.git.work.tree import WorkTree
from sandhook.vfs.path import VirtualPath

_RESERVED = (".git", "git~1")


class WouldOverwrite(GitError):
    """Files with changes, or untracked files, stand where a checkout must write.

    ``staged``: those of the changed files whose entry of the index has changes.
    """

    def __init__(
        self, changed: list[str], untracked: list[str], removed: list[str], staged: Container[str] = ()
    ) -> None:
        super().__init__(_refusal(changed, untracked, removed), prefix="", status=1)
        self._staged = staged
        self._untracked = min(untracked, default=None)
        self._first = min(
            (path, kind) for kind, paths in enumerate((changed, untracked, removed)) for path in paths
        )

    def untracked_reason(self) -> str | None:
        """Return what is printed about the first untracked file, None without one."""
        if self._untracked is None:
            return None
        return f"Untracked working tree file '{self._untracked}' would be overwritten by merge."

    def reason_to_keep(self) -> str:
        """Return what ``git reset --keep`` and ``--merge`` print about the first of these files."""
        path, kind = self._first
        if kind:
            return f"Untracked working tree file '{path}' would be {('overwritten', 'removed')[kind - 1]} by merge."
        if path in self._staged:
            return f"Entry '{path}' would be overwritten by merge. Cannot merge."
        return f"Entry '{path}' not uptodate. Cannot merge."


def _refusal(changed: list[str], untracked: list[str], removed: list[str]) -> str:
    lines = []
    if changed:
        lines += ["error: Your local changes to the following files would be overwritten by checkout:"]
        lines += [f"\t{path}" for path in changed]
        lines += ["Please commit your changes or stash them before you switch branches."]
    if untracked:
        lines += ["error: The following untracked working tree files would be overwritten by checkout:"]
        lines += [f"\t{path}" for path in untracked]
        lines += ["Please move or remove them before you switch branches."]
    if removed:
        lines += ["error: The following untracked working tree files would be removed by checkout:"]
        lines += [f"\t{path}" for path in removed]
        lines += ["Please move or remove them before you switch branches."]
    return "\n".join([*lines, "Aborting"])


def check_path(path: str) -> None:
    """Raise GitError for a path that git never writes: one with "..", or within a directory ".git"."""
    for part in path.split("/"):
        plain = part.partition(":")[0].casefold().rstrip(". ")
        if part in ("", ".", "..") or plain in _RESERVED or "\0" in part:
            raise GitError(f"invalid path '{path}'", prefix="error")


def remove_tracked(access: Access, work: WorkTree, path: str) -> None:
    """Remove a file, and the directories that are empty without it."""
    check_path(path)
    full = work.path(path)
    if access.is_dir(full) or not _has_plain_parents(access, work, path):
        return
    remove_file(access, full)
    parent = full.rpartition("/")[0]
    while parent != work.root and not access.listdir(parent):
        try:
            access.fs.rmdir(VirtualPath(parent))
        except OSError:
            return
        parent = parent.rpartition("/")[0]


def _has_plain_parents(access: Access, work: WorkTree, path: str) -> bool:
    """Return True if no directory above a path is a link, which would lead elsewhere."""
    for at, char in enumerate(path):
        found = access.stat(work.path(path[:at])) if char == "/" else None
        if char == "/" and (found is None or found.mode & 0o170000 != 0o040000):
            return False
    return True


class Checkout:
    """Writes and removes files, with their entries of an index that is being changed.

    Attributes:
        written: The number of files.
        writes_skipped: Files that a sparse checkout leaves out are written, too.
    """

    def __init__(self, repository: Repository, change: IndexChange) -> None:
        self.repository = repository
        self.access = repository.access
        self.change = change
        self.work = WorkTree(repository)
        self.written = 0
        self.writes_skipped = False

    def is_clean(self, entry: IndexEntry) -> bool:
        """Return True if the file is that of its entry, or does not exist."""
        side = self.work.side(entry)
        return side is None or (side.mode, side.oid) == (entry.mode, entry.oid)

    def put(self, path: str, mode: int, oid: str) -> None:
        """Make a file and its entry those of an object; leave a file that already is."""
        known = self.change.get(path)
        entry = known[0] if len(known) == 1 and not known[0].stage else None
        is_same = entry is not None and (entry.mode, entry.oid) == (mode, oid)
        skips = entry is not None and entry.skipped and not self.writes_skipped
        if skips and self.access.stat(self.work.path(path)) is None:
            if not is_same:
                self.change.put(entry_of(path, mode, oid)._replace(skipped=True))
            return
        if entry is not None and is_same and not entry.intended:
            side = self.work.side(entry._replace(assumed=False, skipped=False))
            if side is not None and (side.mode, side.oid) == (mode, oid):
                return
        self.write(path, mode, oid)
        if entry is not None and is_same and entry.intended:
            return
        found = self.access.stat(self.work.path(path))
        fresh = entry_of(path, mode, oid, found)
        self.change.put(entry._replace(stat=fresh.stat) if entry is not None and is_same else fresh)

    def remove(self, path: str) -> None:
        """Remove a file and its entry."""
        remove_tracked(self.access, self.work, path)
        self.change.remove(path)

    def write(self, path: str, mode: int, oid: str) -> None:
        """Write a file; its entry stays as it is."""
        self.written += 1
        check_path(path)
        full = self.work.path(path)
        self._make_parents(path)
        found = self.access.stat(full)
        is_directory = found is not None and found.mode & 0o170000 == 0o040000
        try:
            if mode == GITLINK:
                if not is_directory:
                    self.access.fs.mkdir(VirtualPath(full))
                return
            if is_directory:
                self.access.fs.rmdir(VirtualPath(full))
            elif found is not None:
                remove_file(self.access, full)
            data = self.repository.objects.get(oid).data
            if mode == SYMLINK:
                self.access.fs.symlink(decode(data), VirtualPath(full))
                return
            data = working_form(self.repository, path, data)
            write_new(self.access, full, data, 0o755 if mode & 0o100 else 0o644)
        except OSError as error:
            raise GitError(
                f"unable to create file {path}: {error.strerror}", prefix="error", status=1
            ) from None

    def _make_parents(self, path: str) -> None:
        """Make the directories above a path; a link or a file that stands there is replaced."""
        for at, char in enumerate(path):
            if char != "/":
                continue
            parent = self.work.path(path[:at])
            found = self.access.stat(parent)
            if found is not None and found.mode & 0o170000 != 0o040000:
                remove_file(self.access, parent)
                found = None
            if found is None:
                self.access.fs.mkdir(VirtualPath(parent))


def force_tree(checkout: Checkout, tree: str | None) -> None:
    """Make the index and the tracked files those of a tree, whatever they are."""
    sides = _files(checkout.repository, tree)
    for path in list(checkout.repository.index.by_path):
        if path not in sides:
            checkout.remove(path)
    for side in sides.values():
        checkout.put(side.path, side.mode, side.oid)


def merge_tree(checkout: Checkout, tree: str | None) -> None:
    """Make the index that of a tree, and with it the files that differ from the index in it; keep other changes.

    Raises:
        WouldOverwrite: A file that must change is not that of the index.
    """
    sides = _files(checkout.repository, tree)
    entries = checkout.repository.index.by_path
    paths = sorted(sides.keys() | entries.keys(), key=order)
    unmerged = {path for path in paths if path in entries and entries[path][0].stage}
    different = [
        path
        for path in paths
        if path in unmerged or not _same(entries[path][0] if path in entries else None, sides.get(path))
    ]
    changed = [
        path
        for path in different
        if path in entries and path not in unmerged and not checkout.is_clean(entries[path][0])
    ]
    untracked = [path for path in different if path not in entries and _is_untracked(checkout, path, entries)]
    if changed or untracked:
        raise WouldOverwrite(changed, untracked, [])
    for path in different:
        side = sides.get(path)
        if side is None:
            checkout.remove(path)
        else:
            checkout.put(path, side.mode, side.oid)


def switch_tree(checkout: Checkout, old: str | None, new: str | None) -> None:
    """Change the index and the tracked files from one tree to another; keep other changes.

    Raises:
        WouldOverwrite: A file that must change has changes of its own, or is untracked.
        GitError: The index has conflicts.
    """
    repository = checkout.repository
    before, after = _files(repository, old), _files(repository, new)
    entries = repository.index.by_path
    writes: list[Side] = []
    removes: list[str] = []
    changed: list[str] = []
    untracked: list[str] = []
    removed: list[str] = []
    for path in sorted(before.keys() | after.keys() | entries.keys(), key=order):
        repository.access.charge(1)
        first, second = before.get(path), after.get(path)
        entry = entries[path][0] if path in entries else None
        if _same(first, second) or (entry is not None and second is not None and _same(entry, second)):
            continue
        if entry is None:
            if first is not None and second is not None:
                changed.append(path)
            elif second is None and _is_untracked(checkout, path, before):
                removed.append(path)
            elif second is not None and _is_untracked(checkout, path, before):
                untracked.append(path)
            elif second is not None:
                writes.append(second)
        elif first is None or not _same(first, entry) or not checkout.is_clean(entry):
            changed.append(path)
        elif second is None:
            removes.append(path)
        else:
            writes.append(second)
    if changed or untracked or removed:
        staged = {
            path for path in changed if path not in entries or not _same(before.get(path), entries[path][0])
        }
        raise WouldOverwrite(changed, untracked, removed, staged)
    for path in removes:
        checkout.remove(path)
    for side in writes:
        checkout.put(side.path, side.mode, side.oid)


def _same(first: Side | IndexEntry | None, second: Side | IndexEntry | None) -> bool:
    if first is None or second is None:
        return first is second
    return (first.mode, first.oid) == (second.mode, second.oid)


def _is_untracked(checkout: Checkout, path: str, before: Mapping[str, object]) -> bool:
    """Return True if a file that is neither tracked nor ignored stands at a path."""
    found = checkout.access.stat(checkout.work.path(path))
    if found is None or not _has_plain_parents(checkout.access, checkout.work, path):
        return False
    if found.mode & 0o170000 == 0o040000:
        below = f"{path}/"
        checkout.access.charge(1 + (len(before) >> 3))
        return not any(each.startswith(below) for each in before)
    return not checkout.repository.ignore().is_ignored(path, False)


def _files(repository: Repository, tree: str | None) -> dict[str, Side]:
    everything = Pathspec([], repository.access.charge)
    sides: Iterable[Side] = walk_tree(repository.objects, tree, everything)
    return {side.path: side for side in sides}

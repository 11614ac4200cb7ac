"""Moves files of the working tree into the index.

Source: git 2.39, builtin/add.c and read-cache.c.
"""

from __future__ import annotations

import stat

from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.index import IndexEntry
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of, stat_data
from sandhook.utilities.git.store.objects import GITLINK, SYMLINK
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import write_object
from sandhook.utilities.git.work.checkout import check_path
from sandhook.utilities.git.work.convert import clean_filter, line_end_warning
from sandhook.utilities.git.work.tree import WorkTree
from sandhook.vfs.base import Stat

_FILES = (0o100000, 0o120000)


def _check_name(path: str) -> None:
    """Raise GitError for a path that git does not store: one in a directory ".git"."""
    try:
        check_path(path)
    except GitError as error:
        raise GitError(f"{error}\nerror: unable to add '{path}' to index", prefix="error") from None


class Staging:
    """Adds files of one working tree to an index that is being changed.

    Attributes:
        warnings: Lines for standard error, about line ends.
    """

    def __init__(self, repository: Repository, change: IndexChange) -> None:
        self.repository = repository
        self.change = change
        self.work = WorkTree(repository)
        self.access = repository.access
        self.warnings: list[str] = []
        self.warns = True

    def stage(self, path: str, *, force_read: bool = False) -> bool:
        """Put a file into the index as it is now. Return True if that changes its contents or mode.

        Args:
            force_read: The file is read and converted anew, even if it seems to be that of the index.

        Raises:
            GitError: It is no file that git can store, or a program would have to convert it.
        """
        before = self.change.get(path)
        entry = before[0] if len(before) == 1 and before[0].stage == 0 else None
        found = self.access.stat(self.work.path(path))
        if found is None:
            raise GitError(f"pathspec '{path}' did not match any files")
        if entry is None:
            _check_name(path)
        if stat.S_ISDIR(found.mode):
            return self._stage_repository(path, entry, found)
        if found.mode & 0o170000 not in _FILES:
            raise GitError(
                f"{path}: can only add regular files, symbolic links or git-directories", prefix="error"
            )
        if entry is not None and not entry.intended and not force_read:
            side = self.work.side(entry)
            if side is not None and (side.mode, side.oid) == (entry.mode, entry.oid):
                self.change.put(entry._replace(stat=stat_data(found)))
                return False
        mode = self.work.mode_of(path, entry)
        return self._put(entry, entry_of(path, mode, self.store(path, mode), found))

    def _put(self, before: IndexEntry | None, entry: IndexEntry) -> bool:
        self.change.put(entry)
        return before is None or before.intended or (before.mode, before.oid) != (entry.mode, entry.oid)

    def store(self, path: str, mode: int) -> str:
        """Write the blob of a file; return its name."""
        objects = self.repository.objects
        full = self.work.path(path)
        if mode == SYMLINK:
            return write_object(objects, "blob", encode(self.access.readlink(full)))
        program = clean_filter(self.repository, path)
        if program is not None:
            raise GitError(
                f"cannot add '{path}': its filter '{program}' is a program, which git in the sandbox never starts (L-GIT-002)"
            )
        try:
            data = self.access.read(full)
        except OSError as error:
            raise GitError(f'open("{path}"): {error.strerror}', prefix="error") from None
        if self.warns and (warning := line_end_warning(self.repository, path, data)) is not None:
            self.warnings.append(warning)
        return write_object(objects, "blob", self.work.stored(path, data))

    def _stage_repository(self, path: str, entry: IndexEntry | None, found: Stat) -> bool:
        inner = self.work.submodule(path)
        head = inner.refs.resolve("HEAD") if inner is not None else None
        if head is None:
            if entry is not None and entry.mode == GITLINK:
                return False
            raise GitError(f"'{path}/' does not have a commit checked out", prefix="error")
        return self._put(entry, entry_of(path, GITLINK, head, found))

    def refresh(self, path: str) -> bool:
        """Read the stat data of a file anew; return True for a file that is not that of the index."""
        entries = self.change.get(path)
        entry = entries[0]
        if entry.stage or entry.skipped or entry.assumed:
            return bool(entry.stage)
        if entry.mode == GITLINK:
            inner = self.work.side(entry)
            return inner is not None and inner.oid != entry.oid
        found = self.access.stat(self.work.path(path))
        side = self.work.side(entry)
        if found is None or side is None or (side.mode, side.oid) != (entry.mode, entry.oid):
            return True
        self.change.put(entry._replace(stat=stat_data(found)))
        return False

    def update_tracked(self, pathspec: Pathspec, *, removes: bool = True) -> list[str]:
        """Stage the files of the index that were changed or removed; return a line about each ("add 'x'").

        Args:
            removes: Files that were removed leave the index.
        """
        lines = []
        for path in list(self.repository.index.by_path):
            if not pathspec.matches(path):
                continue
            self.access.charge(1)
            entry = self.change.get(path)[0]
            if entry.skipped or entry.assumed:
                continue
            found = self.access.stat(self.work.path(path))
            is_gone = found is None or (stat.S_ISDIR(found.mode) and entry.mode != GITLINK)
            if is_gone and not (entry.mode == GITLINK and found is not None):
                if not removes:
                    continue
                self.change.remove(path)
                lines.append(f"remove '{path}'")
            elif self.stage(path):
                lines.append(f"add '{path}'")
        return lines

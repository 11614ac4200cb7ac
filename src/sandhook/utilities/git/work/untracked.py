"""Finds files of the working tree that are not in the index.

Source: git's dir.c.
"""

from __future__ import annotations

from typing import Literal

from sandhook.record import Record
from sandhook.utilities.git.names.ignore import Ignore
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Repository

Mode = Literal["no", "normal", "all"]
_DIRECTORY = 0o040000


class Untracked(Record):
    """Paths that are not in the index; those of directories end in a slash."""

    untracked: list[str]
    ignored: list[str]


class Search:
    """A search of the working tree, from its top on.

    Args:
        flags: Whether ignored directories and empty ones are found, and whether only what rules match is.
    """

    def __init__(
        self,
        repository: Repository,
        pathspec: Pathspec,
        mode: Mode,
        rules: Ignore,
        flags: tuple[bool, bool, bool],
    ) -> None:
        self.access = repository.access
        self.root = repository.root.rstrip("/")
        self.git_dir = repository.git_dir
        self.pathspec = pathspec
        self.mode = mode
        self.rules = rules
        self.collect_ignored, self.empty, self.matching = flags
        self.nested = False  #: what an ignored directory without rules of its own has is found, too
        self.hides_parts = False  #: ignored files next to untracked ones are not found
        self.tracked = set(repository.index.by_path)
        self.submodules = {entry.path for entry in repository.index if entry.mode == GITLINK}
        self.directories: set[str] = set()
        for path in self.tracked:
            parent = path.rpartition("/")[0]
            while parent and parent not in self.directories:
                self.directories.add(parent)
                parent = parent.rpartition("/")[0]

    def run(self, directory: str) -> Untracked:
        """Return what is untracked below a directory, "" or "dir/"."""
        found = Untracked([], [])
        for entry in self.access.listdir(f"{self.root}/{directory}"):
            path = directory + entry.name
            if entry.name == ".git":
                continue
            self.access.charge(2)
            if entry.mode & 0o170000 == _DIRECTORY:
                if path not in self.submodules and self.pathspec.may_match_below(path):
                    self.enter(path, found)
            elif path not in self.tracked and self.pathspec.matches(path):
                ignored = self.rules.is_ignored(path, False)
                (found.ignored if ignored else found.untracked).append(path)
        return found

    def enter(self, path: str, found: Untracked) -> None:
        if path in self.directories:
            inner = self.run(path + "/")
            found.untracked.extend(inner.untracked)
            found.ignored.extend(inner.ignored)
            return
        if self.rules.is_ignored(path, True):
            if self.collect_ignored and self._is_filled(path):
                if self.mode == "all" and not self.matching:
                    found.ignored.extend(self._all_files(path + "/"))
                else:
                    found.ignored.append(path + "/")
            return
        if self.is_repository(path):
            if self.pathspec.matches(path + "/") or self.pathspec.matches(path):
                found.untracked.append(path + "/")
            return
        inner = self.run(path + "/")
        selects_all = not self.pathspec or self.pathspec.matches(path)
        if self.mode == "all" or not selects_all:
            found.untracked.extend(inner.untracked)
            found.ignored.extend(inner.ignored)
        elif inner.untracked:
            found.untracked.append(path + "/")
            if self.nested or not self.hides_parts:
                found.ignored.extend(inner.ignored)
        elif inner.ignored and self.empty and not self.collect_ignored:
            found.untracked.append(path + "/")
        elif inner.ignored and self.matching:
            found.ignored.extend(inner.ignored)
        elif inner.ignored:
            found.ignored.append(path + "/")
            if self.nested:
                found.ignored.extend(inner.ignored)
        elif self.empty:
            found.untracked.append(path + "/")

    def _all_files(self, directory: str) -> list[str]:
        files = []
        for entry in self.access.listdir(f"{self.root}/{directory}"):
            path = directory + entry.name
            if entry.mode & 0o170000 == _DIRECTORY:
                files += self._all_files(path + "/")
            elif self.pathspec.matches(path):
                files.append(path)
        return files

    def _is_filled(self, path: str) -> bool:
        """Return True if a directory has a file, at any depth."""
        return any(
            entry.mode & 0o170000 != _DIRECTORY or self._is_filled(f"{path}/{entry.name}")
            for entry in self.access.listdir(f"{self.root}/{path}")
        )

    def is_repository(self, path: str) -> bool:
        return self.access.stat(f"{self.root}/{path}/.git/HEAD") is not None or (
            self.access.is_file(f"{self.root}/{path}/.git")
        )


def find_untracked(
    repository: Repository,
    pathspec: Pathspec,
    mode: Mode,
    *,
    rules: Ignore | None = None,
    collect_ignored: bool = False,
    empty: bool = False,
    matching: bool = False,
    nested: bool | None = None,
) -> Untracked:
    """Return the untracked paths, in order.

    Args:
        mode: "all" lists every file, "normal" a directory without tracked files as one path.
        rules: Which paths are ignored, None for all rules of the repository.
        collect_ignored: Ignored directories are listed, too.
        empty: Empty directories are listed, too.
        matching: Paths that rules match are listed: an ignored directory is one path in every mode, and no other is.
        nested: If True, what is in a directory is listed after it, if nothing in it is untracked and no rule names it.
            If False, ignored files next to untracked ones are not listed.
    """
    if mode == "no":
        return Untracked([], [])
    search = Search(
        repository, pathspec, mode, rules or repository.ignore(), (collect_ignored, empty, matching)
    )
    search.nested, search.hides_parts = nested is True, nested is False
    found = search.run("")
    from sandhook.utilities.git.store.index import order

    return Untracked(sorted(found.untracked, key=order), sorted(found.ignored, key=order))

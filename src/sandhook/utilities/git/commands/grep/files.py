"""The files that git grep searches: of the index, of the working tree, of trees, or of a directory.

Source: git-grep(1), "--cached", "--untracked" and "--no-index"; git 2.39, builtin/grep.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.record import Record
from sandhook.utilities.git.diff.patch import is_binary
from sandhook.utilities.git.diff.trees import walk_tree
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.ignore import Ignore
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.names.quote import quote, relative
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Repository

_FILE = 0o100000
_DIRECTORY = 0o040000


class File(Record):
    """A file to search: its path and its shown name, its data, and whether git takes it for binary."""

    path: str
    shown: str
    data: bytes
    binary: bool


class Wanted(Record):
    """Which files are searched.

    Fields:
        cached: Those of the index, in place of the working tree. untracked: Those that are not in the index, too.
        standard: Without ignored files; None for what is usual.
        no_index: All files of the directory.
        depth: How deep below the operands they may be, -1 for all.
        full_name, nul: How names are shown.
        text: No file is binary. Else a file that cannot be examined is reported twice: git looks for a NUL first.
    """

    cached: bool
    untracked: bool
    standard: bool | None
    no_index: bool
    depth: int
    full_name: bool
    nul: bool
    text: bool


class Files:
    """Finds files."""

    def __init__(self, call: Invocation, repository: Repository, wanted: Wanted) -> None:
        self.call = call
        self.repository = repository
        self.wanted = wanted

    def of(self, trees: Sequence[str], paths: Sequence[str]) -> Iterator[File]:
        """Yield the files to search, of trees if there are any."""
        repository = self.repository
        pathspec = repository.pathspec(paths or (["."] if repository.prefix else []))
        if trees:
            yield from self._of_trees(trees, pathspec)
        elif self.wanted.no_index or self.wanted.untracked:
            yield from self._of_directory(pathspec)
        else:
            yield from self._of_index(pathspec)

    def _is_near(self, pathspec: Pathspec, path: str) -> bool:
        """Return True if --max-depth allows a path."""
        if self.wanted.depth < 0:
            return True
        bases = [item.pattern.rstrip("/") for item in pathspec.items if "exclude" not in item.magic] or [""]
        for item in pathspec.items:
            if "exclude" not in item.magic and any(c in item.pattern for c in "*?["):
                return True
        for base in bases:
            if not base or path.startswith(f"{base}/") or path == base:
                rest = path[len(base) :].lstrip("/")
                if rest.count("/") <= self.wanted.depth:
                    return True
        return False

    def _of_trees(self, trees: Sequence[str], pathspec: Pathspec) -> Iterator[File]:
        repository, names = self.repository, Names(self.repository)
        for tree in trees:
            top = repository.objects.tree_of(names.resolve(tree))
            for side in walk_tree(repository.objects, top, pathspec):
                if side.mode & 0o170000 == _FILE and self._is_near(pathspec, side.path):
                    data = repository.objects.get(side.oid).data
                    yield self._file(side.path, data, f"{tree}:")

    def _of_directory(self, pathspec: Pathspec) -> Iterator[File]:
        """Yield all files of the working tree: with --untracked, those of the index may be ignored, too."""
        repository, standard = self.repository, self.wanted.standard
        root = repository.root
        if standard is None:
            standard = self.wanted.untracked
        rules = repository.ignore() if standard else None
        for path in sorted(self._below(root, "", pathspec, rules, 0), key=encode):
            if pathspec.matches(path) and self._is_near(pathspec, path):
                yield self._file(path, self.call.access.read(f"{root.rstrip('/')}/{path}"))

    def _below(
        self, root: str, directory: str, pathspec: Pathspec, rules: Ignore | None, depth: int
    ) -> Iterator[str]:
        if depth > 1000:
            self.call.ctx.budget.fail("nesting")
        for entry in self.call.access.listdir(f"{root.rstrip('/')}/{directory}"):
            self.call.access.charge(2)
            path, is_directory = directory + entry.name, entry.mode & 0o170000 == _DIRECTORY
            if entry.name == ".git" or (rules is not None and rules.is_ignored(path, is_directory)):
                continue
            inner = f"{root.rstrip('/')}/{path}/.git"
            if is_directory and self.wanted.untracked and self.call.access.stat(inner) is not None:
                continue
            if is_directory and pathspec.may_match_below(path):
                yield from self._below(root, f"{path}/", pathspec, rules, depth + 1)
            elif entry.mode & 0o170000 == _FILE:
                yield path

    def _of_index(self, pathspec: Pathspec) -> Iterator[File]:
        repository, wanted = self.repository, self.wanted
        if not wanted.cached and not repository.root:
            return
        done: set[str] = set()
        for entry in repository.index:
            path = entry.path
            if path in done or entry.mode & 0o170000 != _FILE or not pathspec.matches(path):
                continue
            if not self._is_near(pathspec, path):
                continue
            done.add(path)
            if wanted.cached or entry.assumed:
                if not entry.stage and not entry.intended:
                    yield self._file(path, repository.objects.get(entry.oid).data)
                continue
            if entry.skipped:
                continue
            if (data := self._read(path)) is not None:
                yield self._file(path, data)

    def _read(self, path: str) -> bytes | None:
        """Return the contents of a file of the working tree, None without them."""
        full, access = f"{self.repository.root}/{path}", self.call.access
        found = access.stat(full)
        if found is not None:
            return access.read(full) if found.mode & 0o170000 == _FILE else None
        above = path
        while above := above.rpartition("/")[0]:
            there = access.stat(f"{self.repository.root}/{above}", follow=True)
            if there is not None:
                if there.mode & 0o170000 != _DIRECTORY:
                    for _ in range(1 if self.wanted.text else 2):
                        self.call.error(f"error: failed to stat '{self._shown(path)}': Not a directory")
                break
        return None

    def _file(self, path: str, data: bytes, source: str = "") -> File:
        """Return a file with its data; the attribute "diff" decides whether it is binary, else a NUL does."""
        binary = False
        if not self.wanted.text:
            attribute = self.repository.attributes.of(path).get("diff")
            binary = attribute is False or (attribute is not True and is_binary(data))
        return File(path, source + self._shown(path), data, binary)

    def _shown(self, path: str) -> str:
        shown = path if self.wanted.full_name else relative(path, self.repository.prefix)
        return shown if self.wanted.nul else quote(shown, self.repository.quotes_wide)


def check_recursion(call: Invocation, repository: Repository, *, untracked: bool) -> None:
    """Raise GitError where --recurse-submodules would search a submodule."""
    if untracked:
        raise GitError("--untracked not supported with --recurse-submodules")
    for entry in repository.index:
        if entry.mode == GITLINK and call.access.stat(f"{repository.root}/{entry.path}/.git") is not None:
            raise GitError(
                "grep --recurse-submodules with submodules that are checked out is not offered in the sandbox (L-GIT-003)",
                status=129,
            )

"""git mv: rename tracked files, in the index and in the working tree.

Source: git-mv(1); git 2.39, builtin/mv.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.pathspec import from_top
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.index_writing import IndexChange
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.writing import remove_file
from sandhook.utilities.git.work.checkout import check_path
from sandhook.utilities.git.work.tree import WorkTree
from sandhook.vfs.path import VirtualPath


@option_set
class Options:
    """Options of git mv."""

    force: bool = also(opt("-f"), opt("--force"))
    skip: bool = opt("-k")
    dry_run: bool = also(opt("-n"), opt("--dry-run"))
    verbose: bool = also(opt("-v"), opt("--verbose"))
    sparse: bool = opt("--sparse")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(Options).parse(arguments)
    options, repository = parsed.of(Options), call.repository
    operands = [*parsed.operands, *(parsed.paths or ())]
    if len(operands) < 2:
        raise GitError("usage: git mv [<options>] <source>... <destination>", prefix="", status=129)
    paths = [from_top(word, repository.prefix, repository.root, word).rstrip("/") for word in operands]
    move = _Move(call, options)
    *sources, target = paths
    into = move.is_directory(target)
    if not into and (len(sources) > 1 or operands[-1].endswith("/")):
        if len(sources) > 1:
            raise GitError(f"destination '{operands[-1]}' is not a directory")
        if not move.is_directory(sources[0]):
            raise GitError(
                f"destination directory does not exist, source={sources[0]}, destination={target}/"
            )
    prefix = f"{target}/" if target else ""
    for source in sources:
        move.one(source, prefix + source.rpartition("/")[2] if into else target)
    return move.finish()


class _Move:
    """The renames of one call. Nothing is changed before all of them were checked."""

    def __init__(self, call: Invocation, options: Options) -> None:
        self.call = call
        self.options = options
        self.index = call.repository.index.by_path
        self.work = WorkTree(call.repository)
        self.pairs: list[tuple[str, str]] = []
        self.targets: set[str] = set()

    def is_directory(self, path: str) -> bool:
        """Return True for a directory of the working tree, and no link to one."""
        found = self.call.access.stat(self.work.path(path).rstrip("/"))
        return found is not None and found.mode & 0o170000 == 0o040000

    def one(self, source: str, target: str) -> None:
        """Check one rename. Raises GitError, unless -k leaves it out."""
        if self.options.dry_run:
            for old, new in self._files(source, target):
                self.call.ctx.write_line(f"Checking rename of '{old}' to '{new}'")
        problem = self._problem(source, target)
        if problem is None and target in self.targets:
            problem = "multiple sources for the same target"
        if problem is None:
            self.pairs.append((source, target))
            self.targets.add(target)
        elif not self.options.skip:
            raise GitError(f"{problem}, source={source}, destination={target}")

    def _problem(self, source: str, target: str) -> str | None:
        check_path(target)
        access = self.call.access
        access.charge(1 + (len(self.index) >> 3))
        below = [path for path in self.index if path.startswith(f"{source}/")]
        if access.stat(self.work.path(source)) is None:
            return "bad source"
        if source == target or target.startswith(f"{source}/"):
            return "can not move directory into itself" if below else "destination exists"
        if self.is_directory(source) and source not in self.index:
            if not below:
                return "source directory is empty"
            return "destination already exists" if access.stat(self.work.path(target)) is not None else None
        if source not in self.index:
            return "not under version control"
        if self.index[source][0].stage:
            return "conflicted"
        if self.index[source][0].mode == GITLINK:
            raise GitError("mv of a submodule is not offered in the sandbox (L-GIT-003)", status=129)
        if access.stat(self.work.path(target)) is not None and (
            not self.options.force or self.is_directory(target)
        ):
            return "destination exists"
        parent = target.rpartition("/")[0]
        if parent and not self.is_directory(parent):
            raise GitError(f"renaming '{source}' failed: No such file or directory")
        return None

    def finish(self) -> int:
        """Rename all files; return 0."""
        change = IndexChange(self.call.repository)
        for source, target in self.pairs:
            if self.options.verbose or self.options.dry_run:
                for old, new in self._files(source, target):
                    self.call.ctx.write_line(f"Renaming {old} to {new}")
            if not self.options.dry_run:
                self._rename(change, source, target)
        if change.changed:
            change.write()
        return 0

    def _files(self, source: str, target: str) -> Iterator[tuple[str, str]]:
        """Yield a rename, and after that of a directory those of the files in it."""
        yield source, target
        if source not in self.index:
            below = f"{source}/"
            self.call.access.charge(1 + (len(self.index) >> 3))
            for path in self.index:
                if path.startswith(below):
                    yield path, f"{target}{path[len(source) :]}"

    def _rename(self, change: IndexChange, source: str, target: str) -> None:
        access = self.call.access
        access.charge(1 + (len(self.index) >> 3))
        if access.stat(self.work.path(target)) is not None:
            remove_file(access, self.work.path(target))
        try:
            access.fs.rename(VirtualPath(self.work.path(source)), VirtualPath(self.work.path(target)))
        except OSError as error:
            raise GitError(f"renaming '{source}' failed: {error.strerror}") from None
        for path in list(self.index):
            if path == source or path.startswith(f"{source}/"):
                entry = self.index[path][0]
                change.remove(path)
                change.put(entry._replace(path=target + path[len(source) :]), fresh=False)

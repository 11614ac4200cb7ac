"""git read-tree and checkout-index: fill the index from a tree, and write files of the index.

Source: git-read-tree(1), git-checkout-index(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.diff.trees import walk_tree
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import Pathspec, from_top
from sandhook.utilities.git.names.quote import unquote
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import decode
from sandhook.utilities.git.store.index import IndexEntry
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of, stat_data
from sandhook.utilities.git.store.objects import GITLINK, SYMLINK
from sandhook.utilities.git.store.writing import remove_file, write_new
from sandhook.utilities.git.work.checkout import check_path
from sandhook.utilities.git.work.convert import working_form
from sandhook.utilities.git.work.submodules import check_recursion
from sandhook.vfs.path import VirtualPath, join


@option_set
class ReadOptions:
    """Options of git read-tree."""

    empty: bool = opt("--empty")
    quiet: bool = also(opt("-q"), opt("--quiet"))
    verbose: bool = opt("-v", ignored="there is no progress to show")
    index_only: bool = opt("-i", ignored="only with -m")
    merge: str | None = also(
        opt("-m", const="-m", default=None), opt("--reset", const="--reset"), opt("-u", const="-u"),
        opt("-n", const="-n"), opt("--dry-run", const="-n"), opt("--aggressive", const="--aggressive"),
        opt("--trivial", const="--trivial"), opt("--no-sparse-checkout", const="--no-sparse-checkout"),
    )  # fmt: skip
    prefix: str | None = opt("--prefix", "DIR", "")
    submodules: bool = opt("--recurse-submodules")
    output: str | None = opt("--index-output", "FILE", "")


def run_read(call: Invocation, arguments: Sequence[str]) -> int:
    """Make the index that of a tree, or an empty one; return 0."""
    parsed = Parser(ReadOptions).parse(arguments)
    options, operands = parsed.of(ReadOptions), [*parsed.operands, *(parsed.paths or ())]
    name = options.merge or ("--prefix" if options.prefix is not None else "")
    name = name or ("--index-output" if options.output is not None else "")
    if name:
        raise GitError(f"read-tree {name} is not offered in the sandbox (L-GIT-003)", status=129)
    check_recursion(call, options.submodules)
    if options.empty and operands:
        raise GitError("passing trees as arguments contradicts --empty")
    repository, names = call.repository, Names(call.repository)
    if not operands and not options.empty:
        call.error("warning: read-tree: emptying the index with no arguments is deprecated; use --empty")
    files: dict[str, tuple[int, str]] = {}
    for word in operands:
        oid = names.find(word)
        if oid is None:
            raise GitError(f"Not a valid object name {word}")
        tree = repository.objects.peel(oid, "tree")
        if tree is None:
            raise GitError(f"failed to unpack tree object {word}")
        everything = Pathspec([], call.access.charge)
        files.update(
            {side.path: (side.mode, side.oid) for side in walk_tree(repository.objects, tree, everything)}
        )
    change = IndexChange(repository)
    for path in list(repository.index.by_path):
        if path not in files:
            change.remove(path)
    for path, (mode, oid) in files.items():
        change.remove(path)  # git forgets what it knew of the file, too
        change.put(entry_of(path, mode, oid))
    change.write()
    return 0


@option_set
class WriteOptions:
    """Options of git checkout-index."""

    all_: bool = also(opt("-a"), opt("--all"))
    force: bool = also(opt("-f"), opt("--force"))
    quiet: bool = also(opt("-q"), opt("--quiet"))
    no_create: bool = also(opt("-n"), opt("--no-create"))
    update: bool = also(opt("-u"), opt("--index"))
    nul: bool = opt("-z")
    stdin: bool = opt("--stdin")
    prefix: str = opt("--prefix", "DIR", "", default="")
    temporary: bool = opt("--temp")
    stage: str | None = opt("--stage", "N", "")


def run_write(call: Invocation, arguments: Sequence[str]) -> int:
    """Write files of the index; return 1 for a file that could not be written."""
    parsed = Parser(WriteOptions).parse(arguments)
    options, operands = parsed.of(WriteOptions), [*parsed.operands, *(parsed.paths or ())]
    if options.temporary or options.stage not in (None, "0"):
        raise GitError(
            "checkout-index --temp and --stage are not offered in the sandbox (L-GIT-003)", status=129
        )
    if options.all_ and operands:
        raise GitError("git checkout-index: don't mix '--all' and explicit filenames")
    if options.stdin and operands:
        raise GitError("git checkout-index: don't mix '--stdin' and explicit filenames")
    if options.stdin and options.all_:
        raise GitError("git checkout-index: don't mix '--all' and '--stdin'")
    repository, writer = call.repository, _FileWriter(call, options)
    repository.root  # noqa: B018  # raises without a working tree
    if options.stdin:
        with call.ctx.stdin_reader() as reader:
            text = decode(reader.read_all())
        lines = filter(None, text.split("\0" if options.nul else "\n"))
        operands = [each if options.nul else unquote(each) for each in lines]
    failed = [writer.named(name) for name in operands]
    if options.all_:
        below = repository.prefix
        for entry in list(repository.index):
            if not entry.stage and not entry.skipped and entry.path.startswith(below):
                failed.append(writer.write(entry))
    writer.end()
    return int(any(failed))


class _FileWriter:
    """Writes files of the index below a prefix."""

    def __init__(self, call: Invocation, options: WriteOptions) -> None:
        self._call = call
        self._options = options
        self._change = IndexChange(call.repository)

    def named(self, name: str) -> bool:
        """Write the file of an operand. Return True if that failed."""
        repository = self._call.repository
        path = from_top(name, repository.prefix, repository.root, name)
        entries = repository.index.by_path.get(path, [])
        if entries and not entries[0].stage:
            return self.write(entries[0])
        if not self._options.quiet:
            why = "is unmerged" if entries else "is not in the cache"
            self._call.error(f"git checkout-index: {name} {why}")
        return True

    def write(self, entry: IndexEntry) -> bool:
        """Write the file of an entry. Return True if it exists already."""
        options, access = self._options, self._call.access
        shown = options.prefix + entry.path
        path = str(join(VirtualPath(self._call.repository.root), shown))
        found = access.stat(path)
        if found is None and options.no_create:
            return False
        if found is not None and not options.prefix and self._is_clean(entry):
            return False
        if found is not None and not options.force:
            if not options.quiet:
                self._call.error(f"{shown} already exists, no checkout")
            return True
        check_path(entry.path)
        self._replace(path, entry)
        if options.update and not options.prefix and (after := access.stat(path)) is not None:
            self._change.put(entry._replace(stat=stat_data(after)))
        return False

    def _is_clean(self, entry: IndexEntry) -> bool:
        from sandhook.utilities.git.work.tree import WorkTree

        side = WorkTree(self._call.repository).side(entry)
        return side is not None and (side.mode, side.oid) == (entry.mode, entry.oid)

    def _replace(self, path: str, entry: IndexEntry) -> None:
        repository, access = self._call.repository, self._call.access
        try:
            self._make_parents(path, entry)
            if entry.mode == GITLINK:
                access.fs.mkdir(VirtualPath(path))
                return
            remove_file(access, path)
            data = repository.objects.get(entry.oid).data
            if entry.mode == SYMLINK:
                access.fs.symlink(decode(data), VirtualPath(path))
            else:
                mode = 0o755 if entry.mode & 0o100 else 0o644
                write_new(access, path, working_form(repository, entry.path, data), mode)
        except OSError as error:
            raise GitError(
                f"unable to create file {path}: {error.strerror}", prefix="error", status=1
            ) from None

    def _make_parents(self, path: str, entry: IndexEntry) -> None:
        """Make the directories above a path, of which a prefix may have the names that it likes."""
        access, parts = self._call.access, path.split("/")
        own = len(parts) - entry.path.count("/")  # the first directory below the prefix
        for number in range(2, len(parts)):
            parent = "/".join(parts[:number])
            found = access.stat(parent, follow=number < own)
            if found is not None and found.mode & 0o170000 != 0o040000 and number >= own:
                remove_file(access, parent)  # a link that stands there is replaced
                found = None
            if found is None:
                access.fs.mkdir(VirtualPath(parent), 0o755)

    def end(self) -> None:
        """Write the index, if files of it were written with -u."""
        if self._change.changed:
            self._change.write()

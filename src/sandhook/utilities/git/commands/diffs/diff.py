"""git diff: compare the working tree, the index, and commits.

Source: git-diff(1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.diffs.no_index import run_no_index
from sandhook.utilities.git.diff.combined import (
    conflicting_files,
    merged_files,
    write_merge,
    write_names,
    write_patches,
)
from sandhook.utilities.git.diff.model import NULL_ID, Pair, Side
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.trees import compare_trees, compare_with_index, walk_tree
from sandhook.utilities.git.errors import GitError, OptionFault
from sandhook.utilities.git.history.bases import merge_bases
from sandhook.utilities.git.history.names import Names, excluded_parent
from sandhook.utilities.git.history.operands import split_operands
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.objects import EMPTY_TREE, object_id
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.convert import line_end_warning
from sandhook.utilities.git.work.submodules import IgnoredChanges
from sandhook.utilities.git.work.tree import WorkTree, compare_tree_with_work_tree, compare_work_tree
from sandhook.vfs.path import VirtualPath, join, normalize

_OURS = 2  #: the stage of our side of a conflict


@option_set
class Options:
    """Options of git diff alone."""

    cached: bool = also(opt("--cached"), opt("--staged"))
    merge_base: bool = opt("--merge-base")
    no_index: bool = opt("--no-index")
    follow: bool = also(opt("--follow"), opt("--no-follow", const=False))
    quiet_missing: bool = opt("-q", ignored="files that are missing are reported, as by git diff")
    base: str | None = also(
        opt("--base", const="1", default=None), opt("--ours", const="2"), opt("--theirs", const="3"), opt("-1", const="1"),
        opt("-2", const="2"), opt("-3", const="3"), opt("-0", const="0"),
    )  # fmt: skip


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for differences with --exit-code or --quiet, 2 for problems with --check."""
    parsed = Parser(DiffOptions, Options, lenient=True, abbreviates=False).parse(arguments)
    if parsed.unknown:
        raise GitError(f"invalid option: {parsed.unknown[0]}", prefix="error", status=255)
    options, mine = parsed.of(DiffOptions), parsed.of(Options)
    files = [*parsed.operands, *(parsed.paths or ())]
    if mine.no_index or call.find_repository() is None or _are_outside(call.repository, files):
        if mine.cached:
            raise OptionFault("unknown option `cached'")
        if len(files) != 2 and not mine.no_index:
            call.error(
                "warning: Not a git repository. Use --no-index to compare two paths outside a working tree"
            )
        return run_no_index(call, options, files)
    repository = call.repository
    revisions, paths = split_operands(repository, parsed.operands, parsed.paths, parsed.late)
    pathspec = repository.pathspec(paths)
    if mine.follow:
        raise GitError(
            "diff --follow is not offered in the sandbox: git log --follow is (L-GIT-003)"
            if len(paths) == 1
            else "--follow requires exactly one pathspec"
        )
    submodules = IgnoredChanges(repository, options.submodules, "untracked")
    comparison = _Comparison(call, mine, submodules, pathspec)
    comparison.combined = options.combined
    comparison.name_paths(paths)
    if options.reverse and any(":" in each for each in revisions) and paths:
        raise GitError(f"unable to read {NULL_ID}")
    ends = comparison.ends(revisions)
    if len(ends) > 2:
        return comparison.show_merge(DiffOutput(repository, options), ends)
    pairs = list(comparison.pairs(ends))
    output = DiffOutput(repository, options, all_files=lambda: comparison.files())
    output.mnemonic = comparison.mnemonic
    if not ends and not mine.cached and mine.base is None and not options.quiet:
        pairs = _without_conflicts(output, pathspec, pairs)
    shown = output.complete(pairs)
    if not options.quiet:
        below = options.relative or repository.prefix if options.relative is not None else ""
        reads_new = (
            bool(output.forms() - {"raw", "name_only", "name_status", "summary"}) or not output.has_form()
        )
        _warn_of_line_ends(call, [pair for pair in pairs if pair.path.startswith(below)], reads_new=reads_new)
    problems = False
    if not options.quiet:
        problems = output.write(shown)
    changed = (options.exit_code or options.quiet) and output.changed(shown)
    return (2 if problems else 0) | (1 if changed else 0)


def _are_outside(repository: Repository, files: Sequence[str]) -> bool:
    """Return True for two operands of which one is outside of the working tree: no revision has such a name."""
    root = repository.place.root
    if len(files) != 2 or root is None:
        return False
    base = f"{root.rstrip('/')}/"
    paths = (normalize(join(VirtualPath(repository.options.cwd), each)) for each in files)
    return not all(f"{path}/".startswith(base) for path in paths)


def _without_conflicts(output: DiffOutput, pathspec: Pathspec, pairs: list[Pair]) -> list[Pair]:
    """Print the combined differences of files with conflicts, if they are wanted; return the other pairs."""
    options = output.options
    form = options.combined or ("dense" if output.wants_patch() else "off")
    if form not in ("dense", "combined"):
        return pairs
    files = conflicting_files(output, pathspec)
    if options.name_only or options.name_status or options.raw:
        write_names(output, files)
    elif output.wants_patch():
        write_patches(output, files, dense=form == "dense")
    paths = {file.path for file in files}
    return [pair for pair in pairs if pair.path not in paths]


def _warn_of_line_ends(call: Invocation, pairs: list[Pair], *, reads_new: bool) -> None:
    """Warn about changed files that get other line ends when git writes them again, as git does when it reads them.

    Args:
        reads_new: The contents of new files are read, too.
    """
    work: WorkTree | None = None
    for pair in pairs:
        if not (pair.new.in_work_tree and pair.new.mode & 0o170000 == 0o100000 and pair.new.oid == NULL_ID):
            continue
        work = work or WorkTree(call.repository)
        if not (pair.old.exists or reads_new):  # a file that is intended to be added
            continue
        data = call.access.read_or_none(work.path(pair.path))
        warning = line_end_warning(call.repository, pair.path, data or b"", only_warns=True)
        if warning is not None:
            call.error(warning)


class _Comparison:
    """Chooses what is compared."""

    def __init__(
        self, call: Invocation, options: Options, submodules: IgnoredChanges, pathspec: Pathspec
    ) -> None:
        self.call = call
        self.repository = call.repository
        self.options = options
        self.submodules = submodules
        self.pathspec = pathspec
        self.combined: str | None = None
        self._paths: Sequence[str] = ()
        self.files: Callable[[], Iterable[Side]] = tuple
        self.mnemonic = ("a/", "b/")  #: the prefixes of files under diff.mnemonicPrefix
        self._names = Names(self.repository)

    def name_paths(self, paths: Sequence[str]) -> None:
        """Note the operands after the revisions, of which one file may be compared with an object."""
        self._paths = paths

    def show_merge(self, output: DiffOutput, ends: list[str]) -> int:
        """Print the differences between the first of several revisions and all others; return 0."""
        tree, *parents = (self.repository.objects.tree_of(self._names.resolve(end)) for end in ends)
        files = merged_files(output, parents, tree, self.pathspec)
        first: list[Pair] = []
        if output.wants_stat():
            first = output.complete(compare_trees(self.repository.objects, parents[0], tree, self.pathspec))
        dense = output.options.combined != "combined"
        write_merge(output, files, first, dense=dense, patch=True)
        return 0  # git counts no difference here, even with --exit-code

    def pairs(self, ends: list[str]) -> Iterable[Pair]:
        """Return the differences between two revisions, or of one or none and the working tree or the index."""
        objects = self.repository.objects
        if self.options.merge_base:
            ends = self._from_base(ends)
        trees = [self._tree(end) for end in ends]
        if None in trees and (self._paths or self.options.cached or trees != [None, None]):
            if len(trees) == 1 and len(self._paths) == 1 and not self.options.cached:
                return self._blob_and_file(ends[0], self._paths[0])
            raise GitError("usage: git diff [<options>] <blob> <blob>", prefix="", status=129)
        if len(trees) == 2 and (trees[0] is None or trees[1] is None):
            return self._blobs(ends)
        if len(trees) == 2 and self.options.cached:
            raise GitError("usage: git diff [<options>] [<commit>] [--] [<path>...]", prefix="", status=129)
        if len(trees) == 2:
            self.files = lambda: walk_tree(objects, trees[0], self.pathspec)
            return compare_trees(objects, trees[0], trees[1], self.pathspec)
        if self.options.cached:
            tree = trees[0] if trees else self._head()
            self.mnemonic = ("c/", "i/")
            self.files = lambda: walk_tree(objects, tree, self.pathspec)
            return compare_with_index(objects, tree, self.repository.index, self.pathspec)
        work = WorkTree(self.repository)
        self.mnemonic = ("c/" if trees else "i/", "w/")
        if trees:
            if self.combined in ("combined", "dense"):
                raise GitError(
                    "diff --cc and -c of a commit and the working tree are not offered in the sandbox (L-GIT-003)",
                    status=129,
                )
            return compare_tree_with_work_tree(
                work, trees[0], self.pathspec, ignore_submodules=self.submodules
            )
        stage = int(self.options.base) if self.options.base is not None else _OURS
        return compare_work_tree(work, self.pathspec, ignore_submodules=self.submodules, stage=stage)

    def _head(self) -> str | None:
        head = self.repository.refs.resolve("HEAD")
        return None if head is None else self.repository.objects.tree_of(head)

    def _tree(self, name: str) -> str | None:
        return self.repository.objects.peel(self._names.resolve(name), "tree")

    def ends(self, revisions: list[str]) -> list[str]:
        """Return the revisions to compare; "A..B" and "A...B" name two, "M^!" a merge and its parents."""
        if len(revisions) == 1 and "..." in revisions[0]:
            left, _, right = revisions[0].partition("...")
            first, second = self._names.commit(left or "HEAD"), self._names.commit(right or "HEAD")
            bases = merge_bases(self.repository, first, [second])
            if not bases:
                raise GitError(f"{revisions[0]}: no merge base")
            if len(bases) > 1:
                self.call.error(f"warning: {revisions[0]}: multiple merge bases, using {bases[0]}")
            return [bases[0], second]
        if len(revisions) == 1 and ".." in revisions[0] and self._names.find(revisions[0]) is None:
            left, _, right = revisions[0].partition("..")
            return [left or "HEAD", right or "HEAD"]
        result = []
        for each in revisions:
            if (excluded := excluded_parent(each)) is not None:
                result += [f"{excluded[0]}^{excluded[1]}", excluded[0]]
                continue
            if each.endswith("^!"):
                parents = self.repository.objects.commit(self._names.commit(each[:-2])).parents
                if len(parents) > 1:
                    result += [each[:-2], *parents]
                    continue
                result += [parents[0] if parents else EMPTY_TREE, each[:-2]]
            else:
                result.append(each)
        if len(result) == 2 and result[1].startswith("^"):
            result = [result[1], result[0]]
        return [each.removeprefix("^") for each in result]

    def _from_base(self, ends: list[str]) -> list[str]:
        if not ends:
            ends = ["HEAD"] if self.options.cached else ends
        if not ends:
            raise GitError("--merge-base only works with one or two commits")
        other = ends[1] if len(ends) == 2 else "HEAD"
        bases = merge_bases(self.repository, self._names.commit(ends[0]), [self._names.commit(other)])
        if not bases:
            raise GitError("no merge base found")
        if len(bases) > 1:
            raise GitError("multiple merge bases found")
        return [bases[0], *ends[1:]]

    def _blob_and_file(self, end: str, name: str) -> list[Pair]:
        """Return the difference of a file that is named as an object ("HEAD:file") and one of the working tree."""
        path, work = self.repository.prefix + name, WorkTree(self.repository)
        mode = work.mode_of(path, None)
        if not mode:
            raise GitError(f"failed to stat '{path}': No such file or directory")
        self.mnemonic = ("o/", "w/")
        old = self._blob(end)
        if self._names.split_path(end) is None:
            old = old._replace(path=path, mode=mode)
        if old.mode == mode and object_id("blob", work.read(path, mode)) == old.oid:
            return []
        return [Pair(old, Side(path, mode, NULL_ID, True), "M")]

    def _blobs(self, ends: list[str]) -> list[Pair]:
        """Return the difference of two files that are named as objects ("HEAD:file")."""
        old, new = (self._blob(end) for end in ends)
        return [] if old.oid == new.oid else [Pair(old, new, "M")]

    def _blob(self, end: str) -> Side:
        """Return the file that an object is named by."""
        oid = self._names.resolve(end)
        found = self._names.split_path(end)
        path = found[1] if found is not None else oid
        mode = 0o100644
        if found is not None and not found[0].startswith(":"):
            item = self._names.tree_item(self.repository.objects.tree_of(self._names.resolve(found[0])), path)
            mode = item[0] if item is not None else mode
        return Side(path, mode, oid)

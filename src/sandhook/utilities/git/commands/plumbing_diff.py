"""git diff-index, diff-tree and diff-files: differences for scripts.

Source: git-diff-index(1), git-diff-tree(1), git-diff-files(1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.diff.combined import (
    conflicting_files,
    merged_files,
    write_merge,
    write_names,
    write_patches,
)
from sandhook.utilities.git.diff.model import Pair, Side, pair_of
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.trees import compare_trees, compare_with_index, top_level_changes
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.operands import split_operands
from sandhook.utilities.git.history.pretty import Format, Printer, parse_format
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.objects import TREE
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.tree import WorkTree, compare_tree_with_work_tree, compare_work_tree

_OURS = 2  #: the stage of our side of a conflict


@option_set
class IndexOptions:
    """Options of git diff-index and diff-files."""

    cached: bool = opt("--cached")
    quiet_missing: bool = opt("-q")
    missing: bool = opt("-m")


@option_set
class TreeOptions:
    """Options of git diff-tree."""

    recurse: bool = opt("-r")
    trees: bool = opt("-t")
    root: bool = opt("--root")
    stdin: bool = opt("--stdin")
    no_id: bool = opt("--no-commit-id")
    verbose: bool = opt("-v")
    pretty: str | None = also(
        opt("--pretty", "FORMAT", "", optional=True, const="medium"), opt("--format", "FORMAT", "")
    )


def _finish(output: DiffOutput, pairs: Iterable[Pair], options: DiffOptions, default: str = "raw") -> int:
    shown = output.complete(pairs)
    if not options.quiet:
        output.write(shown, default)
    return _status(output, found=output.changed(shown, default))


def _status(output: DiffOutput, *, found: bool) -> int:
    """Return 1 for differences with --exit-code or --quiet, and 2 more for problems that --check reported."""
    return output.check_status | int(found and (output.options.exit_code or output.options.quiet))


def run_index(call: Invocation, arguments: Sequence[str]) -> int:
    """Compare a tree with the index or the working tree; return 1 for differences with --exit-code."""
    parsed = Parser(IndexOptions, DiffOptions, abbreviates=False).parse(arguments)
    options, diff, repository = parsed.of(IndexOptions), parsed.of(DiffOptions), call.repository
    revisions, paths = split_operands(repository, parsed.operands, parsed.paths, parsed.late)
    if len(revisions) != 1 or options.quiet_missing:  # which diff-files has
        raise GitError(
            "usage: git diff-index [-m] [--cached] [--merge-base] [<common-diff-options>] <tree-ish> [<path>...]",
            prefix="",
            status=129,
        )
    tree = repository.objects.tree_of(Names(repository).resolve(revisions[0]))
    pathspec = repository.pathspec(paths)
    output = DiffOutput(repository, diff, porcelain=False)
    if options.cached:
        staged = compare_with_index(repository.objects, tree, repository.index, pathspec, intended=True)
        return _finish(output, staged, diff)
    pairs = compare_tree_with_work_tree(
        WorkTree(repository), tree, pathspec, ignore_submodules=output.ignored_changes
    )
    if options.missing:  # a file that is missing is as the index has it
        pairs = _with_missing(repository, pairs)
    return _finish(output, pairs, diff)


def _with_missing(repository: Repository, pairs: Iterable[Pair]) -> Iterator[Pair]:
    for pair in pairs:
        entry = repository.index.get(pair.path) if pair.status == "D" else None
        if entry is None:
            yield pair
        elif (entry.mode, entry.oid) != (pair.old.mode, pair.old.oid):
            yield pair_of(pair.path, pair.old, Side(pair.path, entry.mode, entry.oid))


def run_files(call: Invocation, arguments: Sequence[str]) -> int:
    """Compare the index with the working tree; return 1 for differences with --exit-code."""
    parsed = Parser(IndexOptions, DiffOptions, abbreviates=False).parse(arguments)
    diff, repository = parsed.of(DiffOptions), call.repository
    pathspec = repository.pathspec([*parsed.operands, *(parsed.paths or ())])
    output = DiffOutput(repository, diff, porcelain=False)
    pairs = list(
        compare_work_tree(
            output.work,
            pathspec,
            ignore_submodules=output.ignored_changes,
            stage=_OURS,
            skip_equal=("patch" in output.forms() and not diff.raw)
            or (diff.combined is not None and not output.has_form()),
        )
    )
    form = diff.combined or ("dense" if "patch" in output.forms() else "")
    if form in ("dense", "combined") and not diff.quiet:
        files = conflicting_files(output, pathspec)
        if "patch" in output.forms() or not output.has_form():
            write_patches(output, files, dense=form == "dense")
        else:
            write_names(output, files)
        paths = {file.path for file in files}
        pairs = [pair for pair in pairs if pair.path not in paths]
    return _finish(output, pairs, diff, "raw" if diff.combined is None else "patch")


def run_tree(call: Invocation, arguments: Sequence[str]) -> int:
    """Compare two trees, or a commit with its parent; return 1 for differences with --exit-code."""
    parsed = Parser(TreeOptions, DiffOptions, abbreviates=False).parse(arguments)
    options, diff, repository = parsed.of(TreeOptions), parsed.of(DiffOptions), call.repository
    if options.stdin or options.trees:
        raise GitError("diff-tree --stdin and -t are not offered in the sandbox (L-GIT-003)", status=129)
    revisions, paths = split_operands(repository, parsed.operands, parsed.paths, parsed.late)
    pathspec, names, objects = repository.pathspec(paths), Names(repository), repository.objects
    if len(revisions) == 1 and ".." in revisions[0]:
        left, _, right = revisions[0].partition("..")
        revisions = [left or "HEAD", right or "HEAD"]
    output = DiffOutput(repository, diff, porcelain=False)
    deep = (
        options.recurse
        or bool(diff.patch)
        or diff.combined == "dense"
        or (output.has_form() and not (diff.raw or diff.name_only or diff.name_status))
    )

    def compare(old: str | None, new: str) -> Iterable[Pair]:
        if deep or paths:
            return compare_trees(objects, old, new, pathspec)
        return _shown_trees(top_level_changes(objects, old, new))

    if len(revisions) == 2:
        trees = [objects.tree_of(names.resolve(each)) for each in revisions]
        return _finish(output, compare(trees[0], trees[1]), diff)
    if len(revisions) != 1:
        raise GitError(
            "usage: git diff-tree [<options>] <tree-ish> [<tree-ish>] [<path>...]", prefix="", status=129
        )
    commit = objects.commit(names.commit(revisions[0]))
    show = _CommitTree(call, options, output, commit)
    if len(commit.parents) > 1 and diff.combined in ("combined", "dense"):
        return show.merge(pathspec)
    if (len(commit.parents) > 1 and diff.combined != "separate") or (not commit.parents and not options.root):
        return 0
    found = False
    for parent in commit.parents or (None,):
        old = objects.commit(parent).tree if parent is not None else None
        found |= show.pairs(output.complete(compare(old, commit.tree)))
    return _status(output, found=found)


class _CommitTree:
    """Prints what a commit changes, after its name or its text."""

    def __init__(self, call: Invocation, options: TreeOptions, output: DiffOutput, commit: Commit) -> None:
        self.call = call
        self.options = options
        self.output = output
        self.commit = commit

    def pairs(self, pairs: list[Pair]) -> bool:
        """Print the differences from one parent; return True if there are any."""
        if pairs:
            self._head()
        if not self.output.options.quiet:
            self.output.write(pairs, "patch" if self.output.options.combined == "dense" else "raw")
        default = "patch" if self.output.options.combined == "dense" else "raw"
        return self.output.changed(pairs, default)

    def merge(self, pathspec: Pathspec) -> int:
        """Print the differences from all parents of a merge; return 1 for differences with --exit-code."""
        objects, diff = self.call.repository.objects, self.output.options
        trees = [objects.commit(parent).tree for parent in self.commit.parents]
        files = merged_files(self.output, trees, self.commit.tree, pathspec)
        first: list[Pair] = []
        if self.output.wants_stat():
            first = self.output.complete(compare_trees(objects, trees[0], self.commit.tree, pathspec))
        dense = diff.combined == "dense"
        self._head()
        if not self.output.has_form() and not dense:
            write_names(self.output, files)
        else:
            write_merge(self.output, files, first, dense=dense, patch=True)
        return 0

    def _head(self) -> None:
        options, repository = self.options, self.call.repository
        if options.no_id or self.output.options.quiet:
            return
        if options.pretty is None and not options.verbose:
            self.call.ctx.write_line(self.commit.oid)
            return
        format_ = parse_format(options.pretty, repository) if options.pretty is not None else Format("medium")
        self.call.ctx.write_line(Printer(repository, format_).text(self.commit))


def _shown_trees(pairs: Iterable[Pair]) -> Iterable[Pair]:
    """Yield the pairs of a comparison without -r, in which directories are entries."""
    for pair in pairs:
        if pair.status == "T" and TREE in (pair.old.mode, pair.new.mode):
            yield Pair(pair.old, pair.new._replace(mode=0, oid="0" * 40), "D")
            yield Pair(pair.old._replace(mode=0, oid="0" * 40), pair.new, "A")
        else:
            yield pair

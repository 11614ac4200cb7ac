"""git diff-index, diff-tree and diff-files: differences for scripts.

Source: git-diff-index(1), git-diff-tree(1), git-diff-files(1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.diff.model import Pair
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.trees import compare_trees, compare_with_index, top_level_changes
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.operands import split_operands
from sandhook.utilities.git.history.pretty import Format, Printer, parse_format
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.objects import TREE
from sandhook.utilities.git.work.tree import WorkTree, compare_tree_with_work_tree, compare_work_tree


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
    merges: bool = opt("-m")
    pretty: str | None = also(
        opt("--pretty", "FORMAT", "", optional=True, const="medium"), opt("--format", "FORMAT", "")
    )


def _finish(output: DiffOutput, pairs: Iterable[Pair], options: DiffOptions) -> int:
    shown = output.complete(pairs)
    if not options.quiet:
        output.write(shown, "raw")
    return int(bool(shown) and (options.exit_code or options.quiet))


def run_index(call: Invocation, arguments: Sequence[str]) -> int:
    """Compare a tree with the index or the working tree; return 1 for differences with --exit-code."""
    parsed = Parser(IndexOptions, DiffOptions, abbreviates=False).parse(arguments)
    options, diff, repository = parsed.of(IndexOptions), parsed.of(DiffOptions), call.repository
    revisions, paths = split_operands(repository, parsed.operands, parsed.paths)
    if len(revisions) != 1:
        raise GitError("usage: git diff-index [-m] [--cached] <tree-ish> [<path>...]", prefix="", status=129)
    tree = repository.objects.tree_of(Names(repository).resolve(revisions[0]))
    pathspec = repository.pathspec(paths)
    output = DiffOutput(repository, diff, porcelain=False)
    if options.cached:
        staged = compare_with_index(repository.objects, tree, repository.index, pathspec, intended=True)
        return _finish(output, staged, diff)
    pairs = compare_tree_with_work_tree(
        WorkTree(repository), tree, pathspec, ignore_submodules=diff.submodules or "untracked"
    )
    return _finish(output, pairs, diff)


def run_files(call: Invocation, arguments: Sequence[str]) -> int:
    """Compare the index with the working tree; return 1 for differences with --exit-code."""
    parsed = Parser(IndexOptions, DiffOptions, abbreviates=False).parse(arguments)
    diff, repository = parsed.of(DiffOptions), call.repository
    pathspec = repository.pathspec([*parsed.operands, *(parsed.paths or ())])
    output = DiffOutput(repository, diff, porcelain=False)
    pairs = compare_work_tree(
        WorkTree(repository), pathspec, ignore_submodules=diff.submodules or "untracked"
    )
    return _finish(output, pairs, diff)


def run_tree(call: Invocation, arguments: Sequence[str]) -> int:
    """Compare two trees, or a commit with its parent; return 1 for differences with --exit-code."""
    parsed = Parser(TreeOptions, DiffOptions, abbreviates=False).parse(arguments)
    options, diff, repository = parsed.of(TreeOptions), parsed.of(DiffOptions), call.repository
    if options.stdin or options.trees:
        raise GitError("diff-tree --stdin and -t are not offered in the sandbox (L-GIT-003)", status=129)
    revisions, paths = split_operands(repository, parsed.operands, parsed.paths)
    pathspec, names, objects = repository.pathspec(paths), Names(repository), repository.objects
    if len(revisions) == 1 and ".." in revisions[0]:
        left, _, right = revisions[0].partition("..")
        revisions = [left or "HEAD", right or "HEAD"]
    output = DiffOutput(repository, diff, porcelain=False)
    deep = (
        options.recurse
        or bool(diff.patch)
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
    if (len(commit.parents) > 1 and not options.merges) or (not commit.parents and not options.root):
        return 0
    parent = objects.commit(commit.parents[0]).tree if commit.parents else None
    pairs = output.complete(compare(parent, commit.tree))
    if pairs and not options.no_id and not diff.quiet:
        format_ = parse_format(options.pretty, repository) if options.pretty is not None else Format("medium")
        if options.pretty is None and not options.verbose:
            call.ctx.write_line(commit.oid)
        else:
            call.ctx.write_line(Printer(repository, format_).text(commit))
    if not diff.quiet:
        output.write(pairs, "raw")
    return int(bool(pairs) and (diff.exit_code or diff.quiet))


def _shown_trees(pairs: Iterable[Pair]) -> Iterable[Pair]:
    """Yield the pairs of a comparison without -r, in which directories are entries."""
    for pair in pairs:
        if pair.status == "T" and TREE in (pair.old.mode, pair.new.mode):
            yield Pair(pair.old, pair.new._replace(mode=0, oid="0" * 40), "D")
            yield Pair(pair.old._replace(mode=0, oid="0" * 40), pair.new, "A")
        else:
            yield pair

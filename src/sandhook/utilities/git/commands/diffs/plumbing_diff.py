"""git diff-index, diff-tree and diff-files: differences for scripts.

Source: git-diff-index(1), git-diff-tree(1), git-diff-files(1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.diff.combined import (
    conflicting_files,
    write_names,
    write_patches,
)
from sandhook.utilities.git.diff.model import Pair, Side, pair_of
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.trees import compare_with_index
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import merge_bases
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.operands import split_operands
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.tree import WorkTree, compare_tree_with_work_tree, compare_work_tree

_OURS = 2  #: the stage of our side of a conflict


@option_set
class IndexOptions:
    """Options of git diff-index and diff-files."""

    cached: bool = opt("--cached")
    quiet_missing: bool = opt("-q")
    missing: bool = opt("-m")
    merge_base: bool = opt("--merge-base")
    stage: str | None = also(
        opt("-0", const="0", default=None), opt("-1", const="1"), opt("--base", const="1"), opt("-2", const="2"),
        opt("--ours", const="2"), opt("-3", const="3"), opt("--theirs", const="3"),
    )  # fmt: skip


def finish(output: DiffOutput, pairs: Iterable[Pair], options: DiffOptions, default: str = "raw") -> int:
    """Print pairs in the form of the options, and return the exit status."""
    shown = output.complete(pairs)
    if not options.quiet:
        output.write(shown, default)
    return status_of(output, found=output.changed(shown, default))


def status_of(output: DiffOutput, *, found: bool) -> int:
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
    names = Names(repository)
    tree = repository.objects.tree_of(
        _base(repository, names, revisions[0]) if options.merge_base else names.resolve(revisions[0])
    )
    pathspec = repository.pathspec(paths)
    output = DiffOutput(repository, diff, porcelain=False)
    if options.cached:
        staged = compare_with_index(repository.objects, tree, repository.index, pathspec, intended=True)
        return finish(output, staged, diff)
    pairs = compare_tree_with_work_tree(
        WorkTree(repository), tree, pathspec, ignore_submodules=output.ignored_changes, staged=True
    )
    if options.missing:  # a file that is missing is as the index has it
        pairs = _with_missing(repository, pairs)
    return finish(output, pairs, diff)


def _base(repository: Repository, names: Names, name: str) -> str:
    """Return the merge base of a commit and HEAD. Raises GitError unless there is one."""
    bases = merge_bases(repository, names.commit("HEAD"), [names.commit(name)])
    if len(bases) != 1:
        raise GitError("multiple merge bases found" if bases else "no merge base found")
    return bases[0]


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
    diff, repository, options = parsed.of(DiffOptions), call.repository, parsed.of(IndexOptions)
    pathspec = repository.pathspec([*parsed.operands, *(parsed.paths or ())])
    output = DiffOutput(repository, diff, porcelain=False)
    pairs = list(
        compare_work_tree(
            output.work,
            pathspec,
            ignore_submodules=output.ignored_changes,
            stage=_OURS if options.stage is None else int(options.stage),
            skip_equal=("patch" in output.forms() and not diff.raw)
            or (diff.combined is not None and not output.has_form()),
        )
    )
    form = diff.combined or ("dense" if "patch" in output.forms() else "")
    form = "" if options.stage is not None else form
    if form in ("dense", "combined") and not diff.quiet:
        files = conflicting_files(output, pathspec)
        if "patch" in output.forms() or not output.has_form():
            write_patches(output, files, dense=form == "dense")
        else:
            write_names(output, files)
        paths = {file.path for file in files}
        pairs = [pair for pair in pairs if pair.path not in paths]
    return finish(output, pairs, diff, "raw" if diff.combined is None else "patch")

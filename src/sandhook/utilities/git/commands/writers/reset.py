"""git reset and git restore: make the index, the branch, or files those of a commit.

Source: git-reset(1), git-restore(1); git 2.39, builtin/reset.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.writers.checkout.paths import check_operands
from sandhook.utilities.git.diff.model import Side
from sandhook.utilities.git.diff.trees import walk_tree
from sandhook.utilities.git.errors import GitError, RevisionError
from sandhook.utilities.git.history.identity import person_of
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.operands import is_revision
from sandhook.utilities.git.names.pathspec import Pathspec, operands_of
from sandhook.utilities.git.names.quote import quote
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.index_writing import IndexChange, entry_of
from sandhook.utilities.git.store.objects import EMPTY_BLOB
from sandhook.utilities.git.store.ref_writing import end_operation, move_head
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.store.writing import remove_file, write_new
from sandhook.utilities.git.work.checkout import (
    Checkout,
    WouldOverwrite,
    force_tree,
    merge_tree,
    remove_tracked,
    switch_tree,
)
from sandhook.utilities.git.work.staging import Staging
from sandhook.utilities.git.work.submodules import check_recursion
from sandhook.utilities.git.work.tree import WorkTree, compare_work_tree


@option_set
class Options:
    """Options of git reset."""

    mode: str | None = also(
        opt("--mixed", const="mixed", default=None),
        opt("--soft", const="soft"),
        opt("--hard", const="hard"),
        opt("--merge", const="merge"),
        opt("--keep", const="keep"),
    )
    quiet: bool = also(opt("-q"), opt("--quiet"))
    refresh: bool = also(opt("--refresh", default=True), opt("--no-refresh", const=False))
    intent: bool = also(opt("-N"), opt("--intent-to-add"))
    patch: bool = also(opt("-p"), opt("--patch"))
    submodules: bool = opt("--recurse-submodules")
    path_file: str | None = opt("--pathspec-from-file", "FILE", "")
    path_nul: bool = opt("--pathspec-file-nul")


@option_set
class RestoreOptions:
    """Options of git restore."""

    staged: bool = also(opt("-S"), opt("--staged"))
    work: bool = also(opt("-W"), opt("--worktree"))
    source: str | None = also(opt("-s", "TREE", ""), opt("--source", "TREE", ""))
    quiet: bool = also(opt("-q"), opt("--quiet"))
    progress: bool = also(opt("--progress"), opt("--no-progress"))
    patch: bool = also(opt("-p"), opt("--patch"))
    overlay: bool = also(opt("--overlay"), opt("--no-overlay", const=False))
    submodules: bool = opt("--recurse-submodules")
    skipped: bool = opt("--ignore-skip-worktree-bits")
    path_file: str | None = opt("--pathspec-from-file", "FILE", "")
    path_nul: bool = opt("--pathspec-file-nul")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(Options).parse(arguments)
    options = parsed.of(Options)
    if options.patch:
        raise GitError("reset -p is not offered in the sandbox (L-GIT-003)", status=129)
    check_recursion(call, options.submodules)
    repository = call.repository
    names = Names(repository)
    operands = list(parsed.operands)
    if parsed.paths is not None:
        name = operands.pop(0) if operands else "HEAD"
    else:
        name = operands.pop(0) if operands and is_revision(names, operands[0]) else "HEAD"
    if parsed.paths is None and operands:
        _check_paths(repository, operands)
    paths = operands_of(call.ctx, [*operands, *(parsed.paths or ())], options.path_file, options.path_nul)
    oid = names.find(name)
    if oid is None and not (name == "HEAD" and repository.refs.resolve("HEAD") is None):
        raise GitError(f"Failed to resolve '{name}' as a valid {'tree' if paths else 'revision'}.")
    tree = None if oid is None else repository.objects.tree_of(oid)
    if paths:
        if options.mode is not None:
            raise GitError(f"Cannot do {options.mode} reset with paths.")
        _read_tree(repository, tree, repository.pathspec(paths), intends=options.intent)
        _report_changes(call, options)
        return 0
    commit = None if oid is None else repository.objects.peel(oid, "commit")
    if oid is not None and commit is None:
        raise GitError(f"Could not parse object '{name}'.")
    if options.intent and options.mode not in (None, "mixed"):
        raise GitError("the option '-N' requires '--mixed'")
    return _reset(call, options, commit, name, tree)


def _check_paths(repository: Repository, operands: list[str]) -> None:
    """Raise RevisionError for an operand that is neither a revision nor a file."""
    for word in operands:
        if repository.access.stat(f"{repository.root}/{repository.prefix}{word}") is None and not any(
            each in word for each in "*?[:"
        ):
            raise RevisionError(
                f"ambiguous argument '{word}': unknown revision or path not in the working tree.\n"
                "Use '--' to separate paths from revisions, like this:\n"
                "'git <command> [<revision>...] -- [<file>...]'"
            )


def _reset(call: Invocation, options: Options, commit: str | None, name: str, tree: str | None) -> int:
    repository = call.repository
    is_soft = options.mode == "soft"
    if options.mode in ("soft", "keep") and _is_merging(repository):
        raise GitError(f"Cannot do a {options.mode} reset in the middle of a merge.")
    if options.mode == "hard":
        change = IndexChange(repository)
        force_tree(Checkout(repository, change), tree)
        if change.changed:
            change.write()
    elif options.mode in ("merge", "keep"):
        _keep_changes(call, options.mode, tree, name)
    elif not is_soft:
        _read_tree(repository, tree, Pathspec([], call.access.charge), intends=options.intent)
        _report_changes(call, options)
    if commit is not None:
        _keep_original_head(repository)
        person = person_of(call.ctx, repository.config, "COMMITTER").text()
        move_head(repository, commit, person, f"reset: moving to {name}")
    if not is_soft:
        end_operation(repository)
    if options.mode == "hard" and commit is not None and not options.quiet:
        text = subject(repository.objects.commit(commit).message)
        call.ctx.write_line(f"HEAD is now at {Names(repository).abbreviate(commit)} {text}")
    return 0


def _is_merging(repository: Repository) -> bool:
    return repository.access.is_file(f"{repository.git_dir}/MERGE_HEAD") or any(
        entries[0].stage for entries in repository.index.by_path.values()
    )


def _keep_changes(call: Invocation, mode: str, tree: str | None, name: str) -> None:
    """Do what --merge and --keep do: move to a tree, and keep the changes of files that are the same in both."""
    repository = call.repository
    change = IndexChange(repository)
    checkout = Checkout(repository, change)
    head = repository.refs.resolve("HEAD")
    try:
        if mode == "merge":
            merge_tree(checkout, tree)
        else:
            switch_tree(checkout, None if head is None else repository.objects.tree_of(head), tree)
    except WouldOverwrite as error:
        call.error(f"error: {error.reason_to_keep()}")
        raise GitError(f"Could not reset index file to revision '{name}'.") from None
    if change.changed:
        change.write()
    if mode == "keep":
        _read_tree(repository, tree, Pathspec([], call.access.charge))


def _keep_original_head(repository: Repository) -> None:
    head = repository.refs.resolve("HEAD")
    path = f"{repository.git_dir}/ORIG_HEAD"
    remove_file(repository.access, path)
    if head is not None:
        write_new(repository.access, path, f"{head}\n".encode())


def _read_tree(
    repository: Repository, tree: str | None, pathspec: Pathspec, *, intends: bool = False
) -> None:
    """Make the entries that a pathspec selects those of a tree, and write the index.

    Args:
        intends: Files that the tree lacks stay as files that are intended to be added (-N).
    """
    change = IndexChange(repository)
    sides = {side.path: side for side in walk_tree(repository.objects, tree, pathspec)}
    for path in list(repository.index.by_path):
        if not pathspec.matches(path) or path in sides:
            continue
        mode = change.get(path)[0].mode
        change.remove(path)
        if intends:
            change.put(entry_of(path, mode, EMPTY_BLOB)._replace(intended=True))
    for path, side in sides.items():
        before = change.get(path)
        if len(before) != 1 or before[0].stage or (before[0].mode, before[0].oid) != (side.mode, side.oid):
            change.put(entry_of(path, side.mode, side.oid))
    staging = Staging(repository, change)
    for entry in change.entries():
        staging.refresh(entry.path)
    if change.changed:
        change.write()


def _report_changes(call: Invocation, options: Options) -> None:
    repository = call.repository
    if options.quiet or repository.place.root is None:
        return
    everything = Pathspec([], call.access.charge)
    pairs = list(compare_work_tree(WorkTree(repository), everything))
    if pairs:
        call.ctx.write_line("Unstaged changes after reset:")
    for pair in pairs:
        call.ctx.write_line(f"{pair.status}\t{quote(pair.path, repository.quotes_wide)}")


def run_restore(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for an operand without a file, or a file with conflicts."""
    parsed = Parser(RestoreOptions).parse(arguments)
    options = parsed.of(RestoreOptions)
    if options.patch or options.overlay:
        name = "-p" if options.patch else "--overlay"
        raise GitError(f"restore {name} is not offered in the sandbox (L-GIT-003)", status=129)
    check_recursion(call, options.submodules)
    repository = call.repository
    operands = operands_of(
        call.ctx, [*parsed.operands, *(parsed.paths or ())], options.path_file, options.path_nul
    )
    if not operands:
        raise GitError("you must specify path(s) to restore")
    pathspec = repository.pathspec(operands)
    if options.source is None and not options.staged:
        return _restore_from_index(call, pathspec)
    name = options.source or "HEAD"
    oid = Names(repository).find(name)
    if oid is None:
        raise GitError(f"could not resolve {name}")
    tree = repository.objects.tree_of(oid)
    everything = Pathspec([], call.access.charge)
    sides = {side.path: side for side in walk_tree(repository.objects, tree, everything)}
    if not check_operands(call, pathspec, {*sides, *repository.index.by_path}):
        return 1
    if not options.staged:
        _restore_files(repository, sides, pathspec)
        return 0
    if options.work:
        change = IndexChange(repository)
        checkout = Checkout(repository, change)
        for path in list(repository.index.by_path):
            if pathspec.matches(path) and path not in sides:
                checkout.remove(path)
        for side in sides.values():
            if pathspec.matches(side.path):
                checkout.put(side.path, side.mode, side.oid)
        if change.changed:
            change.write()
        return 0
    _read_tree(repository, tree, pathspec)
    return 0


def _restore_from_index(call: Invocation, pathspec: Pathspec) -> int:
    """Make files of the working tree those of the index."""
    repository = call.repository
    entries = repository.index.by_path
    if not check_operands(call, pathspec, set(entries)):
        return 1
    chosen = [each[0] for path, each in entries.items() if pathspec.matches(path)]
    unmerged = [entry for entry in chosen if entry.stage]
    for entry in unmerged:
        call.error(f"error: path '{entry.path}' is unmerged")
    if unmerged:
        return 1
    change = IndexChange(repository)
    checkout = Checkout(repository, change)
    for entry in chosen:
        checkout.put(entry.path, entry.mode, entry.oid)
    if change.changed:
        change.write()
    return 0


def _restore_files(repository: Repository, sides: dict[str, Side], pathspec: Pathspec) -> None:
    """Make files of the working tree those of a tree; the index stays as it is."""
    checkout = Checkout(repository, IndexChange(repository))
    for path in repository.index.by_path:
        if pathspec.matches(path) and path not in sides:
            remove_tracked(repository.access, checkout.work, path)
    for side in sides.values():
        if pathspec.matches(side.path):
            checkout.write(side.path, side.mode, side.oid)

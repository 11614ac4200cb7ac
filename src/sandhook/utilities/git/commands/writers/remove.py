"""git rm: remove files from the index, and from the working tree.

Source: git-rm(1); git 2.39, builtin/rm.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.diff.trees import walk_tree
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.pathspec import Pathspec, operands_of
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.index_writing import IndexChange
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.work.checkout import remove_tracked
from sandhook.utilities.git.work.tree import WorkTree

_OUTSIDE = (
    "The following paths and/or pathspecs matched paths that exist\n"
    "outside of your sparse-checkout definition, so will not be\n"
    "updated in the index:\n"
)
_HINT = (
    "hint: If you intend to update such entries, try one of the following:\n"
    "hint: * Use the --sparse option.\n"
    "hint: * Disable or modify the sparsity rules.\n"
    'hint: Disable this message with "git config advice.updateSparsePath false"'
)


@option_set
class Options:
    """Options of git rm."""

    cached: bool = opt("--cached")
    force: bool = also(opt("-f"), opt("--force"))
    recursive: bool = opt("-r")
    quiet: bool = also(opt("-q"), opt("--quiet"))
    dry_run: bool = also(opt("-n"), opt("--dry-run"))
    ignore_unmatch: bool = opt("--ignore-unmatch")
    sparse: bool = opt("--sparse")
    path_file: str | None = opt("--pathspec-from-file", "FILE", "")
    path_nul: bool = opt("--pathspec-file-nul")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0; 1 for files with changes that would be lost."""
    parsed = Parser(Options).parse(arguments)
    options = parsed.of(Options)
    repository = call.repository
    repository.root  # noqa: B018  # raises without a working tree
    operands = operands_of(
        call.ctx, [*parsed.operands, *(parsed.paths or ())], options.path_file, options.path_nul
    )
    if not operands:
        raise GitError("No pathspec was given. Which files should I remove?")
    pathspec = repository.pathspec(operands)
    entries = repository.index.by_path
    paths = [
        path
        for path in entries
        if pathspec.matches(path) and (options.sparse or not entries[path][0].skipped)
    ]
    _check_operands(call, options, pathspec)
    is_outside = not options.sparse and _advise(call, pathspec)
    work = WorkTree(repository)
    if not options.force and not _is_safe(call, paths, work, cached=options.cached):
        return 1
    change = IndexChange(repository)
    for path in paths:
        if not options.quiet:
            call.ctx.write_line(f"rm '{path}'")
        change.remove(path)
    if options.dry_run:
        return int(is_outside)
    if not options.cached:
        for path in paths:
            remove_tracked(call.access, work, path)
    change.write()
    return int(is_outside)


def _advise(call: Invocation, pathspec: Pathspec) -> bool:
    """Report operands that match only files outside of the sparse checkout; return True if there are such operands."""
    entries, names = call.repository.index.by_path, []
    for item in pathspec.items:
        only = Pathspec([item], call.access.charge)
        matched = [each[0].skipped for path, each in entries.items() if only.matches(path)]
        if matched and all(matched):
            names.append(item.text)
    if names:
        call.error(_OUTSIDE + "\n".join(names))
        if call.repository.config.boolean("advice.updatesparsepath", True):
            call.error(_HINT)
    return bool(names)


def _check_operands(call: Invocation, options: Options, pathspec: Pathspec) -> None:
    for item in pathspec.items:
        if "exclude" in item.magic:
            continue
        only = Pathspec([item], call.access.charge)
        matched = [path for path in call.repository.index.by_path if only.matches(path)]
        if not matched and not options.ignore_unmatch:
            raise GitError(f"pathspec '{item.text}' did not match any files")
        below = item.pattern.rstrip("/") + "/" if item.pattern else ""
        if not options.recursive and any(path.startswith(below) for path in matched):
            raise GitError(f"not removing '{item.text}' recursively without -r")


def _is_safe(call: Invocation, paths: list[str], work: WorkTree, *, cached: bool) -> bool:
    """Report files with changes that would be lost; return True without such files."""
    repository = call.repository
    head = repository.refs.resolve("HEAD")
    tree = None if head is None else repository.objects.tree_of(head)
    everything = Pathspec([], call.access.charge)
    committed = {side.path: side for side in walk_tree(repository.objects, tree, everything)}
    both: list[str] = []
    staged: list[str] = []
    local: list[str] = []
    for path in paths:
        entry = repository.index.by_path[path][0]
        side = work.side(entry) if not entry.stage else None
        if side is None or entry.mode == GITLINK:
            continue
        is_changed = (side.mode, side.oid) != (entry.mode, entry.oid)
        old = committed.get(path)
        is_staged = not entry.intended and (old is None or (old.mode, old.oid) != (entry.mode, entry.oid))
        if is_changed and is_staged:
            both.append(path)
        elif not cached and is_staged:
            staged.append(path)
        elif not cached and is_changed:
            local.append(path)
    _report(call, both, "has staged content different from both the\nfile and the HEAD",
            "have staged content different from both the\nfile and the HEAD", "(use -f to force removal)")  # fmt: skip
    keep = "(use --cached to keep the file, or -f to force removal)"
    _report(call, staged, "has changes staged in the index", "have changes staged in the index", keep)
    _report(call, local, "has local modifications", "have local modifications", keep)
    return not (both or staged or local)


def _report(call: Invocation, paths: list[str], one: str, many: str, hint: str) -> None:
    if not paths:
        return
    call.error(f"error: the following file{'s' * (len(paths) > 1)} {one if len(paths) == 1 else many}:")
    for path in paths:
        call.error(f"    {path}")
    if call.repository.config.boolean("advice.rmhints", True):
        call.error(hint)

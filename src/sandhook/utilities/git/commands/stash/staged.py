"""What is staged: git stash push --staged takes it away, and git stash apply --index stages it again.

Source: git-stash(1); git 2.39, builtin/stash.c.
"""

from __future__ import annotations

from sandhook.utilities.git.commands.apply.changes import Changes, Target
from sandhook.utilities.git.commands.apply.parsing import PatchReader
from sandhook.utilities.git.commands.writers.reset import run as run_reset
from sandhook.utilities.git.diff.options import DiffOptions
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.trees import compare_trees
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation


def _patched(call: Invocation, old: str, new: str, *, cached: bool, reverse: bool) -> Changes:
    """Return what the patch of two trees makes of the index, or of the files, after its errors."""
    repository = call.repository
    output = DiffOutput(repository, DiffOptions(context=1 if reverse else 3, binary=True), porcelain=False)
    pairs = compare_trees(repository.objects, old, new, Pathspec([], call.access.charge))
    patch = output.patch(output.complete(pairs))
    changes = Changes(
        Target(call, cached=cached, index=False), is_loose=False, is_verbose=False, is_reversed=reverse
    )
    patches = PatchReader(patch, 1, "", call.access.charge).read()
    for each in reversed(patches) if reverse else patches:
        changes.add(each.reversed() if reverse else each)
    return changes


def remove_staged(call: Invocation, tree: str, *, keep: bool, quiet: bool) -> int:
    """Undo the changes between HEAD and the tree of the index; return 1 if the files have others on top of them."""
    repository = call.repository
    head = repository.objects.commit(repository.refs.resolve("HEAD") or "").tree
    changes = _patched(call, head, tree, cached=False, reverse=True)
    if changes.failed:
        if not quiet:
            call.error("Cannot remove worktree changes")
        return 1
    changes.write()
    return 0 if keep else run_reset(call, ["-q", "--refresh", "--"])


def staged_again(call: Invocation, base: str, tree: str) -> str | None:
    """Return the tree of the index with the changes between two trees; None, after the errors, if they do not apply."""
    changes = _patched(call, base, tree, cached=True, reverse=False)
    return None if changes.failed else changes.tree()

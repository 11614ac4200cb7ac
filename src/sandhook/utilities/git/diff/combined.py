"""Differences between a merge and all of its parents: what --cc and -c print.

Source: git 2.39, combine-diff.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.git.diff.model import NULL_ID, Pair
from sandhook.utilities.git.diff.output import DiffOutput
from sandhook.utilities.git.diff.trees import compare_trees
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.names.quote import quote
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.index import order
from sandhook.utilities.git.store.objects import ObjectStore


def combined_paths(objects: ObjectStore, parents: Sequence[str], tree: str, pathspec: Pathspec) -> list[Pair]:
    """Return the files that differ from every parent, as pairs with the first one."""
    sides = [
        {pair.path: pair for pair in compare_trees(objects, parent, tree, pathspec)} for parent in parents
    ]
    shared = set.intersection(*(set(side) for side in sides))
    return [sides[0][path] for path in sorted(shared, key=order)]


def write_combined(
    output: DiffOutput, pairs: list[Pair], parents: Sequence[str], tree: str, *, dense: bool
) -> None:
    """Print the differences between a merge and its parents.

    Raises:
        GitError: A patch is wanted, and a file differs from every parent.
    """
    options, repository = output.options, output.repository
    end = "\0" if options.nul else "\n"
    if options.name_only or options.name_status or options.raw:
        for pair in pairs:
            name = pair.path if options.nul else quote(pair.path, repository.quotes_wide)
            line = (
                name
                if options.name_only
                else _status_line(output, pair, parents) + ("\0" if options.nul else "\t") + name
            )
            repository.ctx.write(encode(line + end))
        return
    wants_stat = options.stat is not None or options.numstat or options.shortstat or options.summary
    if wants_stat:
        everything = Pathspec([], repository.access.charge)
        first = output.complete(compare_trees(repository.objects, parents[0], tree, everything))
        output.write(first, "", without="patch")
    if pairs and (options.patch or not wants_stat):
        form = "--cc" if dense else "-c"
        raise GitError(
            f"a combined patch ({form}) of {pairs[0].path} is not offered in the sandbox: use -m or --first-parent (L-GIT-003)",
            status=129,
        )


def _status_line(output: DiffOutput, pair: Pair, parents: Sequence[str]) -> str:
    """Return the letters, and for --raw the modes and objects, of a file in all parents."""
    names = output.names
    olds = [names.tree_item(parent, pair.path) or (0, NULL_ID) for parent in parents]
    new = pair.new
    letters = "".join("A" if not mode else "D" if not new.exists else "M" for mode, _ in olds)
    if output.options.name_status:
        return letters
    modes = " ".join(f"{mode:06o}" for mode in (*(mode for mode, _ in olds), new.mode))
    short = " ".join(output.abbreviate(oid) for oid in (*(oid for _, oid in olds), new.oid))
    return f"{':' * len(parents)}{modes} {short} {letters}"

"""git merge-tree --write-tree: merge two commits without a working tree.

Source: git-merge-tree(1); git 2.39, builtin/merge-tree.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.diff.three_way import Labels
from sandhook.utilities.git.diff.trees import walk_tree
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import merge_bases
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.names.quote import quote
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.index import order
from sandhook.utilities.git.store.index_writing import entry_of, write_tree
from sandhook.utilities.git.store.objects import EMPTY_TREE
from sandhook.utilities.git.work.merging import FileMerge, MergedFile, TreeMerge

_USAGE = "usage: git merge-tree [--write-tree] [<options>] <branch1> <branch2>"


@option_set
class Options:
    """Options of git merge-tree."""

    write: bool = opt("--write-tree")
    trivial: bool = opt("--trivial-merge")
    messages: bool | None = also(opt("--messages", default=None), opt("--no-messages", const=False))
    nul: bool = opt("-z")
    name_only: bool = opt("--name-only")
    unrelated: bool = opt("--allow-unrelated-histories")
    stdin: bool = opt("--stdin")


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print the tree of a merge; return 1 for conflicts."""
    parsed = Parser(Options, stop=True).parse(arguments)
    options, operands = parsed.of(Options), [*parsed.operands, *(parsed.paths or ())]
    if options.trivial or options.stdin or options.nul or (len(operands) == 3 and not options.write):
        raise GitError(
            "merge-tree of three trees, -z and --stdin are not offered in the sandbox: --write-tree is (L-GIT-003)",
            status=129,
        )
    if len(operands) != 2 or any(word.startswith("-") for word in operands):
        raise GitError(_USAGE, prefix="", status=129)
    repository, names = call.repository, Names(call.repository)
    commits = [_commit(call, names, word) for word in operands]
    bases = merge_bases(repository, commits[0], commits[1:])
    if not bases and not options.unrelated:
        raise GitError("refusing to merge unrelated histories")
    if len(bases) > 1:
        raise GitError(
            "a merge with several merge bases is not offered in the sandbox (L-GIT-003)", status=129
        )
    ancestor = names.abbreviate(bases[0]) if bases else "empty tree"
    files = FileMerge(repository, Labels(operands[0], operands[1], ancestor))
    trees = [repository.objects.tree_of(bases[0]) if bases else EMPTY_TREE]
    trees += [repository.objects.tree_of(commit) for commit in commits]
    merged = TreeMerge(repository, files, trees).run()
    call.ctx.write_line(_written(call, trees[1], merged))
    return _report(call, options, merged, files.messages)


def _commit(call: Invocation, names: Names, word: str) -> str:
    oid = names.find(word)
    commit = None if oid is None else call.repository.objects.peel(oid, "commit")
    if oid is not None and commit is None:
        kind = call.repository.objects.get(oid).kind
        call.error(f"error: {word}: expected commit type, but the object dereferences to {kind} type")
    if commit is None:
        raise GitError(f"{word} - not something we can merge", prefix="merge-tree", status=1)
    return commit


def _written(call: Invocation, ours: str, merged: Sequence[MergedFile]) -> str:
    """Write the tree of a merge: ours with the files that it changes. Return its name."""
    repository = call.repository
    everything = Pathspec([], call.access.charge)
    entries = {
        side.path: entry_of(side.path, side.mode, side.oid)
        for side in walk_tree(repository.objects, ours, everything)
    }
    for each in merged:
        entries.pop(each.removed or each.path, None)
        if each.result.exists:
            entries[each.path] = entry_of(each.path, each.result.mode, each.result.oid)
    return write_tree(repository, [entries[path] for path in sorted(entries, key=order)])


def _report(call: Invocation, options: Options, merged: Sequence[MergedFile], messages: Sequence[str]) -> int:
    conflicts = [each for each in merged if each.stages]
    for each in conflicts:
        name = quote(each.path, call.repository.quotes_wide)
        lines = [name] if options.name_only else [f"{m:06o} {oid} {s}\t{name}" for s, m, oid in each.stages]
        for line in lines:
            call.ctx.write(encode(f"{line}\n"))
    if options.messages or (options.messages is None and conflicts):
        call.ctx.write_line("")
        for message in messages:
            call.ctx.write(encode(f"{message}\n"))
    return int(bool(conflicts))

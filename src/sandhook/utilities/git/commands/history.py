"""git merge-base: common ancestors.

Source: git-merge-base(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.bases import independent, is_ancestor, merge_bases, octopus_bases
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.program import Invocation


@option_set
class BaseOptions:
    """Options of git merge-base."""

    all: bool = also(opt("-a"), opt("--all"))
    is_ancestor: bool = opt("--is-ancestor")
    octopus: bool = opt("--octopus")
    independent: bool = opt("--independent")
    fork_point: bool = opt("--fork-point")


def run_base(call: Invocation, arguments: Sequence[str]) -> int:
    """Print common ancestors; return 1 without one, or for a commit that is no ancestor."""
    modes = ("is_ancestor", "octopus", "independent", "fork_point")
    parsed = Parser(BaseOptions, modes=(modes,)).parse(arguments)
    options, repository, names = parsed.of(BaseOptions), call.repository, Names(call.repository)
    commits: list[str] = []
    for name, is_set in (("is-ancestor", options.is_ancestor), ("independent", options.independent)):
        if is_set and options.all:
            raise GitError(f"options '--{name}' and '--all' cannot be used together")
    if options.fork_point:
        return _fork_point(call, parsed.operands)
    if len(parsed.operands) < 2 and not (options.octopus or options.independent):
        raise GitError("usage: git merge-base [-a | --all] <commit> <commit>...", prefix="", status=129)
    for word in parsed.operands:
        oid = names.find(word)
        commit = None if oid is None else repository.objects.peel(oid, "commit")
        if commit is None:
            raise GitError(
                f"Not a valid object name {word}" if oid is None else f"Not a valid commit name {word}"
            )
        commits.append(commit)
    if options.is_ancestor:
        if len(commits) != 2:
            raise GitError("--is-ancestor takes exactly two commits")
        return 0 if is_ancestor(repository, commits[0], commits[1]) else 1
    if not commits:
        return 1
    if options.independent:
        bases = independent(repository, commits)
    elif options.octopus:
        bases = octopus_bases(repository, commits)
    else:
        bases = merge_bases(repository, commits[0], commits[1:] or commits)
    for oid in bases if options.all or options.independent else bases[:1]:
        call.ctx.write_line(oid)
    return 0 if bases else 1


def _fork_point(call: Invocation, operands: Sequence[str]) -> int:
    """Print where a branch left another one, by the reflog of that one; return 1 if that is unknown."""
    repository, names = call.repository, Names(call.repository)
    if not 1 <= len(operands) <= 2:
        raise GitError("usage: git merge-base --fork-point <ref> [<commit>]", prefix="", status=129)
    full = names.full_ref(operands[0])
    if full is None:
        raise GitError(f"No such ref: '{operands[0]}'")
    commit = names.commit(operands[1] if len(operands) == 2 else "HEAD")
    entries = repository.refs.log(full)
    tip = repository.refs.resolve(full)
    known = [each for entry in entries for each in (entry.old, entry.new)] or [tip or ""]
    tips = [oid for oid in dict.fromkeys(known) if repository.objects.peel(oid, "commit") == oid]
    bases = merge_bases(repository, commit, tips) if tips else []
    if len(bases) != 1 or bases[0] not in tips:
        return 1
    call.ctx.write_line(bases[0])
    return 0

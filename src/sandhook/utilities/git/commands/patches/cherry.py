"""git cherry: which commits of a branch are not in another one, compared by their patches.

Source: git-cherry(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.command.options import also, opt, option_set
from sandhook.utilities.git.arguments import Parser, count
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.messages import subject
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.history.patch_ids import PatchIds
from sandhook.utilities.git.history.upstream import upstream_of
from sandhook.utilities.git.history.walk import Walk
from sandhook.utilities.git.program import Invocation

_USAGE = """usage: git cherry [-v] [<upstream> [<head> [<limit>]]]

    --abbrev[=<n>]        use <n> digits to display object names
    -v, --verbose         be verbose
"""


@option_set
class CherryOptions:
    """Options of git cherry."""

    verbose: bool = also(opt("-v"), opt("--verbose"))
    abbrev: int | None = opt("--abbrev", "N", "", convert=count, optional=True, const=0)


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Print "+" or "-" and the name of each commit; return 0."""
    parsed = Parser(CherryOptions).parse(arguments)
    options, repository = parsed.of(CherryOptions), call.repository
    names, words = Names(repository), [*parsed.operands, *(parsed.paths or ())]
    if len(words) > 3:
        raise GitError(_USAGE, prefix="", status=129)
    if not words:
        words = [_upstream(call)]
    head = _commit(names, words[1] if len(words) > 1 else "HEAD")
    upstream, *limits = [_commit(names, word) for word in (words[0], *words[2:])]
    ids = PatchIds(repository)
    theirs = ids.all(Walk(repository, [upstream], [head]))
    ours = [commit for commit in Walk(repository, [head], [upstream, *limits]) if len(commit.parents) < 2]
    for commit in reversed(ours):
        oid = commit.oid if options.abbrev is None else names.abbreviate(commit.oid, options.abbrev or None)
        mark = "-" if ids.of(commit) in theirs else "+"
        call.ctx.write_line(f"{mark} {oid}" + f" {subject(commit.message)}" * options.verbose)
    return 0


def _upstream(call: Invocation) -> str:
    """Return the upstream of the branch. Raises GitError if it has none."""
    branch = call.repository.refs.target("HEAD") or ""
    found = upstream_of(call.repository, branch.removeprefix("refs/heads/"))
    if found is None:
        raise GitError(
            f"Could not find a tracked remote branch, please specify <upstream> manually.\n{_USAGE}",
            prefix="",
            status=129,
        )
    return found


def _commit(names: Names, word: str) -> str:
    if names.find(word) is None:
        raise GitError(f"unknown commit {word}")
    return names.commit(word)

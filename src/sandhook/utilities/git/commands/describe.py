"""git describe: name a commit by the nearest tag.

Source: git-describe(1); git 2.39, builtin/describe.c.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.utilities.git.arguments import Parser
from sandhook.utilities.git.commands.name_rev import run as run_name_rev
from sandhook.utilities.git.errors import GitError
from sandhook.utilities.git.history.description import DescribeOptions, Description
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.tree import WorkTree, compare_tree_with_work_tree


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(DescribeOptions).parse(arguments)
    options, repository = parsed.of(DescribeOptions), call.repository
    if options.debug:
        raise GitError("describe --debug is not offered in the sandbox (L-GIT-003)", status=129)
    if options.contains:
        return run_name_rev(call, _as_name_rev(options, parsed.operands))
    dirty = options.dirty if options.dirty is not None or options.broken is None else "-dirty"
    if dirty is not None and parsed.operands:
        name = "--dirty" if options.broken is None else "--broken"
        raise GitError(f"option '{name}' and commit-ishes cannot be used together")
    if dirty is not None and repository.refs.resolve("HEAD") is None:
        raise GitError("bad revision 'HEAD'")
    mark = dirty if dirty is not None and _is_dirty(repository) else ""
    names = Names(repository)
    for word in parsed.operands or ["HEAD"]:
        oid = names.find(word)
        commit = None if oid is None else repository.objects.peel(oid, "commit")
        if commit is None and not parsed.operands and not options.always:
            raise GitError("No names found, cannot describe anything.")
        if commit is None:
            raise GitError(f"Not a valid object name {word}")
        call.ctx.write_line(Description(repository, options).text(commit) + mark)
    return 0


def _as_name_rev(options: DescribeOptions, operands: Sequence[str]) -> list[str]:
    """Return the arguments of git name-rev that --contains stands for."""
    words = ["--name-only", "--no-undefined"]
    if options.always:
        words.append("--always")
    if not options.all:
        words += ["--tags", *(f"--refs=refs/tags/{pattern}" for pattern in options.match)]
        words += [f"--exclude=refs/tags/{pattern}" for pattern in options.exclude]
    return [*words, *(operands or ["HEAD"])]


def _is_dirty(repository: Repository) -> bool:
    head = repository.refs.resolve("HEAD")
    tree = None if head is None else repository.objects.tree_of(head)
    everything = Pathspec([], repository.access.charge)
    pairs = compare_tree_with_work_tree(WorkTree(repository), tree, everything, ignore_submodules="untracked")
    return any(True for _ in pairs)

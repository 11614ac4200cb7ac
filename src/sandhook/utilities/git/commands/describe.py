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
from sandhook.utilities.git.history.walk import Walk
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.program import Invocation
from sandhook.utilities.git.store.objects import TREE
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.tree import WorkTree, compare_tree_with_work_tree

_DEEPEST = 1000  #: levels of directories


def run(call: Invocation, arguments: Sequence[str]) -> int:
    """Return 0."""
    parsed = Parser(DescribeOptions).parse(arguments)
    options, repository = parsed.of(DescribeOptions), call.repository
    if options.debug:
        raise GitError("describe --debug is not offered in the sandbox (L-GIT-003)", status=129)
    if options.long and options.abbrev == 0:
        raise GitError("options '--long' and '--abbrev=0' cannot be used together")
    if options.contains:
        return run_name_rev(call, _as_name_rev(options, parsed.operands))
    description = Description(repository, options)
    if not (description.has_names or options.always):
        raise GitError("No names found, cannot describe anything.")
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
        if oid is None:
            raise GitError(f"Not a valid object name {word}")
        commit = repository.objects.peel(oid, "commit")
        if commit is None:
            call.ctx.write_line(_of_file(repository, description, oid, word))
        else:
            call.ctx.write_line(description.text(commit) + mark)
    return 0


def _of_file(repository: Repository, description: Description, oid: str, word: str) -> str:
    """Return the description of the first commit with the contents of a file, and its path; "" if no commit has it."""
    objects = repository.objects
    found = objects.find(objects.peel(oid) or oid)
    if found is None or found.kind != "blob":
        raise GitError(f"{word} is neither a commit nor blob")
    head = repository.refs.resolve("HEAD")
    seen: set[str] = set()
    for commit in reversed(list(Walk(repository, [head], [])) if head is not None else []):
        path = _path_of(repository, commit.tree, oid, seen, "")
        if path is not None:
            return f"{description.text(commit.oid)}:{path}"
    return ""


def _path_of(repository: Repository, tree: str, oid: str, seen: set[str], base: str) -> str | None:
    """Return the path of a file in a tree, None without it; trees that were looked at have it not."""
    if tree in seen:
        return None
    if base.count("/") > _DEEPEST:
        repository.ctx.budget.fail("nesting")
    seen.add(tree)
    repository.ctx.budget.charge_memory(100)
    for item in repository.objects.tree(tree):
        repository.access.charge(1)
        if item.oid == oid:
            return base + item.name
        if item.mode == TREE and (found := _path_of(repository, item.oid, oid, seen, f"{base}{item.name}/")):
            return found
    return None


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

"""Collects the state of a working tree for "git status".

Source: git 2.39, wt-status.c.
"""

from __future__ import annotations

from collections.abc import Iterable

from sandhook.record import Record
from sandhook.utilities.git.diff.model import MOST_SCORE, Pair, Side
from sandhook.utilities.git.diff.renames import find_renames
from sandhook.utilities.git.diff.trees import compare_with_index
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.index import order
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Repository
from sandhook.utilities.git.work.submodules import IgnoredChanges
from sandhook.utilities.git.work.tree import WorkTree, compare_work_tree
from sandhook.utilities.git.work.untracked import Mode, find_untracked

#: The letters of a path with conflicts, by the stages that it has.
_CONFLICTS = {
    (1,): "DD",
    (2,): "AU",
    (1, 3): "DU",
    (3,): "UA",
    (1, 2): "UD",
    (2, 3): "AA",
    (1, 2, 3): "UU",
}


class Conflict(Record):
    """A path with conflicts: its letters, and the modes and objects of the stages 1 to 3."""

    path: str
    letters: str
    stages: dict[int, tuple[int, str]]


class Status(Record):
    """The state of a working tree.

    Fields:
        staged: Differences between HEAD and the index.
        changed: Differences between the index and the working tree.
        untracked, ignored: Paths; directories end in a slash.
    """

    staged: list[Pair]
    changed: list[Pair]
    conflicts: list[Conflict]
    untracked: list[str]
    ignored: list[str]


class Wanted(Record):
    """What to collect.

    Fields:
        submodules: Which changes of submodules are left out, as --ignore-submodules has it; None for what settings say.
        base: The commit that the index is compared with, None for HEAD.
    """

    untracked: Mode = "normal"
    ignored: str = "no"
    renames: int | None = MOST_SCORE // 2
    submodules: str | None = None
    base: str | None = None


def collect(repository: Repository, pathspec: Pathspec, wanted: Wanted) -> Status:
    """Return the state of a working tree."""
    head = wanted.base or repository.refs.resolve("HEAD")
    tree = None if head is None else repository.objects.tree_of(head)
    work = WorkTree(repository)
    staged: Iterable[Pair] = compare_with_index(repository.objects, tree, repository.index, pathspec)
    default = "untracked" if wanted.untracked == "no" else ""
    ignored = IgnoredChanges(repository, wanted.submodules, default)
    changed: Iterable[Pair] = compare_work_tree(work, pathspec, ignore_submodules=ignored)
    if wanted.submodules == "all":
        staged = (pair for pair in staged if GITLINK not in (pair.old.mode, pair.new.mode))

    def load(side: Side) -> bytes:
        if side.in_work_tree:
            return work.read(side.path, side.mode)
        return repository.objects.get(side.oid).data

    staged = [pair for pair in staged if pair.status != "U"]
    changed = [pair for pair in changed if pair.status != "U"]
    if wanted.renames is not None:
        staged = find_renames(staged, load, repository.access.charge, least=wanted.renames)
        changed = find_renames(changed, load, repository.access.charge, least=wanted.renames)
    found = find_untracked(
        repository,
        pathspec,
        wanted.untracked,
        collect_ignored=wanted.ignored != "no",
        matching=wanted.ignored == "matching",
    )
    return Status(
        staged,
        changed,
        list(_conflicts(repository, pathspec)),
        found.untracked,
        found.ignored if wanted.ignored != "no" else [],
    )


def _conflicts(repository: Repository, pathspec: Pathspec) -> Iterable[Conflict]:
    for path, entries in repository.index.by_path.items():
        if entries[0].stage and pathspec.matches(path):
            stages = tuple(entry.stage for entry in entries)
            yield Conflict(
                path,
                _CONFLICTS.get(stages, "UU"),
                {entry.stage: (entry.mode, entry.oid) for entry in entries},
            )


def paths_of(status: Status) -> list[str]:
    """Return the paths with changes or conflicts, in order."""
    return sorted(
        {pair.path for pair in (*status.staged, *status.changed)} | {each.path for each in status.conflicts},
        key=order,
    )

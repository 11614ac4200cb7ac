"""The objects of commits, as rev-list --objects lists them, and the commits where a walk ended.

Source: git-rev-list(1); git 2.39, list-objects.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandhook.utilities.git.history.bases import is_ancestor
from sandhook.utilities.git.history.walk import in_topological_order
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.commits import Commit, Tag
from sandhook.utilities.git.store.objects import GITLINK, TREE
from sandhook.utilities.git.store.repository import Repository

_MOST_LEVELS = 1000


def boundary(repository: Repository, shown: Iterable[Commit]) -> list[Commit]:
    """Return the parents of commits that are not shown themselves: the last ones first, no parent before its child."""
    commits = list(shown)
    oids = {commit.oid for commit in commits}
    parents = dict.fromkeys(parent for commit in commits for parent in commit.parents if parent not in oids)
    return in_topological_order([repository.objects.commit(oid) for oid in reversed(parents)], by_date=False)


def _edges(repository: Repository, shown: Sequence[Commit], unwanted: Sequence[str]) -> list[Commit]:
    """Return the parents of commits that the walk left out, the youngest first."""
    found = [each for each in boundary(repository, shown) if _is_unwanted(repository, each.oid, unwanted)]
    return sorted(found, key=lambda commit: -commit.committer.time)


def _is_unwanted(repository: Repository, oid: str, unwanted: Sequence[str]) -> bool:
    return any(oid == each or is_ancestor(repository, oid, each) for each in unwanted)


class ObjectList:
    """Lists trees and blobs once each, with the paths where they are found first."""

    def __init__(self, repository: Repository, pathspec: Pathspec) -> None:
        self._repository = repository
        self._pathspec = pathspec
        self._seen: set[str] = set()

    def of(
        self, commits: Sequence[Commit], tags: Sequence[Tag], unwanted: Sequence[str]
    ) -> Iterator[tuple[str, str]]:
        """Yield tags and the objects of commits, without those of the commits before them that are not wanted."""
        for edge in _edges(self._repository, commits, unwanted):
            for _ in self._tree(edge.tree, "", 0, all_paths=True):
                pass
        for tag in tags:
            yield tag.oid, tag.name
        for commit in commits:
            yield from self._tree(commit.tree, "", 0)

    def _tree(self, oid: str, path: str, depth: int, *, all_paths: bool = False) -> Iterator[tuple[str, str]]:
        access = self._repository.access
        if oid in self._seen:
            return
        if depth > _MOST_LEVELS:
            access.ctx.budget.fail("nesting")
        self._seen.add(oid)
        access.charge(2)
        yield oid, path
        for item in self._repository.objects.tree(oid):
            below = f"{path}/{item.name}" if path else item.name
            if item.mode == TREE:
                if all_paths or self._pathspec.may_match_below(below):
                    yield from self._tree(item.oid, below, depth + 1, all_paths=all_paths)
            elif item.mode == GITLINK or item.oid in self._seen:
                continue
            elif all_paths or self._pathspec.matches(below):
                self._seen.add(item.oid)
                yield item.oid, below

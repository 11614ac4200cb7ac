"""The objects of commits, as rev-list --objects lists them, and the commits where a walk ended.

Source: git-rev-list(1); git 2.39, list-objects.c.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sandhook.record import Record
from sandhook.utilities.git.errors import GitError
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


def edges(repository: Repository, shown: Sequence[Commit], unwanted: Sequence[str]) -> list[str]:
    """Return the parents of commits that were left out by name, in the order of their children."""
    oids = {commit.oid for commit in shown}
    parents = dict.fromkeys(parent for commit in shown for parent in commit.parents if parent not in oids)
    return [parent for parent in parents if _is_unwanted(repository, parent, unwanted)]


class ObjectFilter(Record):
    """Which objects --filter keeps.

    Fields:
        largest: Blobs have fewer bytes than this; -1 for any number. depth: Trees and blobs are above this level.
    """

    largest: int = -1
    depth: int = _MOST_LEVELS + 1


def parse_filter(text: str) -> ObjectFilter:
    """Return the filter of --filter. Raises GitError for one that is unknown or not offered."""
    if text == "blob:none":
        return ObjectFilter(largest=0)
    kind, _, value = text.partition("=" if text.startswith("blob:limit=") else ":")
    if kind == "blob:limit":
        factor = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}.get(value[-1:].lower(), 1)
        digits = value[:-1] if factor > 1 else value
        if digits.isascii() and digits.isdigit() and len(digits) < 12:
            return ObjectFilter(largest=int(digits) * factor)
    if kind == "tree":
        if value.isascii() and value.isdigit() and len(value) < 10:
            return ObjectFilter(depth=int(value))
        raise GitError("expected 'tree:<depth>'")
    if kind in ("sparse", "object", "combine"):
        raise GitError(f"rev-list --filter={kind} is not offered in the sandbox (L-GIT-003)", status=129)
    raise GitError(f"invalid filter-spec '{text}'")


class ObjectList:
    """Lists trees and blobs once each, with the paths where they are found first."""

    def __init__(self, repository: Repository, pathspec: Pathspec, kept: ObjectFilter | None = None) -> None:
        self._kept = kept or ObjectFilter()
        self._repository = repository
        self._pathspec = pathspec
        self._seen: set[str] = set()

    def leave_out(self, commits: Sequence[Commit], unwanted: Sequence[str]) -> None:
        """Leave out the objects of the commits before some commits that are not wanted."""
        for edge in _edges(self._repository, commits, unwanted):
            for _ in self._tree(edge.tree, "", 0, all_paths=True):
                pass

    def of(self, commits: Sequence[Commit], tags: Sequence[Tag]) -> Iterator[tuple[str, str]]:
        """Yield tags and the objects of commits."""
        for tag in tags:
            yield tag.oid, tag.name
        for commit in commits:
            if self._kept.depth > 0:
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
            if not all_paths and depth + 1 >= self._kept.depth:
                continue
            if item.mode == TREE:
                if all_paths or self._pathspec.may_match_below(below):
                    yield from self._tree(item.oid, below, depth + 1, all_paths=all_paths)
            elif item.mode == GITLINK or item.oid in self._seen:
                continue
            elif all_paths or self._pathspec.matches(below):
                self._seen.add(item.oid)
                if all_paths or self._keeps(item.oid):
                    yield item.oid, below

    def _keeps(self, oid: str) -> bool:
        largest = self._kept.largest
        if largest < 0:
            return True
        found = self._repository.objects.kind_and_size(oid) if largest else None
        return found is not None and found[1] < largest

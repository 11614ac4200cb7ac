"""Walks over commits, the youngest first, as git's revision.c has it.

The commits of a walk without excluded ones come as they are found. With excluded commits, both kinds are followed
until only excluded ones are left.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.repository import Repository

Simplify = Callable[[Commit, Callable[[str], bool]], tuple[bool, tuple[str, ...]]]

_SLOP = 5  #: commits that are still examined after only excluded ones seem to be left


class Walk:
    """Commits that are reachable from some, and not from others.

    Args:
        wanted: Names of commits to begin with. unwanted: Commits that are left out with their ancestors.
        first_parent: Only first parents are followed.
        simplify: Returns whether a commit is shown and the parents to follow; None for all commits and parents. Its
            second argument returns whether a parent is relevant: not left out, or one of ``unwanted``.
        visit: Receives each commit that is not left out, with the parents to follow.
    """

    def __init__(
        self,
        repository: Repository,
        wanted: Sequence[str],
        unwanted: Sequence[str],
        *,
        first_parent: bool = False,
        simplify: Simplify | None = None,
        visit: Callable[[Commit, Sequence[str]], None] | None = None,
    ) -> None:
        self._repository = repository
        self._objects = repository.objects
        self._wanted = list(dict.fromkeys(wanted))
        self._unwanted = list(dict.fromkeys(unwanted))
        self._first_parent = first_parent
        self._simplify = simplify
        self._visit = visit
        self._excluded: set[str] = set()

    def __iter__(self) -> Iterator[Commit]:
        if self._unwanted:
            return iter(self._limited())
        return self._streamed()

    def _charge(self) -> None:
        self._repository.access.charge(4)

    def _parents(self, commit: Commit) -> tuple[str, ...]:
        return commit.parents[:1] if self._first_parent else commit.parents

    def _is_relevant(self, oid: str) -> bool:
        return oid not in self._excluded or oid in self._unwanted

    def _followed(self, commit: Commit) -> tuple[bool, tuple[str, ...]]:
        """Return whether a commit is shown, and the parents to follow."""
        shown, parents = True, self._parents(commit)
        if self._simplify is not None:
            shown, parents = self._simplify(commit, self._is_relevant)
            parents = parents[:1] if self._first_parent else parents
        if self._visit is not None:
            self._visit(commit, parents)
        return shown, parents

    def _streamed(self) -> Iterator[Commit]:
        queue: list[tuple[int, int, str]] = []
        seen: set[str] = set()
        number = 0
        for oid in self._wanted:
            if oid not in seen:
                seen.add(oid)
                heapq.heappush(queue, (-self._objects.commit(oid).committer.time, number, oid))
                number += 1
        while queue:
            self._charge()
            commit = self._objects.commit(heapq.heappop(queue)[2])
            shown, parents = self._followed(commit)
            for parent in parents:
                if parent not in seen:
                    seen.add(parent)
                    heapq.heappush(queue, (-self._objects.commit(parent).committer.time, number, parent))
                    number += 1
            if shown:
                yield commit

    def _limited(self) -> list[Commit]:
        """Return the commits of a walk with excluded ones (limit_list)."""
        queue: list[tuple[int, int, str]] = []
        seen: set[str] = set()
        excluded = self._excluded = set()
        number = 0

        def push(oid: str) -> None:
            nonlocal number
            if oid not in seen:
                seen.add(oid)
                heapq.heappush(queue, (-self._objects.commit(oid).committer.time, number, oid))
                number += 1

        for oid in self._unwanted:
            excluded.add(oid)
        for oid in (*self._wanted, *self._unwanted):
            push(oid)
        result: list[tuple[Commit, bool]] = []
        slop = _SLOP
        while queue:
            self._charge()
            commit = self._objects.commit(heapq.heappop(queue)[2])
            if commit.oid in excluded:
                self._exclude_parents(commit, excluded, seen)
                for parent in commit.parents:
                    push(parent)
                self._repository.access.charge(len(queue) >> 4)
                if any(oid not in excluded for _, _, oid in queue):
                    slop = _SLOP
                    continue
                slop = _SLOP if self._is_older(queue, result) else slop - 1
                if slop <= 0:
                    break
                continue
            shown, parents = self._followed(commit)
            for parent in parents:
                push(parent)
            result.append((commit, shown))
        return [commit for commit, shown in result if shown and commit.oid not in excluded]

    def _is_older(self, queue: list[tuple[int, int, str]], result: list[tuple[Commit, bool]]) -> bool:
        """Return True if a commit in the queue is younger than the oldest result, which may yet be excluded."""
        if not queue or not result:
            return False
        return result[-1][0].committer.time <= -queue[0][0]

    def _exclude_parents(self, commit: Commit, excluded: set[str], seen: set[str]) -> None:
        stack = list(commit.parents)
        while stack:
            oid = stack.pop()
            if oid in excluded:
                continue
            self._charge()
            excluded.add(oid)
            if oid in seen:
                stack += self._objects.commit(oid).parents


def in_topological_order(
    commits: Sequence[Commit],
    by_date: bool = True,
    parents_of: Callable[[Commit], Sequence[str]] = lambda commit: commit.parents,
) -> list[Commit]:
    """Return the commits with no parent before its children, as --topo-order or --date-order has it."""
    members = {commit.oid: commit for commit in commits}
    children = dict.fromkeys(members, 0)
    for commit in commits:
        for parent in parents_of(commit):
            if parent in children:
                children[parent] += 1
    ready = [commit for commit in commits if not children[commit.oid]]
    result: list[Commit] = []
    if by_date:
        number = 0
        heap: list[tuple[int, int, str]] = []
        for commit in ready:
            heapq.heappush(heap, (-commit.committer.time, number, commit.oid))
            number += 1
        while heap:
            commit = members[heapq.heappop(heap)[2]]
            result.append(commit)
            for parent in parents_of(commit):
                if parent in children:
                    children[parent] -= 1
                    if not children[parent]:
                        heapq.heappush(heap, (-members[parent].committer.time, number, parent))
                        number += 1
        return result
    stack = list(reversed(ready))
    while stack:
        commit = stack.pop()
        result.append(commit)
        for parent in parents_of(commit):
            if parent in children:
                children[parent] -= 1
                if not children[parent]:
                    stack.append(members[parent])
    return result

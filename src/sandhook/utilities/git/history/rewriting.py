"""Simplified histories: which commits are shown for some paths or decorations, and what their parents become.

Source: git-log(1), "History Simplification"; git 2.39, revision.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sandhook.utilities.git.history.bases import is_ancestor
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.repository import Repository


class Node:
    """A commit of a walk.

    Attributes:
        parents: The parents that are followed. same: For each, whether the paths are the same as in the commit.
        is_same: The commit changes nothing that is asked for.
    """

    __slots__ = ("commit", "is_same", "parents", "same")

    def __init__(self, commit: Commit, parents: Sequence[str], same: Sequence[bool], is_same: bool) -> None:
        self.commit = commit
        self.parents = list(parents)
        self.same = list(same)
        self.is_same = is_same


class History:
    """The commits of a walk with their followed parents.

    Args:
        is_relevant: Returns whether a commit is one of the walk, or a named end of it.
        first_parent: Only the first parents of merges are followed.
    """

    def __init__(
        self,
        repository: Repository,
        nodes: dict[str, Node],
        is_relevant: Callable[[str], bool],
        *,
        first_parent: bool = False,
    ) -> None:
        self._first_parent = first_parent
        self._repository = repository
        self._nodes = nodes
        self._is_relevant = is_relevant
        self._rewritten: dict[str, str | None] = {}

    def __contains__(self, oid: str) -> bool:
        return oid in self._nodes

    def shows(self, oid: str, *, joins: bool) -> bool:
        """Return True for a commit that changes something, or, with ``joins``, is between two relevant ones."""
        node = self._nodes[oid]
        return not node.is_same or (
            joins and sum(1 for parent in node.parents if self._is_relevant(parent)) > 1
        )

    def parents(self, oid: str) -> tuple[str, ...]:
        """Return the parents of a shown commit: the nearest commits that are shown or were left out."""
        found = (self._nearest(parent) for parent in self._nodes[oid].parents)
        return tuple(dict.fromkeys(parent for parent in found if parent is not None))

    def followed(self, oid: str) -> Sequence[str]:
        """Return the parents that are followed from a commit."""
        return self._nodes[oid].parents

    def _only_relevant(self, parents: Sequence[str]) -> str | None:
        if len(parents) == 1 or (self._first_parent and parents):
            return parents[0]
        relevant = [parent for parent in parents if self._is_relevant(parent)]
        return relevant[0] if len(relevant) == 1 else None

    def _nearest(self, oid: str) -> str | None:
        passed: list[str] = []
        at: str | None = oid
        while at is not None and at not in self._rewritten:
            self._repository.access.charge(1)
            node = self._nodes.get(at)
            if node is None or not node.is_same:
                break
            following = self._only_relevant(node.parents)
            if node.parents and following is None:
                break
            passed.append(at)
            at = following
        result = at if at is None else self._rewritten.get(at, at)
        self._rewritten.update(dict.fromkeys(passed, result))
        return result

    # ------------------------------------------------------------------ --simplify-merges

    def simplify_merges(self, commits: Iterable[Commit]) -> list[Commit]:
        """Drop parents of merges that lead to nothing new; return the commits that are left, in the same order.

        Args:
            commits: All commits of the walk, no parent before a child.
        """
        ordered = list(commits)
        simplified: dict[str, str] = {}
        for commit in reversed(ordered):
            self._repository.access.charge(2)
            self._simplify(self._nodes[commit.oid], simplified)
        return [commit for commit in ordered if simplified[commit.oid] == commit.oid]

    def _simplify(self, node: Node, simplified: dict[str, str]) -> None:
        oid = node.commit.oid
        if self._first_parent:
            node.parents[:1] = [simplified.get(parent, parent) for parent in node.parents[:1]]
            first = node.parents[0] if node.parents else None
            simplified[oid] = simplified.get(first, first) if node.is_same and first is not None else oid
            return
        by_parent: dict[str, bool] = {}
        for parent, same in zip(node.parents, node.same):
            by_parent.setdefault(simplified.get(parent, parent), same)
        is_joined = len(by_parent) < len(node.parents)
        node.parents, node.same = list(by_parent), list(by_parent.values())
        if is_joined:
            self._compare_again(node)
        if len(node.parents) > 1:
            self._drop_parents(node)
        target = self._only_relevant(node.parents) if node.parents else None
        simplified[oid] = simplified.get(target, target) if node.is_same and target is not None else oid

    def _drop_parents(self, node: Node) -> None:
        """Drop the parents of a merge that others contain, and roots without the paths."""
        count = len(node.parents)
        dropped = {at for at, parent in enumerate(node.parents) if self._is_contained(parent, node.parents)}
        dropped |= {at for at, parent in enumerate(node.parents) if self._is_empty_root(parent)}
        if not dropped:
            return
        kept_same = any(node.same[at] for at in range(count) if at not in dropped)
        first_same = next((at for at in range(count) if node.same[at]), None)
        if not kept_same and first_same is not None and len(dropped) > 0:
            dropped.discard(first_same)  # a merge stays the same as one of its parents
        if not dropped:
            return
        kept = [at for at in range(count) if at not in dropped]
        node.parents = [node.parents[at] for at in kept]
        node.same = [node.same[at] for at in kept]
        self._compare_again(node)

    def _compare_again(self, node: Node) -> None:
        """Note whether a merge is the same as the parents that are left."""
        relevant = [same for parent, same in zip(node.parents, node.same) if self._is_relevant(parent)]
        node.is_same = all(relevant or node.same)

    def _is_contained(self, parent: str, parents: Sequence[str]) -> bool:
        return any(other != parent and is_ancestor(self._repository, parent, other) for other in parents)

    def _is_empty_root(self, parent: str) -> bool:
        node = self._nodes.get(parent)
        return node is not None and node.is_same and not node.parents

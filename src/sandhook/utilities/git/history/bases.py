"""Merge bases, and how far two commits are apart.

Source: git's commit-reach.c.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from sandhook.utilities.git.store.repository import Repository

_FIRST, _SECOND, _STALE, _RESULT = 1, 2, 4, 8


def _paint(repository: Repository, first: str, others: Sequence[str]) -> dict[str, int]:
    """Return the flags of the commits that are reachable from both sides, and of others on the way."""
    objects = repository.objects
    flags: dict[str, int] = {}
    queue: list[tuple[int, int, str]] = []
    number = 0

    def push(oid: str) -> None:
        nonlocal number
        heapq.heappush(queue, (-objects.commit(oid).committer.time, number, oid))
        number += 1

    flags[first] = _FIRST
    push(first)
    for other in others:
        flags[other] = flags.get(other, 0) | _SECOND
        push(other)
    while any(not flags[oid] & _STALE for _, _, oid in queue):
        repository.access.charge(4 + (len(queue) >> 4))
        oid = heapq.heappop(queue)[2]
        mine = flags[oid] & (_FIRST | _SECOND | _STALE)
        if mine == _FIRST | _SECOND:
            flags[oid] |= _RESULT
            mine |= _STALE
        for parent in objects.commit(oid).parents:
            if flags.get(parent, 0) & mine == mine:
                continue
            flags[parent] = flags.get(parent, 0) | mine
            push(parent)
    return flags


def merge_bases(repository: Repository, first: str, others: Sequence[str]) -> list[str]:
    """Return the best common ancestors of a commit and others, the youngest first."""
    if first in others:
        return [first]
    flags = _paint(repository, first, others)
    found = [oid for oid, flag in flags.items() if flag & _RESULT and not flag & _STALE]
    objects = repository.objects
    found.sort(key=lambda oid: -objects.commit(oid).committer.time)
    if len(found) < 2:
        return found
    return [
        oid
        for oid in found
        if not any(is_ancestor(repository, oid, other) for other in found if other != oid)
    ]


def independent(repository: Repository, commits: Sequence[str]) -> list[str]:
    """Return the commits that no other one of them reaches."""
    unique = list(dict.fromkeys(commits))
    return [
        oid
        for oid in unique
        if not any(is_ancestor(repository, oid, other) for other in unique if other != oid)
    ]


def octopus_bases(repository: Repository, commits: Sequence[str]) -> list[str]:
    """Return the best common ancestors of all commits, as a merge of several branches needs them."""
    bases = [commits[0]]
    for commit in commits[1:]:
        found = [base for oid in bases for base in merge_bases(repository, oid, [commit])]
        bases = list(dict.fromkeys(found))
    return independent(repository, bases)


def is_ancestor(repository: Repository, oid: str, other: str) -> bool:
    """Return True if ``oid`` is ``other``, or one of its ancestors."""
    if oid == other:
        return True
    flags = _paint(repository, oid, [other])
    return bool(flags[oid] & _SECOND)


def ahead_behind(repository: Repository, ours: str, theirs: str) -> tuple[int, int]:
    """Return how many commits each of two commits has that the other lacks."""
    from sandhook.utilities.git.history.walk import Walk

    if ours == theirs:
        return 0, 0
    return (
        sum(1 for _ in Walk(repository, [ours], [theirs])),
        sum(1 for _ in Walk(repository, [theirs], [ours])),
    )

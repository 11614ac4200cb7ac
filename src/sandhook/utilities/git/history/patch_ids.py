"""Patches that are equal apart from white space and positions, for cherry and rev-list --cherry-pick.

Source: git-patch-id(1), git-cherry(1).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from sandhook.utilities.git.diff.model import Side
from sandhook.utilities.git.diff.patch import Style, hunks
from sandhook.utilities.git.diff.trees import compare_trees
from sandhook.utilities.git.diff.xdiff import compare, split_lines
from sandhook.utilities.git.history.selection import Selection
from sandhook.utilities.git.history.walk import Walk
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.access import encode
from sandhook.utilities.git.store.commits import Commit
from sandhook.utilities.git.store.objects import GITLINK
from sandhook.utilities.git.store.repository import Repository

_LOOKED_AT = 8000  #: bytes of a file in which a NUL makes it binary


def equivalent_commits(selection: Selection) -> frozenset[str]:
    """Return the commits of both sides of "A...B" whose patches are on the other side, too."""
    ids = PatchIds(selection.repository)
    sides: dict[str, dict[bytes, list[str]]] = {"<": {}, ">": {}}
    starts = selection.starts
    for commit in Walk(selection.repository, starts.wanted, starts.unwanted):
        if len(commit.parents) < 2:
            sides[selection.mark(commit)].setdefault(ids.of(commit), []).append(commit.oid)
    both = sides["<"].keys() & sides[">"].keys()
    return frozenset(oid for side in sides.values() for patch in both for oid in side[patch])


class PatchIds:
    """Computes what identifies the patches of commits. The values mean nothing outside of one run."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._known: dict[str, bytes] = {}

    def of(self, commit: Commit) -> bytes:
        """Return what identifies the patch of a commit and its first parent."""
        if commit.oid not in self._known:
            self._known[commit.oid] = self._compute(commit)
        return self._known[commit.oid]

    def all(self, commits: Iterable[Commit]) -> frozenset[bytes]:
        """Return what identifies the patches of commits that are no merges."""
        return frozenset(self.of(commit) for commit in commits if len(commit.parents) < 2)

    def _compute(self, commit: Commit) -> bytes:
        objects, charge = self._repository.objects, self._repository.access.charge
        old_tree = objects.tree_of(commit.parents[0]) if commit.parents else None
        digest = hashlib.sha1(usedforsecurity=False)
        for pair in compare_trees(objects, old_tree, commit.tree, Pathspec([], charge)):
            digest.update(encode(f"\n{pair.old.path}\n{pair.new.path}\n{pair.old.exists}{pair.new.exists}\n"))
            old, new = self._data(pair.old), self._data(pair.new)
            if b"\0" in old[:_LOOKED_AT] or b"\0" in new[:_LOOKED_AT]:
                digest.update(encode(f"{pair.old.oid} {pair.new.oid}"))
                continue
            before, after = split_lines(old), split_lines(new)
            for piece in hunks(before, after, compare(before, after, charge), Style(), charge):
                if not piece.startswith(b"@@ "):
                    digest.update(b"".join(piece.split()))
        return digest.digest()

    def _data(self, side: Side) -> bytes:
        if not side.exists:
            return b""
        return encode(side.oid) if side.mode == GITLINK else self._repository.objects.get(side.oid).data

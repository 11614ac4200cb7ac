"""Follows symbolic links in trees, for cat-file --follow-symlinks.

Source: git-cat-file(1); git 2.39, get_tree_entry_follow_symlinks in tree-walk.c.
"""

from __future__ import annotations

from sandhook.record import Record
from sandhook.utilities.git.history.names import Names
from sandhook.utilities.git.store.access import decode
from sandhook.utilities.git.store.objects import SYMLINK, TREE
from sandhook.utilities.git.store.repository import Repository

_MOST_LINKS = 40


class Followed(Record):
    """What a path in a tree leads to: an object, or a problem with the path that is printed."""

    oid: str
    problem: str = ""
    path: str = ""

    def text(self, name: str) -> str:
        """Return what is printed about a problem."""
        if self.problem == "missing":
            return f"{name} missing"
        shown = self.path if self.problem == "symlink" else name
        return f"{self.problem} {len(shown.encode('utf-8', 'surrogateescape'))}\n{shown}"


class LinkedPath:
    """Resolves paths of trees."""

    def __init__(self, repository: Repository, names: Names) -> None:
        self._repository = repository
        self._names = names

    def resolve(self, revision: str, path: str) -> Followed:
        """Return the object of a path in the tree of a revision."""
        oid = self._names.find(revision)
        objects = self._repository.objects
        tree = None if oid is None else objects.peel(oid, "tree")
        if tree is None:
            return Followed("", "missing")
        above: list[str] = []  # the trees from the top down to the directory
        here, mode = tree, TREE
        parts = list(reversed([part for part in path.split("/") if part]))
        links = 0
        while parts:
            self._repository.access.charge(1)
            part = parts.pop()
            if mode != TREE:
                return Followed("", "notdir" if links else "missing")
            if part == ".":
                continue
            if part == "..":
                if not above:
                    rest = "/".join(["..", *reversed(parts)])
                    return Followed("", "symlink", rest) if links else Followed("", "missing")
                here = above.pop()
                continue
            item = next((each for each in objects.tree(here) if each.name == part), None)
            if item is None:
                return Followed("", "dangling" if links else "missing")
            if item.mode == SYMLINK:
                links += 1
                if links > _MOST_LINKS:
                    return Followed("", "loop")
                target = decode(objects.get(item.oid).data)
                if target.startswith("/"):
                    return Followed("", "symlink", target)
                more = [each for each in target.split("/") if each]
                self._repository.ctx.budget.check_fits((len(more) + len(parts)) * 64)
                parts += reversed(more)
                continue
            above.append(here)
            here, mode = item.oid, item.mode
        return Followed(here)

"""Compares trees with each other, and with the index."""

from __future__ import annotations

from collections.abc import Iterator

from sandhook.utilities.git.diff.model import Pair, Side, pair_of
from sandhook.utilities.git.names.pathspec import Pathspec
from sandhook.utilities.git.store.index import Index, IndexEntry, order
from sandhook.utilities.git.store.objects import TREE, ObjectStore, TreeItem

_DEEPEST = 1000  #: levels of directories; a hostile tree can contain itself only through a collision


def walk_tree(objects: ObjectStore, tree: str | None, pathspec: Pathspec, base: str = "") -> Iterator[Side]:
    """Yield the files of a tree that a pathspec selects, in order of the index."""
    if tree is None:
        return
    _check_depth(objects, base)
    for item in objects.tree(tree):
        path = base + item.name
        if item.mode == TREE:
            if pathspec.may_match_below(path):
                yield from walk_tree(objects, item.oid, pathspec, path + "/")
        elif pathspec.matches(path):
            objects.access.charge(1)
            yield Side(path, item.mode, item.oid)


def _check_depth(objects: ObjectStore, base: str) -> None:
    if base.count("/") > _DEEPEST:
        objects.access.ctx.budget.fail("nesting")


def compare_trees(
    objects: ObjectStore, old: str | None, new: str | None, pathspec: Pathspec, base: str = ""
) -> Iterator[Pair]:
    """Yield the files that differ between two trees; None for an empty tree. Equal subtrees are not read."""
    if old == new:
        return
    _check_depth(objects, base)
    olds = {_key(item): item for item in objects.tree(old)} if old is not None else {}
    news = {_key(item): item for item in objects.tree(new)} if new is not None else {}
    for key in sorted(olds.keys() | news.keys()):
        first, second = olds.get(key), news.get(key)
        if first is not None and second is not None and first[1:] == second[1:]:
            continue
        objects.access.charge(2)
        item = first or second
        assert item is not None
        path = base + item.name
        if item.mode == TREE:
            if pathspec.may_match_below(path):
                before = None if first is None else first.oid
                after = None if second is None else second.oid
                yield from compare_trees(objects, before, after, pathspec, path + "/")
        elif pathspec.matches(path):
            yield pair_of(path, _side(path, first), _side(path, second))


def _key(item: TreeItem) -> bytes:
    """Return the key of git's order: directories sort as if their names ended in a slash."""
    return order(item.name + "/" if item.mode == TREE else item.name)


def _side(path: str, item: TreeItem | None) -> Side | None:
    return None if item is None else Side(path, item.mode, item.oid)


def top_level_changes(objects: ObjectStore, old: str | None, new: str | None) -> Iterator[Pair]:
    """Yield the entries of two trees that differ, without a look into subtrees."""
    olds = {_key(item): item for item in objects.tree(old)} if old is not None else {}
    news = {_key(item): item for item in objects.tree(new)} if new is not None else {}
    for key in sorted(olds.keys() | news.keys()):
        first, second = olds.get(key), news.get(key)
        item = first or second
        if item is not None and (first is None or second is None or first[1:] != second[1:]):
            yield pair_of(item.name, _side(item.name, first), _side(item.name, second))


def compare_with_index(
    objects: ObjectStore, tree: str | None, index: Index, pathspec: Pathspec, *, intended: bool = False
) -> Iterator[Pair]:
    """Yield what differs between a tree and the index.

    Args:
        intended: Entries of "git add -N" count as files.
    """
    olds = {side.path: side for side in walk_tree(objects, tree, pathspec)}
    staged: dict[str, list[IndexEntry]] = {
        path: entries for path, entries in index.by_path.items() if pathspec.matches(path)
    }
    for path in sorted(olds.keys() | staged.keys(), key=order):
        objects.access.charge(1)
        entries = [entry for entry in staged.get(path, []) if intended or not entry.intended]
        old = olds.get(path)
        if entries and entries[0].stage:
            yield Pair(old or Side(path, 0, "0" * 40), Side(path, 0, "0" * 40), "U")
            continue
        new = Side(path, entries[0].mode, entries[0].oid) if entries else None
        if old is None and new is None:
            continue
        if old is None or new is None or (old.mode, old.oid) != (new.mode, new.oid):
            yield pair_of(path, old, new)

"""Forks of a memory file system: two trees that share the inodes of a third, which nothing changes any more.

To fork copies two roots and nothing else. Each tree copies another inode when it first needs it by its name, so that
the code that walks and changes trees handles inodes of its own alone. Threads of several forks may read the shared
inodes at once, because reading does not change them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sandhook.typed import TYPE_CHECKING
from sandhook.vfs.inode import NO_CHILDREN, S_IFDIR, S_IFMT, DynamicChildren, Inode

if TYPE_CHECKING:
    from collections.abc import ItemsView, ValuesView

#: A directory whose changes are more than this part of its entries gets a new base, see ``ForkedChildren``.
_PART = 2


def fork(root: Inode) -> tuple[Inode, Inode]:
    """Return the roots of two trees that begin as the one below ``root``, which must not be changed after that."""
    children = root.children
    former = children.copies if isinstance(children, ForkedChildren) else None
    return Copies(former).copy(root), Copies(former).copy(root)


class Copies:
    """Copies shared inodes for one tree.

    Args:
        former: The copies of the tree that is shared now, if that was a fork too.

    Attributes:
        linked: Copies of files that have several names, or had them, by inode number: each name leads to the same copy.
    """

    __slots__ = ("_changed", "_former", "linked")

    def __init__(self, former: Copies | None) -> None:
        if former is not None and not former.linked:
            former = former._former
        self._former: Copies | None = former
        self._changed: dict[int, Inode] | None = None
        self.linked: dict[int, Inode] = {}

    def _shared(self) -> dict[int, Inode]:
        """Return the newest shared inode of each file with several names that a former tree copied.

        A directory that no former tree used still has an older one.
        """
        if self._changed is None:
            former = self._former
            self._changed = {} if former is None else {**former._shared(), **former.linked}
        return self._changed

    def copy(self, node: Inode) -> Inode:
        """Return this tree's inode for a shared one."""
        if node.mode & S_IFMT == S_IFDIR:
            return self._copy(node)
        number, shared = node.ino, self._shared()
        if node.links == 1 and number not in shared:
            return self._copy(node)
        if number not in self.linked:
            self.linked[number] = self._copy(shared.get(number, node))
        return self.linked[number]

    def _copy(self, node: Inode) -> Inode:
        kind = node.__class__
        new = kind.__new__(kind)
        new.mode, new.ino, new.uid, new.gid = node.mode, node.ino, node.uid, node.gid
        new.mtime, new.atime, new.ctime = node.mtime, node.atime, node.ctime
        new.links, new.opens, new.target = node.links, 0, node.target
        data = node.data
        if isinstance(data, bytearray):  # it would be changed in place
            data = node.data = bytes(data)
        new.data = data
        if kind is not Inode:  # a directory that nobody has read: it creates its entries, here as there
            new.unread = node.unread
            return new
        children = node.children
        if children is NO_CHILDREN:
            new.children = children
        elif isinstance(children, ForkedChildren):
            new.children = children.again(self)
        elif isinstance(children, DynamicChildren):
            new.children = children.fresh()
            for name, child in children.items():
                new.children[name] = self.copy(child)
        else:
            assert isinstance(children, dict)
            new.children = ForkedChildren(children, {}, self)
        return new


class ForkedChildren(dict[str, Inode]):
    """The entries of a directory in a fork: as a dictionary the inodes of this tree, after it the shared ones.

    Of the methods of a dictionary only those of ``inode.Children`` see all entries.

    Args:
        base: Shared entries.
        changes: Shared entries that were added to the base since, or replaced; None for those that were removed.
        copies: Copies shared inodes for this tree.
    """

    __slots__ = ("_base", "_changes", "_own", "copies")

    def __init__(
        self, base: Mapping[str, Inode], changes: Mapping[str, Inode | None], copies: Copies
    ) -> None:
        super().__init__()
        self._base = base
        self._changes = changes
        self._own: set[str] = set()  # names whose shared entry no longer counts
        self.copies = copies

    def again(self, copies: Copies) -> ForkedChildren:
        """Return these entries for a fork of this tree."""
        base = self._base
        if not self._own and not super().__len__():
            return ForkedChildren(base, self._changes, copies)
        changes = {name: node for name, node in self._changes.items() if name not in self._own}
        changes.update((name, None) for name in self._own if name in base)
        changes.update(super().items())
        if len(changes) * _PART <= len(base):
            return ForkedChildren(base, changes, copies)
        entries = {**base, **changes}
        return ForkedChildren({name: node for name, node in entries.items() if node is not None}, {}, copies)

    def _shared(self, name: str) -> Inode | None:
        if name in self._own:
            return None
        return self._changes[name] if name in self._changes else self._base.get(name)

    def _names(self) -> Iterator[str]:
        """Yield the names of the shared entries that this tree has not copied."""
        for name, node in self._changes.items():
            if node is not None and name not in self._own:
                yield name
        for name in self._base:
            if name not in self._changes and name not in self._own:
                yield name

    def _complete(self) -> None:
        for name in list(self._names()):
            self[name]
        self._base, self._changes = {}, {}

    def __missing__(self, name: str) -> Inode:
        shared = self._shared(name)
        if shared is None:
            raise KeyError(name)
        node = self.copies.copy(shared)
        self[name] = node
        return node

    def __setitem__(self, name: str, node: Inode) -> None:
        if self._shared(name) is not None:
            self._own.add(name)
        super().__setitem__(name, node)

    def __delitem__(self, name: str) -> None:
        if self._shared(name) is not None:
            self._own.add(name)
        else:
            super().__delitem__(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and self._shared(name) is not None)

    def __bool__(self) -> bool:
        return super().__len__() > 0 or next(self._names(), None) is not None

    def __len__(self) -> int:
        return super().__len__() + sum(1 for _ in self._names())

    def __iter__(self) -> Iterator[str]:
        yield from list(super().__iter__())
        yield from list(self._names())

    def get(self, name: str) -> Inode | None:  # type: ignore[override]
        try:
            return self[name]
        except KeyError:
            return None

    def values(self) -> ValuesView[Inode]:  # type: ignore[override]
        self._complete()
        return super().values()

    def items(self) -> ItemsView[str, Inode]:  # type: ignore[override]
        self._complete()
        return super().items()

"""Change: one difference between two states of a file system."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sandhook.record import Record
from sandhook.typed import Final, Literal, TypeAlias
from sandhook.vfs.path import VirtualPath

ChangeKind: TypeAlias = Literal["created", "modified", "deleted", "chmod"]

CREATED: Final = "created"
MODIFIED: Final = "modified"
DELETED: Final = "deleted"
CHMOD: Final = "chmod"


class Change(Record):
    """One path that differs.

    Attributes:
        kind: The kind of change; "chmod" if only permission bits differ.
        path: The path; absolute and free of links.
        mode: The new type and permission bits; the old ones for "deleted".
        read: Returns the new contents of a regular file, or the encoded target of a symbolic link;
            b"" for everything else.
    """

    kind: ChangeKind
    path: VirtualPath
    mode: int
    read: Callable[[], bytes]

    @property
    def is_dir(self) -> bool:
        return self.mode & 0o170000 == 0o040000

    @property
    def is_link(self) -> bool:
        return self.mode & 0o170000 == 0o120000

    @property
    def is_file(self) -> bool:
        return self.mode & 0o170000 == 0o100000

    def content(self) -> bytes:
        """Return the contents, or the encoded target of a link."""
        return self.read()


class Changes(tuple[Change, ...]):
    """Changes in an order in which they can be applied: deletions deepest first, then the rest by path."""

    __slots__ = ()

    @classmethod
    def ordered(cls, changes: list[Change]) -> Changes:
        deletions = [change for change in changes if change.kind == DELETED]
        others = [change for change in changes if change.kind != DELETED]
        deletions.sort(key=lambda change: change.path, reverse=True)
        others.sort(key=lambda change: change.path)
        return cls(deletions + others)

    def _paths(self, kind: str) -> Iterator[VirtualPath]:
        return (change.path for change in self if change.kind == kind)

    @property
    def created(self) -> list[VirtualPath]:
        return list(self._paths(CREATED))

    @property
    def modified(self) -> list[VirtualPath]:
        return list(self._paths(MODIFIED))

    @property
    def deleted(self) -> list[VirtualPath]:
        return list(self._paths(DELETED))

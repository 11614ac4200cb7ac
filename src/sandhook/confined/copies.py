"""The files of a run in a worker: copies of the host's files in memory, which the worker keeps for later runs."""

from __future__ import annotations

from sandhook.confined.files import RemoteFileSystem
from sandhook.isolation import wire
from sandhook.vfs.base import FileSystem
from sandhook.vfs.delta import decode, delta, encode
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.snapshot import Snapshot
from sandhook.vfs.temporary import remove_temporary, write_temporary


class Tree:
    """The copy of a memory file system.

    Args:
        header: The first of it.
    """

    def __init__(self, header: wire.TreeHeader) -> None:
        uid, gid, bare = header["user"]
        self.fs = MemoryFileSystem(uid=uid, gid=gid, bare=bare)
        self._clock = self.fs.watch()
        self._state: Snapshot | None = None
        self._seen = -1

    def bring_up_to_date(self, header: wire.TreeHeader, changes: bytes) -> None:
        """Apply what the host sends."""
        if changes:
            self.fs.apply(decode(changes))
        available, names, limit = header["quota"]
        self.fs.quota_left = available, names, limit

    def remember(self) -> None:
        """Save the state that ``changes`` compares with, unless the saved one is still right."""
        if self._state is None or self._clock.calls != self._seen:
            self._state = self.fs.snapshot()
            self._seen = self._clock.calls

    def mark(self) -> int:
        """Return a number that grows with every change."""
        return self._clock.calls

    def keep_state(self) -> None:
        """Go on with the saved state: everything since then was undone."""
        self._seen = self._clock.calls

    def changes(self) -> bytes:
        """Return what changed since ``remember``, and remember the present state."""
        if self._clock.calls == self._seen:
            return b""
        before = self._state
        assert before is not None
        self.remember()
        assert self._state is not None
        return encode(delta(before, self._state))


class Copies:
    """The copies that the worker has, and the files of the present run."""

    def __init__(self) -> None:
        self._trees: dict[int, Tree] = {}
        self._changing: Tree | None = None
        self._overlay: OverlayFileSystem | None = None
        self._known: frozenset[VirtualPath] = frozenset()
        self._temporary: list[VirtualPath] = []
        self._mark = 0

    def prepare(self, header: wire.RunHeader, blocks: list[bytes], notes: list[str]) -> FileSystem:
        """Return the files as the host has them now, with the temporary ones of this run.

        Args:
            blocks: The delta of each tree, then the contents of each temporary file.
            notes: Receives a line for each temporary file that cannot be written.
        """
        for number in header["forget"]:
            self._trees.pop(number, None)
        trees = [self._tree(*each) for each in zip(header["trees"], blocks)]
        self._changing = self._overlay = None
        if not trees:
            return RemoteFileSystem()
        changing = self._changing = trees[-1]
        fs: FileSystem = changing.fs
        if (overlay := header["overlay"]) is not None:
            self._known = frozenset(map(VirtualPath, overlay["whiteouts"]))
            uid, gid = overlay["user"]
            fs = self._overlay = OverlayFileSystem.of(trees[0].fs, changing.fs, set(self._known), (uid, gid))
        changing.remember()
        replaces = any(fs.exists(VirtualPath(path)) for path in header["temporary"])
        self._temporary = write_temporary(fs, zip(header["temporary"], blocks[len(trees) :]), notes)
        self._mark = -1 if replaces else changing.mark()
        return fs

    def _tree(self, header: wire.TreeHeader, changes: bytes) -> Tree:
        tree = None if header["fresh"] else self._trees.get(header["number"])
        if tree is None:
            tree = self._trees[header["number"]] = Tree(header)
        tree.bring_up_to_date(header, changes)
        return tree

    def changes(self) -> tuple[bytes, list[VirtualPath]]:
        """Remove the temporary files; return what else the run changed, and its new whiteouts."""
        tree = self._changing
        if tree is None:
            return b"", []
        untouched = tree.mark() == self._mark
        remove_temporary(self._overlay or tree.fs, self._temporary)
        whiteouts = [] if self._overlay is None else sorted(self._overlay.whiteouts - self._known)
        if untouched:
            tree.keep_state()
        return tree.changes(), whiteouts

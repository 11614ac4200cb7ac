"""Copies of one file system in several workers: versions, and what changed from one to the next."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from threading import RLock
from weakref import WeakKeyDictionary, ref

from sandhook.record import Record
from sandhook.vfs.base import FileSystem
from sandhook.vfs.delta import check_plain, decode, delta, encode
from sandhook.vfs.locked import LockedFileSystem
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.snapshot import Snapshot

#: How many versions a worker may lack before it receives everything again.
_KEPT = 16

_NUMBERS = count(1)


class Delta(Record):
    """What turns a worker's copy into the present state.

    Attributes:
        version: Of the present state.
        fresh: The changes are those to a new file system, not to the copy.
        changes: As ``vfs.delta`` encodes them.
        quota: What is left, see ``MemoryFileSystem.quota_left``.
    """

    version: int
    fresh: bool
    changes: bytes
    quota: tuple[int, int, int]


class SharedFiles:
    """A memory file system that runs in workers see copies of.

    A run begins with the present state. What it changed is brought in when it ends, and wins over changes that
    were made meanwhile to the same path. Does not keep the file system alive.

    Attributes:
        number: Identifies the file system in messages.
        user: See ``MemoryFileSystem.user``.
    """

    def __init__(self, fs: MemoryFileSystem) -> None:
        self.number = next(_NUMBERS)
        self.user = fs.user
        self._lock = RLock()
        self._fs = ref(fs)
        self._clock = fs.watch()
        self._calls_before = -1
        self._version = 0
        self._state: Snapshot | None = None
        self._deltas: dict[int, bytes] = {}
        self._whole: tuple[int, bytes] = (-1, b"")

    def since(self, version: int | None) -> Delta:
        """Return what a copy lacks that has ``version``; None for no copy."""
        with self._lock:
            fs = self._files()
            self._look(fs)
            now, quota = self._version, fs.quota_left
            if version == now:
                return Delta(now, False, b"", quota)
            if version is not None and all(each in self._deltas for each in range(version + 1, now + 1)):
                pieces = [self._deltas[each] for each in range(version + 1, now + 1)]
                return Delta(now, False, b"".join(pieces), quota)
            if self._whole[0] != now:
                assert self._state is not None
                self._whole = now, encode(delta(self._new_files(), self._state, times=False))
            return Delta(now, True, self._whole[1], quota)

    def bring_in(self, version: int, changes: bytes) -> int | None:
        """Apply what a run changed that began with ``version``; return the version of its worker's copy.

        None means that others changed the files meanwhile, so the copy differs. Raises ValueError for bytes that
        are not a delta, and for changes beyond the quota, which the run had itself; then nothing has changed.
        """
        if not changes:
            return version
        entries = decode(changes)
        with self._lock:
            fs = self._files()
            self._look(fs)
            alone = self._version == version
            before = fs.quota_left
            fs.apply(entries)
            if missing := _missing(before, fs.quota_left):
                assert self._state is not None
                fs.restore(self._state)
                self._calls_before = self._clock.calls
                raise ValueError(f"its changes need {missing} more than the files may have")
            self._state = fs.snapshot()
            self._calls_before = self._clock.calls
            self._append(changes)
            return self._version if alone else None

    def _files(self) -> MemoryFileSystem:
        fs = self._fs()
        assert fs is not None, "the caller holds it"
        return fs

    def _look(self, fs: MemoryFileSystem) -> None:
        """Notice what was changed directly since the last look."""
        if self._clock.calls == self._calls_before:
            return
        state = fs.snapshot()
        if self._state is not None and (changed := delta(self._state, state)):
            self._append(encode(changed))
        self._state = state
        self._calls_before = self._clock.calls

    def _append(self, changes: bytes) -> None:
        self._version += 1
        self._deltas[self._version] = changes
        self._deltas.pop(self._version - _KEPT, None)

    def _new_files(self) -> Snapshot:
        uid, gid, bare = self.user
        return MemoryFileSystem(uid=uid, gid=gid, bare=bare).snapshot()


_SHARED: WeakKeyDictionary[MemoryFileSystem, SharedFiles] = WeakKeyDictionary()
_LOCK = RLock()


def shared(fs: MemoryFileSystem) -> SharedFiles:
    """Return the versions of a file system; all shells over it have the same."""
    with _LOCK:
        files = _SHARED.get(fs)
        if files is None:
            files = _SHARED[fs] = SharedFiles(fs)
        return files


class Copies:
    """A file system that workers have whole copies of: a memory file system, or an overlay over one.

    Attributes:
        trees: The memory file systems that it consists of. A run changes the last one alone.
        overlay: The overlay, whose lower and upper file systems the trees are; None for a single tree.
        lock: Held while the files are compared or changed.
    """

    def __init__(
        self, trees: Iterable[MemoryFileSystem], overlay: OverlayFileSystem | None, lock: RLock | None
    ) -> None:
        self.trees = tuple(map(shared, trees))
        self.overlay = overlay
        self.lock = lock or RLock()

    def bring_in(self, version: int, changes: bytes, whiteouts: Iterable[object]) -> int | None:
        """Apply what a run changed; see ``SharedFiles.bring_in``. Raises ValueError for anything but plain paths.

        A whiteout for a file that the overlay's lower file system does not have has no effect, and is not kept.
        """
        deleted = {_plain(path) for path in whiteouts}
        if deleted and self.overlay is None:
            raise ValueError("whiteouts without an overlay")
        with self.lock:
            now = self.trees[-1].bring_in(version, changes)
            if self.overlay is not None:
                self.overlay.hide(sorted(deleted))
            return now


def _missing(before: tuple[int, int, int], after: tuple[int, int, int]) -> str:
    """Return what a file system lacks after changes; "" if it has enough, or lacked as much before."""
    words = ("bytes", "names")
    return ", ".join(
        f"{-now} {word}" for word, was, now in zip(words, before, after) if now < 0 and now < was
    )


def copies_of(fs: FileSystem) -> Copies | None:
    """Return how workers copy a file system; None for files that they ask this process for."""
    lock = None
    if isinstance(fs, LockedFileSystem):
        lock = fs.lock
        fs = fs.files
    if type(fs) is MemoryFileSystem:
        return Copies((fs,), None, lock)
    if type(fs) is OverlayFileSystem:
        lower = fs.lower.files if isinstance(fs.lower, LockedFileSystem) else fs.lower
        if type(lower) is MemoryFileSystem:
            return Copies((lower, fs.upper), fs, lock)
    return None


def _plain(path: object) -> VirtualPath:
    if not isinstance(path, str):
        raise ValueError(f"{path!r} is not a path")
    try:
        return check_plain(VirtualPath(path))
    except OSError as error:
        raise ValueError(str(error)) from None

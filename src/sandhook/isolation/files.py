"""Copies of one file system in several workers: versions, and what changed from one to the next."""

from __future__ import annotations

from itertools import count
from threading import RLock
from weakref import WeakKeyDictionary

from sandhook.vfs.delta import decode, delta, encode
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.snapshot import Snapshot

#: How many versions a worker may lack before it receives everything again.
_KEPT = 16

_NUMBERS = count(1)


class SharedFiles:
    """A memory file system that runs in workers see copies of.

    A run begins with the present state. What it changed is brought in when it ends, and wins over changes that were
    made meanwhile to the same path.

    Attributes:
        number: Identifies the file system in messages.
        lock: Held while the file system is compared or changed. Callers that change it while runs go on hold it too.
    """

    def __init__(self, fs: MemoryFileSystem) -> None:
        self.number = next(_NUMBERS)
        self.lock = RLock()
        self._fs = fs
        self._clock = fs.watch()
        self._seen = -1
        self._version = 0
        self._state: Snapshot | None = None
        self._deltas: dict[int, bytes] = {}
        self._whole: tuple[int, bytes] = (-1, b"")

    def since(self, version: int | None) -> tuple[int, bool, bytes, tuple[int, int, int]]:
        """Return the present version, whether the delta begins anew, the delta, and the quota that is left.

        Args:
            version: What the worker has; None for nothing.
        """
        with self.lock:
            self._look()
            now = self._version
            if version == now:
                return now, False, b"", self._fs.quota_left
            if version is not None and all(each in self._deltas for each in range(version + 1, now + 1)):
                pieces = [self._deltas[each] for each in range(version + 1, now + 1)]
                return now, False, b"".join(pieces), self._fs.quota_left
            if self._whole[0] != now:
                assert self._state is not None
                self._whole = now, encode(delta(_new_files(), self._state, times=False))
            return now, True, self._whole[1], self._fs.quota_left

    def bring_in(self, version: int, changes: bytes) -> int | None:
        """Apply what a run changed that began with ``version``; return the version of its worker's copy.

        None means that others changed the files meanwhile, so the copy differs. Raises ValueError for bytes that
        are not a delta.
        """
        if not changes:
            return version
        entries = decode(changes)
        with self.lock:
            self._look()
            alone = self._version == version
            self._fs.apply(entries)
            self._state = self._fs.snapshot()
            self._seen = self._clock.calls
            self._append(changes)
            return self._version if alone else None

    def _look(self) -> None:
        """Notice what was changed directly since the last look."""
        if self._clock.calls == self._seen:
            return
        state = self._fs.snapshot()
        if self._state is not None and (changed := delta(self._state, state)):
            self._append(encode(changed))
        self._state = state
        self._seen = self._clock.calls

    def _append(self, changes: bytes) -> None:
        self._version += 1
        self._deltas[self._version] = changes
        self._deltas.pop(self._version - _KEPT, None)


_SHARED: WeakKeyDictionary[MemoryFileSystem, SharedFiles] = WeakKeyDictionary()
_LOCK = RLock()


def shared(fs: MemoryFileSystem) -> SharedFiles:
    """Return the versions of a file system; all shells over it have the same."""
    with _LOCK:
        files = _SHARED.get(fs)
        if files is None:
            files = _SHARED[fs] = SharedFiles(fs)
        return files


def _new_files() -> Snapshot:
    return MemoryFileSystem().snapshot()

"""What an engine was made from: files, directories and links, and whether any of them changed since."""

# A fire calls stat(2) for each file: os.stat takes a third of the time of a Path.
# ruff: noqa: PTH116

from __future__ import annotations

import os
import time

from sandhook.hooks.trust import HostMachine, shell_name

#: A file that changed twice within one tick of the file system's clock looks unchanged; ticks are shorter than this.
_TICK_SECONDS = 0.05

_Signature = tuple[int, int, int, int, int, int]


class Watch:
    """Remembers the state of files, and finds the first that changed.

    Every fire asks, so that a revoked approval or a changed guard counts at once. One question costs a call of
    stat(2) for each file.
    """

    def __init__(self) -> None:
        self._files: dict[str, _Signature | None] = {}
        self._targets: dict[str, str] = {}
        self._youngest = 0.0
        self._made = time.time()

    def add(self, path: str) -> None:
        """Watch a file or a directory, which need not exist."""
        if path not in self._files:
            signature = self._files[path] = _signature(path)
            if signature is not None:
                self._youngest = max(self._youngest, signature[0] / 1e9, signature[1] / 1e9)

    def add_target(self, path: str, target: str) -> None:
        """Watch where a path leads."""
        self._targets[path] = target

    def renewed(self) -> Watch:
        """Return a watch of the same files as they are now."""
        other = Watch()
        for path in self._files:
            other.add(path)
        for path in self._targets:
            other.add_target(path, shell_name(os.path.realpath(path)))
        return other

    def differs(self, path: str) -> bool:
        """Return whether one of the watched files is not as it was."""
        return path in self._files and _signature(path) != self._files[path]

    def changed(self) -> str | None:
        """Return a path that is not as it was, None when all are.

        A file that was written within the tick in which it was read counts as changed once.
        """
        if self._youngest and time.time() > self._youngest + _TICK_SECONDS:
            young, self._youngest = self._youngest, 0.0
            if self._made < young + _TICK_SECONDS:
                return "a file that changed just before it was read"
        for path, signature in self._files.items():
            if _signature(path) != signature:
                return path
        for path, target in self._targets.items():
            if shell_name(os.path.realpath(path)) != target:
                return path
        return None


def _signature(path: str) -> _Signature | None:
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return None
    return (info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino, info.st_dev, info.st_mode)


class WatchedMachine(HostMachine):
    """The files of this machine, each of which is watched when something reads it."""

    def __init__(self, project: str, watch: Watch) -> None:
        super().__init__(project)
        self._watch = watch

    def read(self, path: str) -> bytes | None:
        self._watch.add(self._native(path))
        return super().read(path)

    def hashed(self, path: str, most: int) -> tuple[str, int] | None:
        self._watch.add(self._native(path))
        return super().hashed(path, most)

    def names(self, path: str) -> list[str] | None:
        self._watch.add(self._native(path))
        return super().names(path)

    def resolve(self, path: str) -> str:
        target = super().resolve(path)
        self._watch.add_target(self._native(path), target)
        return target

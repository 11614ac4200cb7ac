"""Directories of the host in the sandbox: a workspace with copy-on-write, and mounts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sandhook.cli import UsageError
from sandhook.hooks import workspace as hooks
from sandhook.vfs.base import FileSystem
from sandhook.vfs.changes import Changes
from sandhook.vfs.hostdir import HostDirectory, apply_changes
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath

MODES = ("ro", "overlay", "rw")


class Workspace(hooks.Workspace):
    """A workspace whose changes can be written to its directory by ``finish``."""

    def __init__(self, directory: str) -> None:
        try:
            super().__init__(directory)
        except OSError as error:
            raise UsageError(f"{directory}: {error.strerror}") from None
        self._directory = directory

    def show(self, files: Mapping[str, bytes]) -> None:
        """Add files in addition to those of the directory.

        Args:
            files: Contents by absolute path in the sandbox.
        """
        try:
            self._root.populate(files, VirtualPath("/"))
        except (OSError, ValueError) as error:
            raise UsageError(f"the scripts of the hooks cannot be shown: {error}") from None

    def finish(self, *, write_back: bool, report: Callable[[str], None], also: Sequence[str] = ()) -> None:
        """List the changes and, with ``write_back``, apply them to the directory.

        Args:
            also: Paths that are written although they would be refused, see ``cli.write_back``.
        """
        changes = self._changes(report)
        if not changes and not also:
            return
        from sandhook.cli.write_back import Review, change_line, report_refused

        for change in changes:
            report(change_line(change))
        if not write_back:
            report(f"{len(changes)} change(s) not written back to {self._directory} (--write-back does it)")
            return
        review = Review(self._directory, also)
        allowed, refused = review.split(changes)
        try:
            paths = apply_changes(allowed, self._directory)
        except OSError as error:
            raise UsageError(f"--write-back: {error.filename or ''}: {error.strerror}") from None
        report_refused(refused, report)
        for name in review.unused(changes):
            report(f"--write-back-also {name}: no hook changed it")
        report(f"{len(paths)} change(s) written to {self._directory}")

    def _changes(self, report: Callable[[str], None]) -> Changes:
        """Return the changes of all sources; of two that change one file differently, the later one counts."""
        by_path = {change.path: change for change in self._overlay.changes()}
        for source, overlay in self._views.items():
            for change in overlay.changes():
                other = by_path.get(change.path)
                if other is not None and (other.kind, other.content()) != (change.kind, change.content()):
                    report(
                        f"conflict: /workspace{change.path}: hooks of several files change it; {source} counts"
                    )
                by_path[change.path] = change
        return Changes.ordered(list(by_path.values()))


def mounted(specifications: list[str]) -> FileSystem:
    """Return a namespace with ``HOST:VIRTUAL[:ro|overlay|rw]`` mounts; the default mode is overlay."""
    table = MountTable(MemoryFileSystem())
    for text in specifications:
        host, point, mode = split_mount(text)
        fs: FileSystem = _host(host, writable=mode == "rw")
        if mode == "overlay":
            fs = OverlayFileSystem(fs)
        try:
            table.mount(VirtualPath(point), fs)
        except OSError as error:
            raise UsageError(f"--mount {text}: {error.strerror}") from None
    return table


def split_mount(text: str) -> tuple[str, str, str]:
    """Return the host directory, the mount point and the mode; the host directory may have a drive letter."""
    place, _, mode = text.rpartition(":")
    if mode.startswith(("/", "\\")) or not place:
        place, mode = text, "overlay"
    elif mode not in MODES:
        raise UsageError(f"--mount {text}: the mode must be one of {', '.join(MODES)}, not {mode!r}")
    at = place.rfind(":/")
    if at <= 0:
        raise UsageError(f"--mount {text}: wanted HOST:VIRTUAL[:ro|overlay|rw] with an absolute VIRTUAL")
    return place[:at], place[at + 1 :], mode


def _host(directory: str, *, writable: bool) -> HostDirectory:
    try:
        return HostDirectory(directory, writable)
    except OSError as error:
        raise UsageError(f"{directory}: {error.strerror}") from None

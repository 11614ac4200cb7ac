"""Workspace: a directory of the machine as hooks in the sandbox see it, whose changes stay in memory."""

from __future__ import annotations

import os
import sys

from sandhook.typed import TYPE_CHECKING
from sandhook.vfs.hostdir import HostDirectory
from sandhook.vfs.memory import MemoryFileSystem
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.overlay import OverlayFileSystem
from sandhook.vfs.path import VirtualPath

if TYPE_CHECKING:
    from sandhook.vfs.base import FileSystem


class Workspace:
    """A directory of the machine, shown as /workspace; changes of hooks stay in memory.

    ``SandboxRunner(workspace.fs, view=workspace.view)`` runs hooks there. The directory is also shown under its own
    path, because agents pass absolute paths to their hooks. A directory of a Windows host has such a path, too: see
    ``sandhook.host.drives``. What other programs change in it is seen at once.

    Args:
        directory: Its path.

    Attributes:
        directory: Its absolute path.
        fs: The whole namespace.

    Raises OSError for what is not a directory.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = os.path.abspath(directory)  # noqa: PTH100 - pathlib costs 10 ms
        self._overlay = OverlayFileSystem(HostDirectory(os.fspath(directory), False))
        self._root = MemoryFileSystem()
        self._views: dict[str, OverlayFileSystem] = {}
        self.fs: FileSystem = self._namespace(self._root, self._overlay)

    def view(self, source: str) -> FileSystem:
        """Return the namespace for the hooks of one source, with changes of its own."""
        overlay = self._views[source] = OverlayFileSystem(self._overlay)
        return self._namespace(OverlayFileSystem(self._root), overlay)

    def _namespace(self, root: FileSystem, overlay: OverlayFileSystem) -> FileSystem:
        own_path = self.directory
        table = MountTable(root)
        if sys.platform == "win32":
            from sandhook.host.drives import HostPaths, sandbox_path

            table = HostPaths(root)
            own_path = sandbox_path(own_path)
        table.mount(VirtualPath("/workspace"), overlay)
        if own_path.startswith("/") and own_path.rstrip("/") not in ("", "/workspace"):
            table.mount(VirtualPath(own_path), overlay)
        return table

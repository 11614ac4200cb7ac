r"""Paths of a Windows host in the sandbox, where agents and their hooks name them as Windows does.

A directory ``C:\work`` is shown at /c/work, as in the bash of Git for Windows. Payload and variables of an agent still
have ``C:\work``, and so has a script with ``"$PROJECT_DIR/lint.sh"``; both names lead to the file.
"""

from __future__ import annotations

from sandhook.host.names import is_drive, to_virtual
from sandhook.vfs.mounts import MountTable
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.resolving import Place


class HostPaths(MountTable):
    r"""A table that also resolves names of the host: /workspace/C:\work/f is /c/work/f.

    The shell joins the working directory and each name that does not begin with "/".
    """

    def _walk(self, path: str, follow: bool) -> Place:
        return super()._walk(sandbox_path(path), follow)

    def _entry(self, path: str) -> Place:
        return super()._entry(sandbox_path(path))


def sandbox_path(path: str) -> VirtualPath:
    r"""Return the path from the last component that begins with a drive (``C:\`` or ``C:/``), as the sandbox names it."""
    if ":" not in path:
        return VirtualPath(path)
    pieces = path.split("/")
    for index in range(len(pieces) - 1, -1, -1):
        piece = pieces[index]
        if is_drive(piece[:2]) and piece[2:3] in ("", "\\"):
            return VirtualPath(to_virtual("/".join(pieces[index:]) + ("/" if piece[2:] == "" else "")))
    return VirtualPath(path)

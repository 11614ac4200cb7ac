"""Convenience methods of every file system, built on the primitive operations of the protocol."""

from __future__ import annotations

import errno

from sandhook.typed import TYPE_CHECKING
from sandhook.vfs.base import Device
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import VirtualPath, dirname

if TYPE_CHECKING:
    from sandhook.vfs.base import FileHandle, Stat


class Conveniences:
    """Mix-in: ``exists``, ``is_dir``, ``read_bytes``, ``write_bytes`` over open, stat and mkdir."""

    __slots__ = ()

    if TYPE_CHECKING:

        def open(
            self,
            path: VirtualPath,
            *,
            read: bool = True,
            write: bool = False,
            create: bool = False,
            exclusive: bool = False,
            truncate: bool = False,
            mode: int = 0o666,
        ) -> FileHandle | Device: ...

        def stat(self, path: VirtualPath, *, follow: bool = True) -> Stat: ...

        def mkdir(self, path: VirtualPath, mode: int = 0o777) -> None: ...

    def exists(self, path: str) -> bool:
        """Return True if the path leads to a file; a broken link does not."""
        try:
            self.stat(VirtualPath(path))
        except OSError:
            return False
        return True

    def is_dir(self, path: str) -> bool:
        """Return True if the path leads to a directory, also through links."""
        try:
            return self.stat(VirtualPath(path)).mode & 0o170000 == 0o040000
        except OSError:
            return False

    def read_bytes(self, path: str) -> bytes:
        """Return the whole contents of a regular file; raises EINVAL for a device or FIFO."""
        handle = self._regular(VirtualPath(path), self.open(VirtualPath(path)))
        try:
            return handle.read_at(0, handle.size())
        finally:
            handle.close()

    def write_bytes(self, path: str, data: bytes, *, mode: int = 0o644, parents: bool = False) -> None:
        """Replace the contents of a regular file, or create it; ``parents`` also creates its directories."""
        place = VirtualPath(path)
        if parents:
            self._make_parents(dirname(place))
        handle = self._regular(
            place, self.open(place, read=False, write=True, create=True, truncate=True, mode=mode)
        )
        try:
            handle.write_at(0, data)
        finally:
            handle.close()

    def _make_parents(self, path: VirtualPath) -> None:
        missing: list[VirtualPath] = []
        while path != "/" and not self.is_dir(path):
            missing.append(path)
            path = dirname(path)
        for directory in reversed(missing):
            try:
                self.mkdir(directory, 0o755)
            except FileExistsError:
                if not self.is_dir(directory):  # "x/.." exists as soon as "x" was created
                    raise fs_error(errno.ENOTDIR, directory) from None

    @staticmethod
    def _regular(path: VirtualPath, handle: FileHandle | Device) -> FileHandle:
        if isinstance(handle, Device):
            raise fs_error(errno.EINVAL, path)
        return handle

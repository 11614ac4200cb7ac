"""Files: the files of a shell as a mapping of paths to contents, with pathlib's methods for texts."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, MutableMapping

from sandhook.text.surrogates import as_shell_text
from sandhook.vfs.base import FileSystem
from sandhook.vfs.errors import fs_error
from sandhook.vfs.initial import superuser, write_file
from sandhook.vfs.inode import S_IFDIR, S_IFMT, S_IFREG
from sandhook.vfs.path import VirtualPath, join


class Files(MutableMapping[str, bytes]):
    """Path to contents of the regular files of a file system.

    A relative path is below ``cwd``. Iteration lists the regular files below ``cwd``, as relative paths in byte order;
    it does not follow links to directories. Permission bits are for scripts and do not bind the caller. Setting an item creates
    missing directories, and new contents that begin with "#!" make an executable file.

    Args:
        files: Returns the file system.
        cwd: Absolute directory.
    """

    __slots__ = ("_cwd", "_files")

    def __init__(self, files: Callable[[], FileSystem], cwd: VirtualPath) -> None:
        self._files = files
        self._cwd = cwd

    def __repr__(self) -> str:
        return f"Files(cwd={self._cwd!r})"

    # As a mapping: KeyError for a path that leads to no file.

    def __getitem__(self, path: str) -> bytes:
        try:
            return self.read_bytes(path)
        except (FileNotFoundError, NotADirectoryError):
            raise KeyError(path) from None

    def __setitem__(self, path: str, data: bytes | str) -> None:
        if isinstance(data, str):
            self.write_text(path, data)
        else:
            self.write_bytes(path, data)

    def __delitem__(self, path: str) -> None:
        with superuser(self._files()) as fs:
            try:
                fs.unlink(self._absolute(path))
            except (FileNotFoundError, NotADirectoryError):
                raise KeyError(path) from None

    def __contains__(self, path: object) -> bool:
        """Return True for a regular file, and for a link to one."""
        return isinstance(path, str) and self._type(path) == S_IFREG

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    # As pathlib: OSError for a path that leads to no file.

    def read_bytes(self, path: str) -> bytes:
        """Return the contents of a regular file. Raises OSError, such as FileNotFoundError."""
        with superuser(self._files()) as fs:
            return fs.read_bytes(self._absolute(path))

    def read_text(self, path: str) -> str:
        """Return the contents as text; bytes that are not UTF-8 become surrogate escapes, as in ``Result.stdout``."""
        return self.read_bytes(path).decode("utf-8", "surrogateescape")

    def write_bytes(self, path: str, data: bytes) -> None:
        """Replace the contents of a regular file, or create it with its directories. Raises OSError."""
        write_file(self._files(), self._absolute(path), data, 0o755 if data[:2] == b"#!" else 0o644)

    def write_text(self, path: str, text: str) -> None:
        """Replace the contents by a text in UTF-8; see ``write_bytes``."""
        self.write_bytes(path, as_shell_text(text).encode("utf-8", "surrogateescape"))

    def exists(self, path: str) -> bool:
        """Return True if the path leads to a file of any type."""
        return self._type(path) is not None

    def is_dir(self, path: str) -> bool:
        return self._type(path) == S_IFDIR

    # Parts of these.

    def _absolute(self, path: str) -> VirtualPath:
        if not isinstance(path, str):
            raise TypeError(f"a path must be a str, not {type(path).__name__}")
        if not path:
            raise fs_error(errno.ENOENT, path)
        return join(self._cwd, path)

    def _type(self, path: str) -> int | None:
        """Return the type bits of what a path leads to; None for nothing."""
        with superuser(self._files()) as fs:
            try:
                return fs.stat(self._absolute(path)).mode & S_IFMT
            except OSError:
                return None

    def _names(self) -> list[str]:
        """Return the regular files below the directory; those of a directory that cannot be read are left out."""
        found: list[str] = []
        prefix = self._cwd.rstrip("/") + "/"
        pending = [self._cwd]
        with superuser(self._files()) as fs:
            while pending:
                directory = pending.pop()
                try:
                    entries = fs.listdir(directory)
                except OSError:
                    continue
                for entry in entries:
                    path = join(directory, entry.name)
                    if entry.mode & S_IFMT == S_IFDIR:
                        pending.append(path)
                    elif entry.mode & S_IFMT == S_IFREG:
                        found.append(path[len(prefix) :])
        return sorted(found, key=lambda name: name.encode("utf-8", "surrogateescape"))

"""The machine's files in the form that the dispatcher uses, for one command."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sandhook.host.files import WINDOWS, HostFileSystem, to_fs_error
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import join

if TYPE_CHECKING:
    from sandhook.state.state import State


class View:
    """The machine's files, for ``dispatch.plan``; see ``dispatch.model.Files``.

    Args:
        fs: The machine's files.
        state: The shell whose command is dispatched.
        programs: Yields the files in PATH that a name can run.
    """

    __slots__ = ("_fs", "_programs", "_state")
    windows = WINDOWS

    def __init__(
        self, fs: HostFileSystem, state: State, programs: Callable[[State, str], Iterator[str]]
    ) -> None:
        self._fs = fs
        self._state = state
        self._programs = programs

    def _path(self, path: str) -> str:
        """Convert a path relative to the run's directory to a path of this process."""
        return path if WINDOWS else self._fs.to_run(join(self._state.process.cwd, path))

    def head(self, path: str, count: int) -> bytes:
        """Return the first bytes of a regular file."""
        native = self._path(path) if path else ""
        try:
            kind = os.stat(native).st_mode  # noqa: PTH116
            if stat.S_ISDIR(kind):
                raise fs_error(errno.EISDIR)
            if not stat.S_ISREG(kind):
                raise fs_error(errno.EACCES)
            with open(native, "rb", buffering=0) as file:  # noqa: PTH123
                return file.read(count)
        except OSError as error:
            raise to_fs_error(error, path) from None

    def find(self, name: str) -> str | None:
        """Return the native path of a program in the absolute directories of PATH."""
        for candidate in self._programs(self._state, name):
            if candidate[:1] == "/":
                return self._fs.native(candidate)
        return None

    def exists(self, path: str) -> bool:
        """Return True if there is a file of any kind. Raises OSError if that is unknown."""
        try:
            os.stat(self._path(path))  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def executable(self, path: str) -> bool:
        """Return True if the permissions allow to execute a file."""
        native = self._path(path)
        return WINDOWS or (os.path.isfile(native) and os.access(native, os.X_OK))  # noqa: PTH113

"""The machine as the dispatcher sees it, for one command."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sandhook.host.files import WINDOWS, HostFileSystem, translated
from sandhook.vfs.errors import fs_error
from sandhook.vfs.path import join

if TYPE_CHECKING:
    from sandhook.state.state import State


class View:
    """What ``dispatch.plan`` asks of the machine.

    Args:
        fs: The machine's files.
        state: Whose command it is.
        runnable: Yields the files in PATH that a name may be run as.
    """

    __slots__ = ("_fs", "_runnable", "_state")
    windows = WINDOWS

    def __init__(
        self, fs: HostFileSystem, state: State, runnable: Callable[[State, str], Iterator[str]]
    ) -> None:
        self._fs = fs
        self._state = state
        self._runnable = runnable

    def _path(self, path: str) -> str:
        """Return a path that begins at the run's directory as one of this process."""
        return path if WINDOWS else self._fs.native(join(self._state.process.cwd, path))

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
            raise translated(error, path) from None

    def find(self, name: str) -> str | None:
        """Return the native path of a program in PATH, where directories are absolute."""
        for candidate in self._runnable(self._state, name):
            if candidate[:1] == "/":
                return self._fs.native(candidate)
        return None

    def exists(self, path: str) -> bool:
        """Tell whether a path is there. Raises OSError where that cannot be known."""
        try:
            os.stat(self._path(path))  # noqa: PTH116
        except (FileNotFoundError, NotADirectoryError):
            return False
        return True

    def executable(self, path: str) -> bool:
        """Tell whether permissions let a file be executed."""
        native = self._path(path)
        return WINDOWS or (os.path.isfile(native) and os.access(native, os.X_OK))  # noqa: PTH113

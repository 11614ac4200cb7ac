"""Two machines for dispatch: this one, and one of names alone with the manners of Windows or POSIX."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping, Sequence

from sandhook.vfs.errors import fs_error


class RealFiles:
    """This machine's files, relative paths below a directory."""

    windows = False

    def __init__(self, cwd: str, path: Sequence[str] = ()) -> None:
        self.cwd = cwd
        self.path = path

    def head(self, path: str, count: int) -> bytes:
        place = os.path.join(self.cwd, path)
        mode = os.stat(place).st_mode
        if stat.S_ISDIR(mode):
            raise fs_error(errno.EISDIR, path)
        if not stat.S_ISREG(mode):
            raise fs_error(errno.EACCES, path)
        with open(place, "rb") as file:
            return file.read(count)

    def find(self, name: str) -> str | None:
        for directory in self.path:
            if self.executable(place := os.path.join(directory, name)):
                return place
        return None

    def exists(self, path: str) -> bool:
        return os.path.exists(os.path.join(self.cwd, path))

    def executable(self, path: str) -> bool:
        place = os.path.join(self.cwd, path)
        return os.path.isfile(place) and os.access(place, os.X_OK)


class NamedFiles:
    """Files by name: bytes, or the errno that looking at them gives."""

    def __init__(
        self, files: Mapping[str, bytes | int], path: Mapping[str, str] = {}, windows: bool = False
    ) -> None:
        self.files = {self._key(name, windows): value for name, value in files.items()}
        self.path = path
        self.windows = windows
        self.looked: list[str] = []

    @staticmethod
    def _key(name: str, windows: bool) -> str:
        return name.replace("/", "\\").lower() if windows else name

    def head(self, path: str, count: int) -> bytes:
        self.looked.append(path)
        found = self.files.get(self._key(path, self.windows), errno.ENOENT)
        if isinstance(found, int):
            raise fs_error(found, path)
        return found[:count]

    def find(self, name: str) -> str | None:
        assert "/" not in name and "\\" not in name
        return self.path.get(name)

    def exists(self, path: str) -> bool:
        found = self.files.get(self._key(path, self.windows), errno.ENOENT)
        if found == errno.EACCES:
            raise fs_error(errno.EACCES, path)
        return found != errno.ENOENT

    def executable(self, path: str) -> bool:
        return isinstance(self.files.get(self._key(path, self.windows)), bytes)

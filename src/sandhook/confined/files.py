"""RemoteFileSystem: files of the host, for a confined shell. The host performs each operation."""

from __future__ import annotations

from typing import cast

from sandhook.confined.questions import ask_files
from sandhook.isolation import wire
from sandhook.vfs.base import Device, DeviceKind, Entry, Stat
from sandhook.vfs.conveniences import Conveniences
from sandhook.vfs.path import VirtualPath
from sandhook.vfs.pieces import read_pieces


def _ask(name: str, *arguments: object) -> object:
    return ask_files(name, *arguments)[0]


class RemoteFileSystem(Conveniences):
    """The file system that the caller of the run has."""

    __slots__ = ()

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
    ) -> RemoteFile | Device:
        flags = (
            read * wire.READ
            | write * wire.WRITE
            | create * wire.CREATE
            | exclusive * wire.EXCLUSIVE
            | truncate * wire.TRUNCATE
        )
        opened = _ask("open", path, flags, mode)
        if isinstance(opened, list):
            kind, number, key = opened
            return Device(cast(DeviceKind, kind), number, key)
        return RemoteFile(cast(int, opened))

    def stat(self, path: VirtualPath, *, follow: bool = True) -> Stat:
        return Stat(*cast("list[int]", _ask("stat", path, follow)))

    def listdir(self, path: VirtualPath) -> list[Entry]:
        return [Entry(*each) for each in cast("list[tuple[str, int, int]]", _ask("listdir", path))]

    def mkdir(self, path: VirtualPath, mode: int = 0o777) -> None:
        _ask("mkdir", path, mode)

    def rmdir(self, path: VirtualPath) -> None:
        _ask("rmdir", path)

    def unlink(self, path: VirtualPath) -> None:
        _ask("unlink", path)

    def rename(self, old: VirtualPath, new: VirtualPath) -> None:
        _ask("rename", old, new)

    def link(self, old: VirtualPath, new: VirtualPath) -> None:
        _ask("link", old, new)

    def symlink(self, target: str, path: VirtualPath) -> None:
        _ask("symlink", target, path)

    def readlink(self, path: VirtualPath) -> str:
        return cast(str, _ask("readlink", path))

    def mkfifo(self, path: VirtualPath, mode: int = 0o666) -> None:
        _ask("mkfifo", path, mode)

    def chmod(self, path: VirtualPath, mode: int) -> None:
        _ask("chmod", path, mode)

    def utime(self, path: VirtualPath, atime_ns: int, mtime_ns: int, *, follow: bool = True) -> None:
        _ask("utime", path, atime_ns, mtime_ns, follow)

    def access(self, path: VirtualPath, mask: int) -> bool:
        return cast(bool, _ask("access", path, mask))

    def realpath(self, path: VirtualPath) -> VirtualPath:
        return VirtualPath(cast(str, _ask("realpath", path)))


class RemoteFile:
    """An open regular file of the host."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number

    def read_at(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes from ``offset``; b"" at the end."""
        return read_pieces(self._read, offset, count, wire.CHUNK, short_is_end=True)

    def _read(self, offset: int, count: int) -> bytes:
        return ask_files("read_at", self._number, offset, count)[1]

    def write_at(self, offset: int, data: bytes) -> int:
        """Write all of ``data``."""
        for start in range(0, len(data), wire.CHUNK):
            piece = bytes(data[start : start + wire.CHUNK])
            ask_files("write_at", self._number, offset + start, data=piece)
        return len(data)

    def append(self, data: bytes) -> int:
        """Write at the end and return the new size."""
        size = -1
        for start in range(0, len(data), wire.CHUNK):
            piece = bytes(data[start : start + wire.CHUNK])
            size = cast(int, ask_files("append", self._number, data=piece)[0])
        return self.size() if size < 0 else size

    def truncate(self, size: int) -> None:
        _ask("truncate", self._number, size)

    def size(self) -> int:
        return cast(int, _ask("size", self._number))

    def stat(self) -> Stat:
        return Stat(*cast("list[int]", _ask("fstat", self._number)))

    def close(self) -> None:
        if self._number:
            _ask("close", self._number)
            self._number = 0

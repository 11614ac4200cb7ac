"""What the host does for a run in a worker: operations on files of which the worker has no copy.

These are directories of the machine and file systems of the caller. Each operation of the worker's script is one
question, and the caller's own file system object answers it, with all its checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sandhook.isolation import wire
from sandhook.record import Record
from sandhook.vfs.base import Device, FileHandle, FileSystem
from sandhook.vfs.path import VirtualPath

#: Files that a run may have open at once; a script reaches its own limit of descriptors before.
_MOST_OPEN = 4096

#: The largest offset and size of a file.
_MOST_BYTES = 1 << 62


class Operation(Record):
    """One operation: the types of its arguments, and the function that performs it.

    A ``str`` is an absolute path, unless ``texts`` names its position.
    """

    types: tuple[type, ...]
    run: Callable[..., object]
    texts: tuple[int, ...] = ()


class FileServer:
    """The files of one run.

    Args:
        fs: The files.
    """

    def __init__(self, fs: FileSystem) -> None:
        self._fs = fs
        self._handles: dict[int, FileHandle] = {}
        self._last = 0

    def answer(self, payload: bytes) -> tuple[int, bytes]:
        """Return the frame that answers FILES. Raises ValueError for a question of another form."""
        value, data = wire.split(payload)
        if not isinstance(value, list) or not value or not isinstance(value[0], str):
            raise ValueError("an operation on files without a name")
        name, *arguments = value
        operation = OPERATIONS.get(name)
        if operation is None:
            raise ValueError(f"{name!r} is no operation on files")
        _check(operation, arguments)
        try:
            answer = operation.run(self, data, *arguments)
        except OSError as error:
            return wire.ERROR, wire.join([error.errno, error.strerror, error.filename])
        if isinstance(answer, bytes):
            return wire.VALUE, wire.join(None, answer)
        return wire.VALUE, wire.join(answer)

    def close(self) -> None:
        """Close what the run left open."""
        for handle in self._handles.values():
            try:
                handle.close()
            except OSError:
                continue
        self._handles.clear()

    # Operations on paths.

    def _open(self, data: bytes, path: str, flags: int, mode: int) -> object:
        if len(self._handles) >= _MOST_OPEN:
            raise ValueError("too many open files")
        opened = self._fs.open(
            VirtualPath(path),
            read=bool(flags & wire.READ),
            write=bool(flags & wire.WRITE),
            create=bool(flags & wire.CREATE),
            exclusive=bool(flags & wire.EXCLUSIVE),
            truncate=bool(flags & wire.TRUNCATE),
            mode=mode,
        )
        if isinstance(opened, Device):
            return list(opened)
        self._last += 1
        self._handles[self._last] = opened
        return self._last

    def _stat(self, data: bytes, path: str, follow: bool) -> object:
        return list(self._fs.stat(VirtualPath(path), follow=follow))

    def _listdir(self, data: bytes, path: str) -> object:
        return [list(entry) for entry in self._fs.listdir(VirtualPath(path))]

    def _mkdir(self, data: bytes, path: str, mode: int) -> None:
        self._fs.mkdir(VirtualPath(path), mode)

    def _rmdir(self, data: bytes, path: str) -> None:
        self._fs.rmdir(VirtualPath(path))

    def _unlink(self, data: bytes, path: str) -> None:
        self._fs.unlink(VirtualPath(path))

    def _rename(self, data: bytes, old: str, new: str) -> None:
        self._fs.rename(VirtualPath(old), VirtualPath(new))

    def _link(self, data: bytes, old: str, new: str) -> None:
        self._fs.link(VirtualPath(old), VirtualPath(new))

    def _symlink(self, data: bytes, target: str, path: str) -> None:
        self._fs.symlink(target, VirtualPath(path))

    def _readlink(self, data: bytes, path: str) -> str:
        return self._fs.readlink(VirtualPath(path))

    def _mkfifo(self, data: bytes, path: str, mode: int) -> None:
        self._fs.mkfifo(VirtualPath(path), mode)

    def _chmod(self, data: bytes, path: str, mode: int) -> None:
        self._fs.chmod(VirtualPath(path), mode)

    def _utime(self, data: bytes, path: str, atime: int, mtime: int, follow: bool) -> None:
        self._fs.utime(VirtualPath(path), atime, mtime, follow=follow)

    def _access(self, data: bytes, path: str, mask: int) -> bool:
        return self._fs.access(VirtualPath(path), mask)

    def _realpath(self, data: bytes, path: str) -> str:
        return self._fs.realpath(VirtualPath(path))

    # Operations on open files.

    def _handle(self, number: int) -> FileHandle:
        handle = self._handles.get(number)
        if handle is None:
            raise ValueError(f"{number} is not the number of an open file")
        return handle

    def _read_at(self, data: bytes, number: int, offset: int, count: int) -> bytes:
        return self._handle(number).read_at(offset, min(count, wire.CHUNK))

    def _write_at(self, data: bytes, number: int, offset: int) -> int:
        return self._handle(number).write_at(offset, data)

    def _append(self, data: bytes, number: int) -> int:
        return self._handle(number).append(data)

    def _truncate(self, data: bytes, number: int, size: int) -> None:
        self._handle(number).truncate(size)

    def _size(self, data: bytes, number: int) -> int:
        return self._handle(number).size()

    def _fstat(self, data: bytes, number: int) -> object:
        return list(self._handle(number).stat())

    def _close(self, data: bytes, number: int) -> None:
        self._handle(number).close()
        del self._handles[number]


OPERATIONS: Final[Mapping[str, Operation]] = {
    "open": Operation((str, int, int), FileServer._open),
    "stat": Operation((str, bool), FileServer._stat),
    "listdir": Operation((str,), FileServer._listdir),
    "mkdir": Operation((str, int), FileServer._mkdir),
    "rmdir": Operation((str,), FileServer._rmdir),
    "unlink": Operation((str,), FileServer._unlink),
    "rename": Operation((str, str), FileServer._rename),
    "link": Operation((str, str), FileServer._link),
    "symlink": Operation((str, str), FileServer._symlink, (0,)),
    "readlink": Operation((str,), FileServer._readlink),
    "mkfifo": Operation((str, int), FileServer._mkfifo),
    "chmod": Operation((str, int), FileServer._chmod),
    "utime": Operation((str, int, int, bool), FileServer._utime),
    "access": Operation((str, int), FileServer._access),
    "realpath": Operation((str,), FileServer._realpath),
    "read_at": Operation((int, int, int), FileServer._read_at),
    "write_at": Operation((int, int), FileServer._write_at),
    "append": Operation((int,), FileServer._append),
    "truncate": Operation((int, int), FileServer._truncate),
    "size": Operation((int,), FileServer._size),
    "fstat": Operation((int,), FileServer._fstat),
    "close": Operation((int,), FileServer._close),
}


def _check(operation: Operation, arguments: list[object]) -> None:
    """Raise ValueError unless the arguments have their types: paths are absolute, numbers within bounds."""
    if [each.__class__ for each in arguments] != list(operation.types):
        raise ValueError("an operation on files with other arguments")
    for position, each in enumerate(arguments):
        if isinstance(each, str):
            if position not in operation.texts and each[:1] not in ("", "/"):
                raise ValueError(f"{each!r} is not an absolute path")
        elif isinstance(each, int) and not -_MOST_BYTES < each < _MOST_BYTES:
            raise ValueError(f"{each} is out of bounds")

"""Reads files for git, and charges what it reads."""

from __future__ import annotations

import errno

from sandhook.command.context import Context
from sandhook.kernel.descriptor import CHUNK
from sandhook.vfs.base import Device, Entry, Stat
from sandhook.vfs.path import VirtualPath

#: Errors that mean "there is no such file".
_MISSING = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL)


class Access:
    """The virtual files of a run, as git reads them."""

    __slots__ = ("ctx", "fs")

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.fs = ctx.fs

    def charge(self, steps: int) -> None:
        """Charge work to the run."""
        self.ctx.charge(steps)

    def read(self, path: str) -> bytes:
        """Return the contents of a regular file. Raises OSError; LimitExceeded if they do not fit into memory."""
        return self.read_part(path, 0, None)

    def read_part(self, path: str, offset: int, count: int | None) -> bytes:
        """Return ``count`` bytes of a file from ``offset``, fewer at its end; None for all of it."""
        handle = self.fs.open(VirtualPath(path))
        if isinstance(handle, Device):
            raise OSError(errno.EINVAL, "Invalid argument", path)
        try:
            size = max(0, handle.size() - offset)
            size = size if count is None else min(size, count)
            self.ctx.budget.check_fits(size)
            pieces = []
            while size > 0:
                data = handle.read_at(offset, min(size, CHUNK))
                self.ctx.charge(1 + (len(data) >> 10))
                if not data:
                    break
                pieces.append(data)
                offset += len(data)
                size -= len(data)
            return pieces[0] if len(pieces) == 1 else b"".join(pieces)
        finally:
            handle.close()

    def read_or_none(self, path: str) -> bytes | None:
        """Return the contents of a file, None if there is no such file."""
        try:
            return self.read(path)
        except OSError as error:
            if error.errno in _MISSING or error.errno == errno.EISDIR:
                return None
            raise

    def text_or_none(self, path: str) -> str | None:
        """Return a file as text, None if there is no such file."""
        data = self.read_or_none(path)
        return None if data is None else decode(data)

    def stat(self, path: str, *, follow: bool = False) -> Stat | None:
        """Return what lstat reports, None if there is no such file."""
        self.ctx.charge(1)
        try:
            return self.fs.stat(VirtualPath(path), follow=follow)
        except OSError as error:
            if error.errno in _MISSING:
                return None
            raise

    def is_dir(self, path: str) -> bool:
        """Return True for a directory, or a link to one."""
        self.ctx.charge(1)
        return self.fs.is_dir(VirtualPath(path))

    def is_file(self, path: str) -> bool:
        """Return True for anything that exists and is not a directory."""
        return self.stat(path, follow=True) is not None and not self.is_dir(path)

    def listdir(self, path: str) -> list[Entry]:
        """Return the entries of a directory; none if it does not exist or cannot be read."""
        try:
            entries = self.fs.listdir(VirtualPath(path))
        except OSError:
            return []
        self.ctx.charge(1 + len(entries))
        return entries

    def readlink(self, path: str) -> str:
        """Return the target of a symbolic link."""
        return self.fs.readlink(VirtualPath(path))


def decode(data: bytes) -> str:
    """Return bytes as text; bytes that are not UTF-8 are kept as surrogate escapes."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Return text as bytes, the inverse of ``decode``."""
    return text.encode("utf-8", "surrogateescape")

"""The output of find's actions: standard output, or the files of -fprint and similar actions.

Source: GNU findutils 4.9 manual, "Print File Name" and "Print File Information".
"""

from __future__ import annotations

import errno
from collections.abc import Callable

from sandhook.command.context import FLUSH_AT, Context, Failure
from sandhook.command.operands import reason
from sandhook.kernel.descriptor import Description
from sandhook.text.quoting import quote_escaped
from sandhook.vfs.errors import fs_error

Write = Callable[[bytes], None]


class File:
    """A file that actions write to; created, or truncated, before the walk begins."""

    def __init__(self, ctx: Context, description: Description) -> None:
        self._ctx = ctx
        self._description = description
        self._pieces: list[bytes] = []
        self._size = 0

    def write(self, data: bytes) -> None:
        self._pieces.append(data)
        self._size += len(data)
        if self._size >= FLUSH_AT:
            self.flush()

    def flush(self) -> None:
        """Write the buffered data."""
        if self._pieces:
            data, self._pieces, self._size = b"".join(self._pieces), [], 0
            self._ctx.charge(1 + (len(data) >> 10))
            self._description.write(data)

    def close(self) -> None:
        """Flush and release."""
        self.flush()
        self._description.release()


class Files:
    """The files of one run by name; actions with the same name share a file."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._open: dict[str, File] = {}

    def writer(self, name: str) -> Write:
        """Return the function that writes to a file. Raises Failure when the file cannot be created."""
        if name == "/dev/stdout":
            return self._ctx.write
        if name == "/dev/stderr":
            return self._ctx.process.write_error
        file = self._open.get(name)
        if file is None:
            try:
                if not name:
                    raise fs_error(errno.ENOENT)
                file = self._open[name] = File(self._ctx, self._ctx.create(name))
            except OSError as error:
                raise Failure(f"{quote_escaped(name)}: {reason(error)}") from None
        return file.write

    def flush(self) -> None:
        """Write the buffered data of all files, because a command may read them."""
        for file in self._open.values():
            file.flush()

    def close(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()

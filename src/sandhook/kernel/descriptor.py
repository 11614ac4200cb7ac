"""Open file descriptions: what a descriptor of a process points to.

Several descriptors, also of several processes, may share one description and with it the
offset (POSIX XBD 3.256). ``retain`` and ``release`` count them; the last release closes.
"""

from __future__ import annotations

import errno

from sandhook.limits import Budget
from sandhook.typed import Protocol
from sandhook.vfs.base import FileHandle
from sandhook.vfs.errors import fs_error
from sandhook.vfs.inode import MemoryFile

CHUNK = 65_536  #: bytes that utilities read and write at a time


class Description:
    """Base: a description that can neither be read nor written.

    Attributes:
        readable, writable: The access that it was opened for; any other use raises EBADF.
        seekable: ``seek`` works (regular files).
        terminal: It is a terminal (``test -t``); never true in a sandbox.
    """

    __slots__ = ("references",)
    readable = False
    writable = False
    seekable = False
    terminal = False

    def __init__(self) -> None:
        self.references = 1

    def retain(self) -> None:
        self.references += 1

    def release(self) -> None:
        self.references -= 1
        if self.references == 0:
            self.close()

    def close(self) -> None:
        """Free the resources; called once, by the last release."""

    def read(self, count: int) -> bytes:
        """Return 1 to ``count`` bytes, or b"" at the end; blocks while there is nothing yet."""
        raise fs_error(errno.EBADF)

    def read_until(self, delimiter: bytes, limit: int) -> bytes:
        """Consume up to and including ``delimiter`` (one byte), at most ``limit`` bytes.

        Nothing after it is consumed, so two readers can share one description, as with
        bash's ``read``. At the end of the input, the remaining bytes come without a delimiter.
        """
        line = bytearray()
        while len(line) < limit:
            byte = self.read(1)
            if not byte:
                break
            line += byte
            if byte == delimiter:
                break
        return bytes(line)

    def write(self, data: bytes) -> None:
        """Write all of ``data``; blocks while there is no room."""
        raise fs_error(errno.EBADF)

    def ready(self) -> bool:
        """Return True if a read would not block."""
        return True

    def unread(self, data: bytes) -> None:
        """Push back the last bytes that were read, so that they are read again."""
        if data:
            self.seek(self.tell() - len(data))

    def tell(self) -> int:
        raise fs_error(errno.ESPIPE)

    def seek(self, offset: int) -> None:
        raise fs_error(errno.ESPIPE)


class Null(Description):
    """/dev/null"""

    __slots__ = ()
    readable = writable = True

    def read(self, count: int) -> bytes:
        return b""

    def write(self, data: bytes) -> None:
        pass


class NullInput(Description):
    """/dev/null, opened to be read only"""

    __slots__ = ()
    readable = True

    def read(self, count: int) -> bytes:
        return b""


class Zero(Description):
    """/dev/zero; the reader charges what it keeps."""

    __slots__ = ("_budget",)
    readable = writable = True

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self._budget = budget

    def read(self, count: int) -> bytes:
        self._budget.charge(1)
        return bytes(min(count, CHUNK))

    def write(self, data: bytes) -> None:
        pass


class Full(Zero):
    """/dev/full"""

    __slots__ = ()

    def write(self, data: bytes) -> None:
        raise fs_error(errno.ENOSPC)


class RandomBytes(Zero):
    """/dev/random and /dev/urandom: the host's entropy; no generator of the host is advanced."""

    __slots__ = ()

    def read(self, count: int) -> bytes:
        self._budget.charge(1)
        from random import SystemRandom  # 3 ms of start-up that few runs need

        return SystemRandom().randbytes(min(count, CHUNK))


class OpenDirectory(Description):
    """A directory that a redirection opened; reading it raises EISDIR.

    Attributes:
        path: Its absolute path.
    """

    __slots__ = ("path",)
    readable = True

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path

    def read(self, count: int) -> bytes:
        raise fs_error(errno.EISDIR)


class Input(Description):
    """Bytes that are known in advance: standard input of a run, here-documents, here-strings."""

    __slots__ = ("_data", "_offset")
    readable = True
    seekable = True

    def __init__(self, data: bytes) -> None:
        self.references = 1
        self._data = data
        self._offset = 0

    def read(self, count: int) -> bytes:
        start = self._offset
        data = self._data[start : start + count]
        self._offset = start + len(data)
        return data

    def read_until(self, delimiter: bytes, limit: int) -> bytes:
        start = self._offset
        end = self._data.find(delimiter, start) + 1 or len(self._data)
        self._offset = end = min(end, start + limit)
        return self._data[start:end]

    def tell(self) -> int:
        return self._offset

    def seek(self, offset: int) -> None:
        self._offset = min(offset, len(self._data))


class ReadInput(Protocol):
    """Reads up to ``count`` bytes of a host's stream, b"" at its end; TimeoutError after ``seconds``."""

    def __call__(self, count: int, seconds: float, /) -> bytes: ...


class Feed(Description):
    """Standard input that a callable of the host returns piece by piece, as the script reads it."""

    __slots__ = ("_at_end", "_budget", "_buffer", "_read", "_received")
    readable = True

    def __init__(self, budget: Budget, read: ReadInput) -> None:
        super().__init__()
        self._budget = budget
        self._read = read
        self._buffer = b""
        self._at_end = False
        self._received = 0

    def _more(self) -> bool:
        """Call for another piece; return False at the end."""
        if self._at_end:
            return False
        budget = self._budget
        budget.outside += 1
        try:
            data = self._read(CHUNK, budget.remaining())
        except TimeoutError:
            budget.fail("wall_seconds")
        finally:
            budget.outside -= 1
        self._received += len(data)
        if self._received > self._budget.limits.input_bytes:
            self._budget.fail("input_bytes")
        self._at_end = not data
        self._buffer += data
        return not self._at_end

    def read(self, count: int) -> bytes:
        if not self._buffer:
            self._more()
        data, self._buffer = self._buffer[:count], self._buffer[count:]
        return data

    def unread(self, data: bytes) -> None:
        self._buffer = data + self._buffer

    def read_until(self, delimiter: bytes, limit: int) -> bytes:
        while delimiter not in self._buffer and len(self._buffer) < limit and self._more():
            pass
        end = self._buffer.find(delimiter) + 1 or len(self._buffer)
        data, self._buffer = self._buffer[: min(end, limit)], self._buffer[min(end, limit) :]
        return data


class Collector(Description):
    """Keeps the written bytes in memory, for a command substitution."""

    __slots__ = ("_budget", "chunks", "size")
    writable = True

    def __init__(self, budget: Budget) -> None:
        self.references = 1
        self._budget = budget
        self.chunks: list[bytes] = []
        self.size = 0

    def write(self, data: bytes) -> None:
        self._budget.charge_memory(len(data))
        self.size += len(data)
        self.chunks.append(data)

    def take(self) -> bytes:
        """Return all that was written, and refund its memory to the budget."""
        self._budget.memory_used -= self.size
        data = self.chunks[0] if len(self.chunks) == 1 else b"".join(self.chunks)
        self.chunks = []
        self.size = 0
        return data


class OutputCap:
    """The maximum size of standard output and standard error together, in bytes.

    Attributes:
        remaining: Bytes that still fit.
        drops: Bytes that do not fit are dropped; otherwise they end the run.
        truncated: Some bytes did not fit.
    """

    __slots__ = ("drops", "remaining", "truncated")

    def __init__(self, maximum: int, *, drops: bool = False) -> None:
        self.remaining = maximum
        self.drops = drops
        self.truncated = False


class Capture(Description):
    """Standard output or standard error of a run; keeps what fits under a shared cap."""

    __slots__ = ("_budget", "_cap", "chunks")
    writable = True

    def __init__(self, budget: Budget, cap: OutputCap) -> None:
        self.references = 1
        self._budget = budget
        self._cap = cap
        self.chunks: list[bytes] = []

    def write(self, data: bytes) -> None:
        cap = self._cap
        if len(data) <= cap.remaining:
            cap.remaining -= len(data)
            self.chunks.append(data)
            return
        self.chunks.append(data[: cap.remaining])
        cap.remaining = 0
        cap.truncated = True
        if not cap.drops:
            self._budget.fail("output_bytes")

    def getvalue(self) -> bytes:
        return b"".join(self.chunks)


class Callback(Description):
    """Passes the written bytes to a callable of the host, which streams them to the caller."""

    __slots__ = ("_budget", "_cap", "_write")
    writable = True

    def __init__(self, budget: Budget, cap: OutputCap, write: WriteBytes) -> None:
        super().__init__()
        self._budget = budget
        self._cap = cap
        self._write = write

    def write(self, data: bytes) -> None:
        cap, budget = self._cap, self._budget
        if budget.exhausted is not None:  # a run that was cancelled calls nobody any more
            raise budget.exhausted
        fitting = data[: cap.remaining]
        cap.remaining -= len(fitting)
        budget.outside += 1
        try:
            self._write(fitting)
        finally:
            budget.outside -= 1
        if len(fitting) < len(data):
            cap.truncated = True
            if not cap.drops:
                budget.fail("output_bytes")


class WriteBytes(Protocol):
    def __call__(self, data: bytes, /) -> object: ...


class File(Description):
    """A regular file opened by path."""

    __slots__ = ("_handle", "_offset", "append", "readable", "writable")
    seekable = True

    def __init__(self, handle: FileHandle, *, read: bool, write: bool, append: bool = False) -> None:
        self.references = 1
        self._handle = handle
        self._offset = 0
        self.readable = read
        self.writable = write
        self.append = append

    def read(self, count: int) -> bytes:
        if not self.readable:
            raise fs_error(errno.EBADF)
        data = self._handle.read_at(self._offset, count)
        self._offset += len(data)
        return data

    def read_until(self, delimiter: bytes, limit: int) -> bytes:
        if not self.readable:
            raise fs_error(errno.EBADF)
        start = self._offset
        handle = self._handle
        if isinstance(handle, MemoryFile):
            line = handle.line_at(start, delimiter, limit)
            self._offset = start + len(line)
            return line
        line = b""
        step = 256
        while len(line) < limit:
            data = self._handle.read_at(start + len(line), min(step, limit - len(line)))
            if not data:
                break
            end = data.find(delimiter)
            if end >= 0:
                line += data[: end + 1]
                break
            line += data
            step = min(step * 8, CHUNK)
        self._offset = start + len(line)
        return line

    def write(self, data: bytes) -> None:
        if not self.writable:
            raise fs_error(errno.EBADF)
        if self.append:
            self._offset = self._handle.append(data)
        else:
            self._handle.write_at(self._offset, data)
            self._offset += len(data)

    def tell(self) -> int:
        return self._offset

    def seek(self, offset: int) -> None:
        self._offset = offset

    @property
    def handle(self) -> FileHandle:
        return self._handle

    def close(self) -> None:
        self._handle.close()

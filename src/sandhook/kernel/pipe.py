"""Bounded pipes between processes.

A pipe holds 64 KiB, as on Linux. A writer waits for room, a reader for data. A writer
without readers gets SIGPIPE, a reader without writers gets the end of the input.
"""

from __future__ import annotations

import errno

from greenlet import getcurrent

from sandhook.kernel.descriptor import Description
from sandhook.kernel.scheduler import Scheduler, Task
from sandhook.kernel.signals import SIGPIPE, BrokenPipe
from sandhook.typed import NoReturn
from sandhook.vfs.errors import fs_error

CAPACITY = 65_536  #: bytes


class Pipe:
    """The buffer between a PipeReader and a PipeWriter.

    Attributes:
        readers, writers: Descriptions that are open.
        opened_readers, opened_writers: How often a FIFO was opened for reading and for writing. A task that waits in
            open(2) must also notice a partner that has already closed its end.
        number: Its inode number; 0 until somebody asks for it.
    """

    __slots__ = (
        "buffer",
        "number",
        "opened_readers",
        "opened_writers",
        "readers",
        "reading",
        "scheduler",
        "writers",
        "writing",
    )

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.buffer = bytearray()
        self.number = 0
        self.readers = 0
        self.writers = 0
        self.opened_readers = 0
        self.opened_writers = 0
        self.reading: list[Task] = []
        self.writing: list[Task] = []

    @property
    def reopens(self) -> bool:
        """True if both ends can be opened, even after all of one end were closed."""
        return True

    def ends(self) -> tuple[PipeReader, PipeWriter]:
        """Make one description for each end."""
        return PipeReader(self), PipeWriter(self)

    def wake_readers(self) -> None:
        waiting, self.reading = self.reading, []
        for task in waiting:
            self.scheduler.wake(task)

    def wake_writers(self) -> None:
        waiting, self.writing = self.writing, []
        for task in waiting:
            self.scheduler.wake(task)


class PipeReader(Description):
    __slots__ = ("pipe",)
    readable = True

    def __init__(self, pipe: Pipe) -> None:
        self.references = 1
        self.pipe = pipe
        pipe.readers += 1

    def _wait(self) -> None:
        pipe = self.pipe
        while not pipe.buffer and pipe.writers:
            pipe.reading.append(getcurrent())
            pipe.scheduler.block()

    def read(self, count: int) -> bytes:
        self._wait()
        pipe = self.pipe
        if count >= len(pipe.buffer):
            data = bytes(pipe.buffer)
            pipe.buffer = bytearray()
        else:
            data = bytes(pipe.buffer[:count])
            del pipe.buffer[:count]
        if pipe.writing:
            pipe.wake_writers()
        return data

    def read_until(self, delimiter: bytes, limit: int) -> bytes:
        line = b""
        pipe = self.pipe
        while len(line) < limit:
            self._wait()
            if not pipe.buffer:
                break
            end = pipe.buffer.find(delimiter) + 1
            size = min(end or len(pipe.buffer), limit - len(line))
            line += bytes(pipe.buffer[:size])
            del pipe.buffer[:size]
            if pipe.writing:
                pipe.wake_writers()
            if end and size == end:
                break
        return line

    def unread(self, data: bytes) -> None:
        self.pipe.buffer[:0] = data

    def ready(self) -> bool:
        return bool(self.pipe.buffer) or not self.pipe.writers

    def expect(self) -> None:
        """Wake the current task when there may be something to read."""
        self.pipe.reading.append(getcurrent())

    def close(self) -> None:
        self.pipe.readers -= 1
        if not self.pipe.readers:
            self.pipe.buffer = bytearray()
            self.pipe.wake_writers()


def lose_readers() -> NoReturn:
    """Raise what a writer gets without readers: SIGPIPE ends it, unless its process ignores or catches it."""
    process = getcurrent().process
    if process is not None:
        if SIGPIPE in process.ignored:
            raise fs_error(errno.EPIPE)
        if (
            SIGPIPE in process.caught and not process.utility
        ):  # a utility does not have the traps of the shell
            process.kill(SIGPIPE)
            raise fs_error(errno.EPIPE)
    raise BrokenPipe


class PipeWriter(Description):
    __slots__ = ("pipe",)
    writable = True

    def __init__(self, pipe: Pipe) -> None:
        self.references = 1
        self.pipe = pipe
        pipe.writers += 1

    def write(self, data: bytes) -> None:
        pipe = self.pipe
        waiting = len(data) - (CAPACITY - len(pipe.buffer))
        if waiting <= CAPACITY:
            self._write(data)
            return
        budget = pipe.scheduler.budget
        budget.charge_memory(waiting >> 1)  # often the utility also holds the input that it came from
        try:
            self._write(data)
        finally:
            budget.charge_memory(-(waiting >> 1))

    def _write(self, data: bytes) -> None:
        pipe = self.pipe
        start = 0
        while True:
            if not pipe.readers:
                lose_readers()
            room = CAPACITY - len(pipe.buffer)
            if room >= len(data) - start:
                pipe.buffer += data[start:] if start else data
                if pipe.reading:
                    pipe.wake_readers()
                return
            if room > 0:
                pipe.buffer += data[start : start + room]
                start += room
                if pipe.reading:
                    pipe.wake_readers()
            pipe.writing.append(getcurrent())
            pipe.scheduler.block()

    def close(self) -> None:
        self.pipe.writers -= 1
        if not self.pipe.writers:
            self.pipe.wake_readers()


class Duplex(Description):
    """A pipe or FIFO opened with <>: both ends at once."""

    __slots__ = ("_reader", "_writer")
    readable = writable = True

    def __init__(self, pipe: Pipe) -> None:
        super().__init__()
        self._reader, self._writer = pipe.ends()

    def read(self, count: int) -> bytes:
        return self._reader.read(count)

    def read_until(self, delimiter: bytes, limit: int) -> bytes:
        return self._reader.read_until(delimiter, limit)

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    def ready(self) -> bool:
        return self._reader.ready()

    def close(self) -> None:
        self._reader.release()
        self._writer.release()


def open_end(pipe: Pipe, *, read: bool, write: bool) -> Description:
    """Open a FIFO; blocks until the other end is open, unless it is opened for both reading and writing."""
    if read and write:
        pipe.opened_readers += 1
        pipe.opened_writers += 1
        both = Duplex(pipe)
        pipe.wake_readers()
        pipe.wake_writers()
        return both
    end: Description
    if read:
        end = PipeReader(pipe)
        pipe.opened_readers += 1
        pipe.wake_writers()
        opened_before = pipe.opened_writers
        while not pipe.writers and pipe.opened_writers == opened_before:
            pipe.reading.append(getcurrent())
            pipe.scheduler.block()
    else:
        end = PipeWriter(pipe)
        pipe.opened_writers += 1
        pipe.wake_readers()
        opened_before = pipe.opened_readers
        while not pipe.readers and pipe.opened_readers == opened_before:
            pipe.writing.append(getcurrent())
            pipe.scheduler.block()
    return end

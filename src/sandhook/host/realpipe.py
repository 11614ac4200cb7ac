"""Pipes of a run that become pipes of the system when a program receives one of their ends.

Between two commands of the shell a pipe is bytes in memory. The first program that receives an end makes it
a pipe of the system, and receives that end as a descriptor. From then on the shell's commands use their ends
through the system, too, and between two programs no byte passes through this process.

Bytes that were read but not used remain here: the shell's ``read`` returns lines, and the system returns
pieces. While there are such bytes, a program receives the end through ``streams.Supply``, which writes them first.
"""

from __future__ import annotations

import os

from greenlet import getcurrent

from sandhook.host.poller import (
    Poller,
    adjoining,
    read_some,
    set_read_blocking,
    set_write_blocking,
    write_some,
)
from sandhook.kernel.pipe import CAPACITY, Pipe, PipeReader, PipeWriter, lose_readers
from sandhook.kernel.scheduler import Scheduler


class RealPipe(Pipe):
    """A pipe whose ends programs may receive.

    Attributes:
        source, sink: The descriptors of its ends; -1 when they are closed, or not open yet.
        real: It is a pipe of the system.
    """

    __slots__ = ("_blocking", "_lent", "_open_pipes", "_pending", "poller", "real", "sink", "source")

    def __init__(self, scheduler: Scheduler, poller: Poller, open_pipes: set[RealPipe]) -> None:
        """``open_pipes``: contains this pipe while it has descriptors."""
        super().__init__(scheduler)
        self.poller = poller
        self.real = False
        self.source = self.sink = -1
        self._open_pipes = open_pipes
        self._pending = b""  # bytes that were in memory when the pipe became real, and are written first
        self._lent: set[int] = set()  # descriptors that processes of the host may have
        self._blocking: set[int] = set()  # descriptors that block, as programs expect

    @property
    def reopens(self) -> bool:
        return not self.real

    def ends(self) -> tuple[PipeReader, PipeWriter]:
        return RealReader(self), RealWriter(self)

    def become_real(self) -> None:
        """Become a pipe of the system. Raises OSError if the process cannot open more files."""
        if self.real:
            return
        self.source, self.sink = adjoining()
        self._open_pipes.add(self)
        self._blocking = {self.source, self.sink}
        self.real = True
        if not self.readers:
            self.close_source()
        elif self.buffer:
            self._pending, self.buffer = bytes(self.buffer), bytearray()
            self._push()
            if self._pending:
                self.scheduler.spawn(self._pump, None)
        if not self.writers and not self._pending:
            self.close_sink()
        self.wake_readers()
        self.wake_writers()

    def lend(self, fd: int) -> int:
        """Return an end's descriptor for a program; it blocks, as programs expect."""
        self._set_blocking(fd, True)
        self._lent.add(fd)
        return fd

    def _set_blocking(self, fd: int, blocking: bool) -> None:
        """Make an end block, or not, for every process that has it."""
        if blocking == (fd in self._blocking):
            return
        (set_read_blocking if fd == self.source else set_write_blocking)(fd, blocking)
        if blocking:
            self._blocking.add(fd)
        else:
            self._blocking.discard(fd)

    # ------------------------------------------------------------------ the shell's own use

    def fill(self) -> bool:
        """Read the data in the pipe; return False if there is neither data nor its end."""
        fd = self.source
        self._set_blocking(fd, False)
        try:
            data = read_some(fd, CAPACITY)
        finally:
            if fd in self._lent:  # its flags are shared with programs that may still run
                self._set_blocking(fd, True)
        if data:
            self.buffer += data
        return data is not None

    def write_some(self, data: bytes | memoryview) -> int:
        """Write as much as there is room for, and return the number of bytes. Raises BrokenPipeError."""
        fd = self.sink
        if self._pending or fd < 0:
            return 0
        self._set_blocking(fd, False)
        try:
            return write_some(fd, data)
        finally:
            if fd in self._lent:
                self._set_blocking(fd, True)

    def expect_data(self) -> None:
        """Wake waiting readers when there is data, or the end of it."""
        self.poller.readable(self.source, self.wake_readers)

    def expect_room(self) -> None:
        """Wake waiting writers when there is room, or no reader any more."""
        self.poller.writable(self.sink, self.wake_writers)

    def _push(self) -> None:
        """Write as much of the bytes in memory as there is room for."""
        pending, self._pending = self._pending, b""
        try:
            pending = pending[self.write_some(pending) :]
        except BrokenPipeError:
            pending = b""
        self._pending = pending

    def _pump(self) -> None:
        """Write the bytes in memory, as a task; all other writers wait for it."""
        while self._pending and self.sink >= 0:
            self.writing.append(getcurrent())
            self.expect_room()
            self.scheduler.block()
            self._push()
        self.wake_writers()
        if not self.writers:
            self.close_sink()

    # ------------------------------------------------------------------ the end

    def close_source(self) -> None:
        """Close the end to read from; the other end wakes a writer that waits for room."""
        fd, self.source = self.source, -1
        self._close(fd)

    def close_sink(self) -> None:
        """Close the end to write to; while ``_pump`` has data to write, it closes the end later."""
        if not self._pending:
            fd, self.sink = self.sink, -1
            self._close(fd)

    def close(self) -> None:
        """Close both ends, at the end of the run."""
        self._pending = b""
        self.close_source()
        self.close_sink()

    def _close(self, fd: int) -> None:
        if fd >= 0:
            self.poller.forget(fd)
            self._lent.discard(fd)
            self._blocking.discard(fd)
            os.close(fd)
            if self.source < 0 and self.sink < 0:
                self._open_pipes.discard(self)


class RealReader(PipeReader):
    """The end of a ``RealPipe`` to read from."""

    __slots__ = ()
    pipe: RealPipe

    def lend(self, *, alone: bool) -> int:
        """Return the descriptor for a program, -1 when some of the data is already in memory.

        Args:
            alone: Only the program can read from this end while it runs. A program that shares the end
                reads what arrives, not what was in memory before.
        """
        pipe = self.pipe
        pipe.become_real()
        return -1 if pipe.buffer and alone else pipe.lend(pipe.source)

    def _wait(self) -> None:
        pipe = self.pipe
        while not pipe.buffer:
            if pipe.real:
                if pipe.fill():
                    return
            elif not pipe.writers:
                return
            self.expect()
            pipe.scheduler.block()

    def ready(self) -> bool:
        pipe = self.pipe
        if pipe.real:
            return bool(pipe.buffer) or pipe.fill()
        return super().ready()

    def expect(self) -> None:
        super().expect()
        if self.pipe.real:
            self.pipe.expect_data()

    def close(self) -> None:
        super().close()
        if self.pipe.real:
            self.pipe.close_source()


class RealWriter(PipeWriter):
    """The end of a ``RealPipe`` to write to."""

    __slots__ = ()
    pipe: RealPipe

    def lend(self) -> int:
        """Return the descriptor for a program."""
        self.pipe.become_real()
        return self.pipe.lend(self.pipe.sink)

    def write(self, data: bytes) -> None:
        pipe = self.pipe
        view: bytes | memoryview = data
        while True:
            if pipe.real:
                try:
                    count = pipe.write_some(view)
                except BrokenPipeError:
                    lose_readers()
            elif not pipe.readers:
                lose_readers()
            else:
                room = CAPACITY - len(pipe.buffer)
                count = min(room, len(view))
                pipe.buffer += view if count == len(view) else view[:count]
                if count and pipe.reading:
                    pipe.wake_readers()
            if count == len(view):
                return
            view = memoryview(view)[count:]
            pipe.writing.append(getcurrent())
            if pipe.real:
                pipe.expect_room()
            pipe.scheduler.block()

    def close(self) -> None:
        super().close()
        if self.pipe.real and not self.pipe.writers:
            self.pipe.close_sink()

"""Connects the shell's descriptors with programs of the host.

A program gets real descriptors. A file that the shell opened is passed to it directly. Data of this
process (captured output, a here-document, a hook's payload) passes through a pipe of the host, and a
task copies the bytes at this process's end. Input that a program did not read is returned to its source
after the program's end, so that the next reader gets it. A pipe between stages becomes one of the host
(``realpipe``), and the program gets its end.
"""

from __future__ import annotations

import errno
import os
import select
import sys
from collections.abc import Callable

from greenlet import getcurrent, greenlet

from sandhook.host.files import WINDOWS, HostFile, to_fs_error
from sandhook.host.poller import Poller, inbound, outbound, read_some, unread_bytes, write_some
from sandhook.host.realpipe import RealReader, RealWriter
from sandhook.kernel.descriptor import CHUNK, Description, Input, Null, NullInput, OpenDirectory
from sandhook.kernel.scheduler import Scheduler
from sandhook.kernel.signals import BrokenPipe
from sandhook.vfs.errors import fs_error

#: The minimum capacity of a pipe of the host, on every system, in bytes.
_PIPE = 4_096

#: Bytes that a write to a ready descriptor accepts at least: 512 on macOS.
_ROOM: int = getattr(select, "PIPE_BUF", 512)


class HostStream(Description):
    """A descriptor of the host that is not a regular file: a terminal, a FIFO, a pipe, a device.

    Args:
        fd: The descriptor.
        closes_fd: The descriptor is closed with this description.
    """

    __slots__ = (
        "_buffer",
        "_closes_fd",
        "_poller",
        "_scheduler",
        "_waits",
        "fd",
        "readable",
        "terminal",
        "writable",
    )

    def __init__(
        self,
        fd: int,
        poller: Poller,
        scheduler: Scheduler,
        *,
        read: bool,
        write: bool,
        closes_fd: bool = True,
    ) -> None:
        super().__init__()
        self.fd = fd
        self.readable = read
        self.writable = write
        self.terminal = os.isatty(fd)
        self._poller = poller
        self._scheduler = scheduler
        self._closes_fd = closes_fd
        self._waits = True
        self._buffer = b""

    def _wait(self, watch: Callable[[int, Callable[[], None]], None]) -> None:
        """Wait until the descriptor is ready. One that a poller cannot watch never blocks for long."""
        if not self._waits:
            return
        task = getcurrent()
        ready: list[bool] = []

        def wake() -> None:
            ready.append(True)
            self._scheduler.wake(task)

        try:
            watch(self.fd, wake)
        except OSError:
            self._waits = False
            return
        try:
            while not ready:
                self._scheduler.block()
        finally:
            if not ready:
                self._poller.forget(self.fd)

    def read(self, count: int) -> bytes:
        if not self.readable:
            raise fs_error(errno.EBADF)
        if self._buffer:
            data, self._buffer = self._buffer[:count], self._buffer[count:]
            return data
        self._wait(self._poller.readable)
        try:
            return os.read(self.fd, min(count, CHUNK))
        except OSError as error:
            raise to_fs_error(error) from None

    def ready(self) -> bool:
        return bool(self._buffer) or self._readable_now()

    def _readable_now(self) -> bool:
        calls: list[bool] = []
        try:
            self._poller.readable(self.fd, lambda: calls.append(True))
        except OSError:
            return True
        self._poller.wait(0)
        if not calls:
            self._poller.forget(self.fd)
        return bool(calls)

    def unread(self, data: bytes) -> None:
        self._buffer = data + self._buffer

    def write(self, data: bytes) -> None:
        if not self.writable:
            raise fs_error(errno.EBADF)
        view = memoryview(data)
        try:
            while view:
                self._wait(self._poller.writable)
                view = view[os.write(self.fd, view[:_ROOM] if self._waits else view) :]
        except BrokenPipeError:
            raise BrokenPipe from None
        except OSError as error:
            raise to_fs_error(error) from None

    def close(self) -> None:
        if self._closes_fd:
            self._poller.forget(self.fd)
            os.close(self.fd)


class Drain:
    """A task that copies a program's output to a description of the shell."""

    __slots__ = (
        "_fd",
        "_finished",
        "_idle",
        "_poller",
        "_scheduler",
        "_sink",
        "_task",
        "_waiter",
        "child_end",
    )

    def __init__(self, sink: Description, poller: Poller, scheduler: Scheduler) -> None:
        self._fd, self.child_end = inbound()
        sink.retain()
        self._sink = sink
        self._poller = poller
        self._scheduler = scheduler
        self._idle = False
        self._finished = False
        self._waiter: greenlet | None = None
        self._task = scheduler.spawn(self._run, None)

    def _run(self) -> None:
        try:
            while (data := self._next()) != b"":
                self._sink.write(data)
        except (BrokenPipe, OSError):
            pass  # the program gets SIGPIPE when this end is closed
        finally:
            self._finished = True
            self._poller.forget(self._fd)
            os.close(self._fd)
            self._sink.release()
            self._wake_waiter()

    def _next(self) -> bytes:
        """Wait for data and return it; b"" when the last writer has closed the pipe."""
        task = getcurrent()
        while True:
            data = read_some(self._fd, CHUNK)
            if data is not None:
                return data
            self._wake_waiter()
            self._idle = True
            self._poller.readable(self._fd, lambda: self._scheduler.wake(task))
            self._scheduler.block()
            self._idle = False

    def _wake_waiter(self) -> None:
        if self._waiter is not None:
            waiter, self._waiter = self._waiter, None
            self._scheduler.wake(waiter)

    def settle(self) -> None:
        """Wait until all output written so far has been copied.

        Called after the end of the program, whose descendants may still write later.
        """
        if self._idle:
            self._poller.forget(self._fd)
            self._scheduler.wake(self._task)
        self._waiter = getcurrent()
        while self._waiter is not None and not self._finished:
            self._scheduler.block()


class Supply:
    """A task that copies a description of the shell to a program's input."""

    __slots__ = ("_fd", "_pending", "_poller", "_scheduler", "_source", "_task", "child_end")

    def __init__(self, source: Description, poller: Poller, scheduler: Scheduler) -> None:
        self.child_end, self._fd = outbound()
        self._poller = poller
        self._scheduler = scheduler
        source.retain()
        self._source = source
        self._pending = memoryview(b"")
        self._task: greenlet | None = None
        if not self._write_directly():
            self._task = scheduler.spawn(self._run, None)

    def _write_directly(self) -> bool:
        """Write small input from memory without a task; return True if that was all of it."""
        source = self._source
        if not isinstance(source, Input):
            return False
        data = source.read(_PIPE + 1)
        self._pending = memoryview(data)[write_some(self._fd, data) if data else 0 :]
        if len(data) > _PIPE or self._pending:
            return False
        self._close()
        return True

    def _run(self) -> None:
        try:
            while True:
                while self._pending:
                    self._write()
                data = self._source.read(CHUNK)
                if not data:
                    break
                self._pending = memoryview(data)
        except OSError:
            pass  # the program has stopped reading, or the input cannot be read: both end the input
        finally:
            self._close()

    def _write(self) -> None:
        count = write_some(self._fd, self._pending)
        if count:
            self._pending = self._pending[count:]
            return
        task = getcurrent()
        self._poller.writable(self._fd, lambda: self._scheduler.wake(task))
        self._scheduler.block()

    def _close(self) -> None:
        if self._fd >= 0:
            self._poller.forget(self._fd)
            os.close(self._fd)
            self._fd = -1

    def end(self) -> None:
        """Stop after the end of the program, and return to the source what the program did not read."""
        if self._task is not None:
            self._scheduler.cancel(self._task)
        self._close()
        unread = unread_bytes(self.child_end, 1 << 30) + bytes(self._pending)
        os.close(self.child_end)
        if unread:
            self._source.unread(unread)
        self._source.release()

    def drop(self) -> None:
        """Close everything at once, at the end of the run."""
        self._close()
        os.close(self.child_end)


class NullDevice:
    """The null device, opened once in each mode for all programs of a run."""

    __slots__ = ("_descriptors",)

    def __init__(self) -> None:
        self._descriptors: dict[int, int] = {}  # by the flags of open

    def descriptor(self, flags: int = os.O_RDWR) -> int:
        """Return a descriptor of the device. Raises OSError if the process cannot open more files."""
        if flags not in self._descriptors:
            self._descriptors[flags] = os.open(os.devnull, flags | getattr(os, "O_CLOEXEC", 0))
        return self._descriptors[flags]

    def closed_stream(self, number: int) -> int:
        """Return a descriptor for a standard stream that is closed: using it fails with EBADF."""
        return self.descriptor(os.O_RDONLY if number else os.O_WRONLY)

    def close(self) -> None:
        """Close the descriptors."""
        while self._descriptors:
            os.close(self._descriptors.popitem()[1])


class Streams:
    """The descriptors of one program, and the tasks that copy its input and output.

    Args:
        descriptors: The descriptors of the process that becomes the program.
        null: The null device.
        alone: The process only waits for the program.

    Attributes:
        files: Maps the program's descriptors to those of this process, as in ``Spawn``.
        lent: The program's descriptors that are themselves ends of pipes.

    Raises:
        OSError: EMFILE, ENFILE: the process or the system has too many open files for a pipe.
    """

    __slots__ = (
        "_alone", "_descriptors", "_directories", "_drains", "_ends", "_null", "_poller", "_scheduler", "_supplies", "files", "lent",
    )  # fmt: skip

    def __init__(
        self,
        descriptors: dict[int, Description],
        null: NullDevice,
        poller: Poller,
        scheduler: Scheduler,
        *,
        alone: bool,
    ) -> None:
        self.files: dict[int, int] = {}
        self.lent: list[int] = []
        self._descriptors = descriptors
        self._null = null
        self._poller = poller
        self._scheduler = scheduler
        self._alone = alone
        self._drains: list[Drain] = []
        self._supplies: list[Supply] = []
        self._directories: list[int] = []
        self._ends: dict[int, int] = {}  # of a description, so that 2>&1 is one pipe
        try:
            for number in (0, 1, 2):
                if number not in descriptors:
                    self.files[number] = null.closed_stream(number)
            for number, description in sorted(descriptors.items()):
                if not WINDOWS or number <= 2:  # programs get only three descriptors on Windows
                    self.files[number] = self._descriptor(number, description)
        except OSError:
            self.close_output_ends()
            self.drop()
            raise

    def _descriptor(self, number: int, description: Description) -> int:
        """Return the descriptor of this process that a program gets for a description."""
        if isinstance(description, (HostFile, HostStream)):
            if WINDOWS and isinstance(description, HostFile) and description.append:
                os.lseek(description.fd, 0, os.SEEK_END)  # a descriptor of Windows has no append mode
            return description.fd
        if isinstance(description, (Null, NullInput)):
            return self._null.descriptor()
        if isinstance(description, OpenDirectory):
            return self._open_directory(number, description)
        fd = self._ends.get(id(description), -1)
        if fd < 0 and isinstance(description, (RealReader, RealWriter)):
            fd = self._lend(number, description)
        if fd < 0:
            fd = self._join(number, description)
        self._ends[id(description)] = fd
        return fd

    def _open_directory(self, number: int, description: OpenDirectory) -> int:
        """Return a descriptor of a directory, which a program cannot read; else that of a pipe."""
        if sys.platform == "win32":
            return self._join(number, description)
        try:
            fd = os.open(description.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return self._join(number, description)
        self._directories.append(fd)
        return fd

    def _lend(self, number: int, end: RealReader | RealWriter) -> int:
        """Return the descriptor of a pipe's end, -1 if the program cannot get the end itself.

        On Windows, every use of an end waits for all other uses, even a poll. So an end is lent only if
        nothing else in this process will use it.
        """
        uses = sum(description is end for description in self._descriptors.values())
        is_unshared = end.references == uses
        if WINDOWS and not (is_unshared and self._alone):
            return -1
        fd = end.lend() if isinstance(end, RealWriter) else end.lend(alone=is_unshared or number == 0)
        if fd >= 0:
            self.lent.append(number)
        return fd

    def _join(self, number: int, description: Description) -> int:
        """Return the program's end of a pipe of the host, whose other end a task of this process serves."""
        if description.readable and (number == 0 or not description.writable):
            supply = Supply(description, self._poller, self._scheduler)
            self._supplies.append(supply)
            return supply.child_end
        drain = Drain(description, self._poller, self._scheduler)
        self._drains.append(drain)
        return drain.child_end

    def close_output_ends(self) -> None:
        """Close this process's copies of the program's output ends, so that readers see the end of its output.

        The descriptors of directories are closed, too: only the program has them.
        """
        while self._directories:
            os.close(self._directories.pop())
        for drain in self._drains:
            os.close(drain.child_end)

    def drop(self) -> None:
        """Close everything at once if the program did not start or the run ends. Tasks end by themselves."""
        for supply in self._supplies:
            supply.drop()

    def finish(self) -> None:
        """After the program's end, copy the rest of its output, and return its unread input to the source."""
        while self._supplies:
            self._supplies.pop().end()
        for drain in self._drains:
            drain.settle()

"""Stream: the output of a run as an asynchronous iterator."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from threading import Condition
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

from sandhook.kernel.threads import call_in_thread
from sandhook.limits import check_clock
from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.interp.result import Result
    from sandhook.kernel.descriptor import WriteBytes
    from sandhook.limits import Cancellation

StreamName: TypeAlias = Literal["stdout", "stderr"]

#: Bytes that a run may be ahead of its reader; a single piece may be longer.
_AHEAD = 65_536

#: Between two looks of a run that waits for its reader, in seconds.
_LOOK_SECONDS = 0.02

#: The longest wait for the end of a run that was ended, in seconds; one of the sandbox needs some milliseconds.
_LONGEST_END = 1.0


class Piece(Record):
    """What a run wrote at once, and to which of its outputs."""

    stream: StreamName
    data: bytes


class _Buffer:
    """Pieces on their way from the thread of the run to the event loop."""

    def __init__(self, cancel: Cancellation) -> None:
        self.cancel = cancel
        self.changed = Condition()
        self.pieces: deque[Piece] = deque()
        self.size = 0
        self.loop: asyncio.AbstractEventLoop | None = None
        self.arrived = asyncio.Event()

    def writer(self, stream: StreamName) -> WriteBytes:
        """Return what a run calls with its output; it waits while the run is too far ahead."""

        def write(data: bytes) -> None:
            with self.changed:
                while self.size >= _AHEAD and not self.cancel.cancelled:
                    check_clock()
                    self.changed.wait(_LOOK_SECONDS)
                if self.cancel.cancelled:
                    return
                self.pieces.append(Piece(stream, data))
                self.size += len(data)
            self.wake()

        return write

    def wake(self) -> None:
        """Wake the reader, from the thread of the run."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.arrived.set)

    def take(self) -> Piece | None:
        """Return the oldest piece; None if nothing waits."""
        with self.changed:
            if not self.pieces:
                return None
            piece = self.pieces.popleft()
            self.size -= len(piece.data)
            self.changed.notify()
            return piece


class Stream:
    """Yields the output of a run while it runs: ``async for piece in shell.stream(script)``.

    The run begins with the first piece that is asked for. It is at most 64 KiB ahead of the reader: then it waits, and
    the wait counts as its time. The run ends at once when the task that reads is cancelled, when ``aclose`` is called,
    when an ``async with`` block ends, and when the stream is dropped.
    """

    __slots__ = ("__weakref__", "_buffer", "_run", "_task")

    def __init__(self, run: Callable[[WriteBytes, WriteBytes], Result], cancel: Cancellation) -> None:
        self._run = run
        self._buffer = _Buffer(cancel)
        self._task: asyncio.Task[Result] | None = None

    @property
    def result(self) -> Result:
        """The result of the run, after the last piece. Raises RuntimeError before."""
        if self._task is None or not self._task.done() or self._task.cancelled():
            raise RuntimeError("the run has not ended: read the stream to its end before its result")
        return self._task.result()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Piece:
        """Return the next piece. Raises what the run raises for wrong arguments."""
        task, buffer = self._begun(), self._buffer
        while True:
            ended = task.done()  # before the look: pieces are complete once this is set
            buffer.arrived.clear()
            piece = buffer.take()
            if piece is not None:
                return piece
            if ended:
                if task.cancelled():
                    raise StopAsyncIteration
                task.result()
                raise StopAsyncIteration
            try:
                await buffer.arrived.wait()
            except asyncio.CancelledError:
                await self.aclose()
                raise

    async def __aenter__(self) -> Self:
        self._begun()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End the run, and wait until it has ended; its result is then available. Output that nobody read is dropped.

        Code of the host that the run calls and that does not return is waited for no longer than a second.
        """
        self._buffer.cancel.cancel()
        task = self._task
        if task is not None and not task.done():
            await asyncio.wait([task], timeout=_LONGEST_END)

    def __del__(self) -> None:
        task = self._task
        if task is not None and not task.done():
            self._buffer.cancel.cancel()

    def _begun(self) -> asyncio.Task[Result]:
        """Return the task that waits for the run, and begin it."""
        if self._task is None:
            buffer, run = self._buffer, self._run
            buffer.loop = asyncio.get_running_loop()

            def body() -> Result:
                return run(buffer.writer("stdout"), buffer.writer("stderr"))

            self._task = asyncio.ensure_future(call_in_thread(body, buffer.cancel))
            self._task.add_done_callback(lambda _: buffer.arrived.set())
        return self._task

"""The worker processes that fire events, with ``--processes``.

The process of the service accepts the connections and keeps each event until it is answered. Workers that accept
connections themselves would save a hop, but a worker that dies would take its connections along, and agents take a
reset connection for "allow".
"""

from __future__ import annotations

import asyncio
import re
import sys
import zlib
from collections import deque
from collections.abc import Callable, Sequence

from sandhook.client.wire import Garbled, pack, unpack
from sandhook.serve.audit import AuditWriter
from sandhook.serve.firing import FireCall, Fired
from sandhook.serve.processes import HEADER, START_SECONDS, command_line
from sandhook.serve.release import Release, WorkerEnded, WorkerOutdated

#: How often an event is fired when its worker dies.
_TRIES = 2

#: Events that a worker has besides the one that it fires: it need not wait for the next one.
_AHEAD = 3

#: Of a payload, where the id of its session is looked for.
_SESSION_BYTES = 65536

_SESSION = re.compile(rb'"session_?[iI]d"\s*:\s*"([^"\\]{1,256})"')

#: Receives what became of an event, or why there is nothing.
Done = Callable[[Fired | Exception], object]

#: Receives also the lines for the audit log.
_Answered = Callable[[Fired | WorkerEnded, bytes], object]


class _Job:
    """An event that a worker fires."""

    __slots__ = ("done", "frame", "tries")

    def __init__(self, frame: bytes, done: _Answered) -> None:
        self.frame = frame
        self.done = done
        self.tries = 0


class _Pipes(asyncio.SubprocessProtocol):
    """The pipes of a worker process: reads frames.

    Args:
        frame: Receives the fields of a frame. Raises ValueError for what a worker does not send.
        ended: Called once when the process ended, or sent something else.
    """

    def __init__(self, frame: Callable[[list[bytes]], object], ended: Callable[[], object]) -> None:
        self._frame = frame
        self._ended = ended
        self._data = b""
        self._transport: asyncio.SubprocessTransport | None = None

    @property
    def is_ended(self) -> bool:
        """Whether the process ended, or counts as ended."""
        return self._ended is _nothing

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        assert not isinstance(data, str)
        if self.is_ended:  # its events are fired again already
            return
        data = self._data + bytes(data)  # on Windows a bytearray
        at, size = 0, HEADER.size
        try:
            while len(data) - at >= size:
                end = at + size + HEADER.unpack_from(data, at)[0]
                if end > len(data):
                    break
                fields = unpack(data[at + size : end])
                at = end
                self._frame(fields)
        except ValueError:
            self.kill()
        self._data = data[at:] if at < len(data) else b""

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self.kill()

    def process_exited(self) -> None:
        self.kill()

    def kill(self) -> None:
        """End the process at once."""
        if self._transport is not None:
            self._transport.close()
        self._report_end()

    def _report_end(self) -> None:
        ended, self._ended = self._ended, _nothing
        ended()


def _nothing() -> None:
    pass


class Lane:
    """One worker process, the events that it has, and those that wait for it.

    Args:
        arguments: The options of ``sandhook serve``; the worker makes its engines from them.
        restarted: Called when the worker ended by itself.
        release: Checks that the worker is of this version.
    """

    def __init__(
        self, arguments: Sequence[str], restarted: Callable[[], object], release: Release
    ) -> None:
        self._arguments = arguments
        self._restarted = restarted
        self._release = release
        self._sent: deque[_Job] = deque()
        self._queue: deque[_Job] = deque()
        self._transport: asyncio.SubprocessTransport | None = None
        self._pipes: _Pipes | None = None
        self._input: asyncio.WriteTransport | None = None
        self._starting: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[None] | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The id of the process, None while it starts."""
        return self._transport.get_pid() if self._input is not None and self._transport is not None else None

    def submit(self, frame: bytes, done: _Answered) -> None:
        """Fire an event when the worker is free."""
        self._queue.append(_Job(frame, done))
        if self._input is None and self._starting is None and not self._closed:
            self._starting = asyncio.create_task(self._restart())
        self._send()

    async def start(self) -> None:
        """Start the process and wait until it is ready. Raises WorkerEnded."""
        self._release.check_files()
        loop = asyncio.get_running_loop()
        ready = self._ready = loop.create_future()
        pipes = _Pipes(self._received, self._lost)
        self._pipes = pipes
        try:
            transport, _ = await loop.subprocess_exec(
                lambda: pipes,
                *command_line(self._arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=None,
                start_new_session=sys.platform != "win32",  # an interrupt at the terminal is the service's
            )
            self._transport = transport
            async with asyncio.timeout(START_SECONDS):
                await ready
        except TimeoutError:
            self._discard()
            raise WorkerEnded("a worker did not get ready") from None
        except OSError as error:
            raise WorkerEnded(f"a worker could not be started: {error.strerror}") from None
        except BaseException:
            self._discard()
            raise
        finally:
            self._ready = None
        if pipes.is_ended:
            raise WorkerEnded("a worker ended as soon as it was ready")
        stdin = transport.get_pipe_transport(0)
        assert isinstance(stdin, asyncio.WriteTransport)
        self._input = stdin
        self._send()

    async def _restart(self) -> None:
        try:
            await self._start_or_try_again()
        except WorkerEnded as error:
            waiting, self._queue = self._queue, deque()
            for job in waiting:
                job.done(error, b"")
        finally:
            self._starting = None
        if self._queue and self._input is None:  # what arrived while the last ones were refused
            self._starting = asyncio.create_task(self._restart())

    async def _start_or_try_again(self) -> None:
        """Start the process; one that is killed while it starts is started once more. Raises WorkerEnded."""
        try:
            await self.start()
        except WorkerOutdated:
            raise
        except WorkerEnded:
            self._restarted()
            await self.start()

    def _send(self) -> None:
        target = self._input
        while target is not None and self._queue and len(self._sent) <= _AHEAD:
            job = self._queue.popleft()
            self._sent.append(job)
            target.write(job.frame)

    def _received(self, fields: list[bytes]) -> None:
        if self._ready is not None:
            if not self._ready.done():
                self._get_ready(self._ready, fields)
            return
        if not self._sent:
            raise Garbled("an answer that nobody asked for")
        fired = Fired.from_fields(fields[1:])
        job = self._sent.popleft()
        self._send()
        job.done(fired, fields[0])

    def _get_ready(self, ready: asyncio.Future[None], fields: list[bytes]) -> None:
        try:
            self._release.check(fields)
        except WorkerOutdated as error:
            ready.set_exception(error)
            raise Garbled(str(error)) from None
        ready.set_result(None)

    def _lost(self) -> None:
        """Fire again what the process had; the event that it was at may have ended it."""
        self._input = None
        error = WorkerEnded("a worker ended")
        if self._ready is not None:
            if not self._ready.done():
                self._ready.set_exception(error)
            return
        if self._closed:
            return
        self._restarted()
        sent, self._sent = self._sent, deque()
        self._queue.extendleft(reversed(sent))
        failed = None
        if sent:
            sent[0].tries += 1
            if sent[0].tries == _TRIES:
                failed = self._queue.popleft()
        if self._starting is None:
            self._starting = asyncio.create_task(self._restart())
        if failed is not None:
            failed.done(error, b"")

    def _discard(self) -> None:
        if self._pipes is not None:
            self._pipes.kill()

    async def close(self) -> None:
        """End the process: its input ends. Events that it still has fail."""
        self._closed = True
        if self._starting is not None:
            self._starting.cancel()
        transport, target = self._transport, self._input
        self._input = None
        for job in (*self._sent, *self._queue):
            job.done(WorkerEnded("the service ended"), b"")
        self._sent.clear()
        self._queue.clear()
        if target is not None:
            target.close()
        if transport is None:
            return
        for _ in range(100):
            if transport.get_returncode() is not None:
                break
            await asyncio.sleep(0.02)
        self._discard()
        transport.close()


class EnginePool:
    """Workers that fire events. All events of a session go to one worker, whose engine knows what the session did.

    Args:
        arguments: See ``Lane``.
        count: Workers.
        audit: Writes lines of the audit log.
        restarted: Called when a worker ended by itself.
        release: Checks that workers are of this version.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        count: int,
        *,
        audit: AuditWriter | None,
        restarted: Callable[[], object],
        release: Release,
    ) -> None:
        self._lanes = [Lane(arguments, restarted, release) for _ in range(count)]
        self._audit = audit

    @property
    def pids(self) -> list[int]:
        """The ids of all workers."""
        return [lane.pid for lane in self._lanes if lane.pid is not None]

    async def start(self) -> None:
        """Start all workers. Raises WorkerEnded."""
        await asyncio.gather(*(lane.start() for lane in self._lanes))

    def fire(self, call: FireCall, done: Done) -> None:
        """Fire an event; ``done`` receives WorkerEnded after the second try, and JournalError."""
        event = call.event
        data = pack(
            [
                b"fire",
                call.agent.encode(),
                b"1" if event is not None else b"",
                event.encode("utf-8", "surrogatepass") if event is not None else b"",
                call.directory.encode("utf-8", "surrogateescape"),
                call.body,
            ]
        )
        lane = self._lanes[zlib.crc32(_session_of(call.body)) % len(self._lanes)]
        audit = self._audit

        def answered(fired: Fired | WorkerEnded, lines: bytes) -> None:
            if audit is not None and lines:
                audit.write(lines.decode("utf-8").splitlines(), lambda error: done(error or fired))
            else:
                done(fired)

        lane.submit(HEADER.pack(len(data)) + data, answered)

    async def close(self) -> None:
        """End all workers."""
        await asyncio.gather(*(lane.close() for lane in self._lanes))


def _session_of(body: bytes) -> bytes:
    """Return the id of an event's session, b"" without one; a worker reads the payload again, with all checks."""
    found = _SESSION.search(body, 0, _SESSION_BYTES)
    return found[1] if found else b""

"""The worker processes that fire events, with ``--processes``.

The process of the service accepts the connections and keeps each event until it is answered. Workers that accept
connections themselves would save a hop, but a worker that dies would take its connections along, and agents take a
reset connection for "allow".
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections import deque
from collections.abc import Callable, Sequence

from sandhook.client.wire import Garbled
from sandhook.serve.audit import AuditWriter
from sandhook.serve.firing import FireCall, Fired
from sandhook.serve.frames import frame_of
from sandhook.serve.patience import LOOK_SECONDS, Patience, seconds_of
from sandhook.serve.pipes import WorkerPipes
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
_Answered = Callable[[Fired | WorkerEnded, list[str]], object]


class _Job:
    """An event that a worker fires."""

    __slots__ = ("done", "frame", "number", "tries")

    def __init__(self, number: bytes, frame: bytes, done: _Answered) -> None:
        self.number = number
        self.frame = frame
        self.done = done
        self.tries = 0


class Lane:
    """One worker process, the events that it has, and those that wait for it.

    Args:
        arguments: The options of ``sandhook serve``; the worker makes its engines from them.
        restarted: Called with the reason when the worker ended by itself, or had to be killed.
        release: Checks that the worker is of this version.
    """

    def __init__(
        self, arguments: Sequence[str], restarted: Callable[[str], object], release: Release
    ) -> None:
        self._patience = Patience()
        self._timer: asyncio.TimerHandle | None = None
        self._jobs = 0
        self._arguments = arguments
        self._restarted = restarted
        self._release = release
        self._sent: deque[_Job] = deque()
        self._queue: deque[_Job] = deque()
        self._pipes: WorkerPipes | None = None  # of a process that is ready
        self._starting: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The id of the process, None while it starts."""
        return self._pipes.pid if self._pipes is not None else None

    def submit(self, fields: list[bytes], done: _Answered) -> None:
        """Fire an event when the worker is free.

        Args:
            fields: Those of ``FireCall``.
            done: Receives what became of it.
        """
        self._jobs += 1
        number = b"%d" % self._jobs
        self._queue.append(_Job(number, frame_of([b"fire", number, *fields]), done))
        if self._pipes is None and self._starting is None and not self._closed:
            self._starting = asyncio.create_task(self._restart())
        self._send()

    async def start(self) -> None:
        """Start the process and wait until it is ready. Raises WorkerEnded."""
        pipes = WorkerPipes(self._received, self._lost)
        await pipes.start(self._arguments, self._release)
        self._pipes = pipes
        self._send()

    async def _restart(self) -> None:
        try:
            await self._start_or_try_again()
        except WorkerEnded as error:
            waiting, self._queue = self._queue, deque()
            for job in waiting:
                job.done(error, [])
        finally:
            self._starting = None
        if self._queue and self._pipes is None:  # what arrived while the last ones were refused
            self._starting = asyncio.create_task(self._restart())

    async def _start_or_try_again(self) -> None:
        """Start the process; one that is killed while it starts is started once more. Raises WorkerEnded."""
        try:
            await self.start()
        except WorkerOutdated:
            raise
        except WorkerEnded as error:
            self._restarted(str(error))
            await self.start()

    def _send(self) -> None:
        pipes = self._pipes
        if pipes is None:
            return
        if self._queue and not self._sent:
            self._patience.begin(asyncio.get_running_loop().time())
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look)
        while self._queue and len(self._sent) <= _AHEAD:
            job = self._queue.popleft()
            self._sent.append(job)
            pipes.write(job.frame)

    def _look(self) -> None:
        """Kill a worker that hangs: no other event of its sessions would be fired."""
        self._timer = None
        if not self._sent or self._pipes is None:
            return
        loop = asyncio.get_running_loop()
        if why := self._patience.fault(loop.time(), self._pipes.pid):
            self._pipes.kill(why)
        else:
            self._timer = loop.call_later(LOOK_SECONDS, self._look)

    def _received(self, fields: list[bytes]) -> None:
        if not self._sent:
            raise Garbled("an answer that nobody asked for")
        seconds = seconds_of(fields)
        if seconds is not None:
            self._patience.report(asyncio.get_running_loop().time(), seconds)
            return
        number, lines, *rest = fields
        if number != self._sent[0].number:
            raise Garbled("the answer to another event")
        fired, audit = Fired.from_fields(rest), lines.decode("utf-8").splitlines()
        job = self._sent.popleft()
        if self._sent:
            self._patience.begin(asyncio.get_running_loop().time())
        self._send()
        job.done(fired, audit)

    def _lost(self, why: str) -> None:
        """Fire again what the process had; the event that it was at may have ended it."""
        self._pipes = None
        self._patience = Patience()
        if self._closed:
            return
        self._restarted(why)
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
            failed.done(WorkerEnded(why), [])

    async def close(self) -> None:
        """End the process: its input ends. Events that it still has fail."""
        self._closed = True
        if self._starting is not None:
            self._starting.cancel()
        pipes, self._pipes = self._pipes, None
        for job in (*self._sent, *self._queue):
            job.done(WorkerEnded("the service ended"), [])
        self._sent.clear()
        self._queue.clear()
        if pipes is not None:
            await pipes.close()


class EnginePool:
    """Workers that fire events. All events of a session go to one worker, whose engine knows what the session did.

    Args:
        arguments: See ``Lane``.
        count: Workers.
        audit: Writes lines of the audit log.
        restarted: Called with the reason when a worker ended by itself, or had to be killed.
        release: Checks that workers are of this version.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        count: int,
        *,
        audit: AuditWriter | None,
        restarted: Callable[[str], object],
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
        fields = [
            call.agent.encode(),
            b"1" if event is not None else b"",
            event.encode("utf-8", "surrogatepass") if event is not None else b"",
            call.directory.encode("utf-8", "surrogateescape"),
            call.body,
        ]
        lane = self._lanes[zlib.crc32(_session_of(call.body)) % len(self._lanes)]
        audit = self._audit

        def answered(fired: Fired | WorkerEnded, lines: list[str]) -> None:
            if audit is not None and lines:
                audit.write(lines, lambda error: done(error or fired))
            else:
                done(fired)

        lane.submit(fields, answered)

    async def close(self) -> None:
        """End all workers."""
        await asyncio.gather(*(lane.close() for lane in self._lanes))


def _session_of(body: bytes) -> bytes:
    """Return the id of an event's session, b"" without one; a worker reads the payload again, with all checks."""
    found = _SESSION.search(body, 0, _SESSION_BYTES)
    return found[1] if found else b""

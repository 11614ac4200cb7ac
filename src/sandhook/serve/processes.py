"""The worker processes of a service that run the commands of clients; those that fire events are in ``lanes``.

A worker does one thing at a time. One that dies or hangs in the middle of it is replaced, and the other one does it
again: nothing that a worker does changes the machine.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from sandhook.client.wire import Garbled, Printed
from sandhook.serve.frames import frame_of
from sandhook.serve.patience import LOOK_SECONDS, Patience, seconds_of
from sandhook.serve.pipes import WorkerPipes
from sandhook.serve.release import Release, WorkerEnded, WorkerOutdated

if TYPE_CHECKING:
    from sandhook.hooks.event import JsonObject

#: A worker that has nothing to do for so many seconds ends, except for the first.
IDLE_SECONDS = 60.0

#: How often a command is run when its worker dies.
_TRIES = 2


class Answered:
    """What a worker answered.

    Attributes:
        printed: What the command printed; None if the worker declines.
        record: What the command fired; empty if it fired nothing.
        audit: Lines for the audit log.
    """

    __slots__ = ("audit", "printed", "record")

    def __init__(self, fields: list[bytes]) -> None:
        """Read the fields of an answer. Raises ValueError."""
        audit, printed, record = fields
        self.audit = audit.decode("utf-8").splitlines()
        self.printed = Printed.unpack(printed) if printed else None
        value = json.loads(record) if record else {}
        if not isinstance(value, dict):
            raise ValueError("a record that is not an object")
        self.record: JsonObject = value


class WorkerProcess:
    """One worker process."""

    def __init__(self) -> None:
        self._pipes = WorkerPipes(self._received, self._lost)
        self._patience = Patience()
        self._tasks = 0
        self._answer: asyncio.Future[Answered] | None = None
        self.idle_since = 0.0

    @property
    def pid(self) -> int:
        return self._pipes.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process did not end yet, as far as is known."""
        return not self._pipes.is_ended

    @classmethod
    async def start(cls, arguments: Sequence[str], release: Release) -> WorkerProcess:
        """Start a worker. Raises WorkerEnded.

        Args:
            arguments: The options of ``sandhook serve``; the worker makes its engines from them.
            release: Checks that the worker is of this version.
        """
        worker = cls()
        await worker._pipes.start(arguments, release)
        return worker

    async def run(self, call: bytes) -> Answered:
        """Let the worker run a command line. Raises WorkerEnded, also for a worker that hangs.

        A caller that is cancelled must kill the worker, which does not stop by itself.
        """
        loop = asyncio.get_running_loop()
        if self._pipes.is_ended:
            raise WorkerEnded("a worker ended")
        answer: asyncio.Future[Answered] = loop.create_future()
        self._answer = answer
        self._tasks += 1
        self._patience.begin(loop.time())
        self._pipes.write(frame_of([b"run", b"%d" % self._tasks, call]))
        try:
            while not (await asyncio.wait({answer}, timeout=LOOK_SECONDS))[0]:
                if why := self._patience.fault(loop.time(), self.pid):
                    self._pipes.kill(why)
            return answer.result()
        finally:
            self._answer = None

    def _received(self, fields: list[bytes]) -> None:
        if self._answer is None or self._answer.done():
            raise Garbled("an answer that nobody asked for")
        seconds = seconds_of(fields)
        if seconds is not None:
            self._patience.report(asyncio.get_running_loop().time(), seconds)
            return
        if fields[:1] != [b"%d" % self._tasks]:
            raise Garbled("the answer to another command")
        self._answer.set_result(Answered(fields[1:]))

    def _lost(self, why: str) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(WorkerEnded(why))

    def kill(self) -> None:
        """End the process at once."""
        self._pipes.kill()

    async def close(self) -> None:
        """End the process: its input ends."""
        await self._pipes.close()


class CommandPool:
    """Workers that run the command lines of clients, as many as are needed up to a bound.

    Args:
        arguments: See ``WorkerProcess.start``.
        most: Workers at once.
        waiting: Commands that may wait for one; a client whose command may not runs it itself.
        restarted: Called with the reason when a worker ended by itself, or had to be killed.
        release: Checks that workers are of this version.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        most: int,
        waiting: int,
        restarted: Callable[[str], object],
        release: Release,
    ) -> None:
        self._arguments = arguments
        self._release = release
        self._slots = asyncio.Semaphore(most)
        self._most_waiting = waiting
        self._waiting = 0
        self._idle: list[WorkerProcess] = []
        self._busy: set[WorkerProcess] = set()
        self._restarted = restarted

    @property
    def is_full(self) -> bool:
        """Whether another command would have to wait longer than it may."""
        return self._slots.locked() and self._waiting >= self._most_waiting

    @property
    def pids(self) -> list[int]:
        """The ids of all workers that live."""
        return [worker.pid for worker in (*self._idle, *self._busy) if worker.is_alive]

    async def run(self, call: bytes) -> Answered:
        """Run a command line. Raises WorkerEnded after the second try."""
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            for attempt in range(_TRIES):
                try:
                    # What ended one worker may have ended the idle ones too, without anybody having noticed yet.
                    return await self._run_once(call, fresh=attempt > 0)
                except WorkerOutdated:
                    raise
                except WorkerEnded as error:
                    self._restarted(str(error))
                    if attempt + 1 == _TRIES:
                        raise
            raise WorkerEnded("no worker")
        finally:
            self._slots.release()

    async def _run_once(self, call: bytes, *, fresh: bool) -> Answered:
        self._drop_ended()
        has_idle = self._idle and not fresh
        worker = self._idle.pop() if has_idle else await self._started()
        self._busy.add(worker)
        try:
            answered = await worker.run(call)
        except BaseException:  # it ended, or the client did: nobody waits for its answer
            worker.kill()
            raise
        else:
            worker.idle_since = asyncio.get_running_loop().time()
            self._idle.append(worker)
            return answered
        finally:
            self._busy.discard(worker)

    async def prestart(self) -> None:
        """Start the first worker. Raises WorkerEnded."""
        self._idle.append(await self._started())

    async def _started(self) -> WorkerProcess:
        return await WorkerProcess.start(self._arguments, self._release)

    def _drop_ended(self) -> int:
        """Forget the idle workers that ended by themselves; return how many there were."""
        ended = [worker for worker in self._idle if not worker.is_alive]
        for worker in ended:
            self._idle.remove(worker)
            self._restarted("a worker ended")
        return len(ended)

    async def keep(self) -> None:
        """Replace the last worker if it ended by itself, and end those that had nothing to do for long, except for one."""
        if self._drop_ended() and not (self._idle or self._busy):
            with suppress(WorkerEnded):  # the next command starts one, or its client learns that none starts
                await self.prestart()
        before = asyncio.get_running_loop().time() - IDLE_SECONDS
        old = [worker for worker in self._idle[:-1] if worker.idle_since < before]
        for worker in old:
            self._idle.remove(worker)
            await worker.close()

    async def close(self) -> None:
        """End all workers."""
        for worker in self._busy:
            worker.kill()
        idle, self._idle = self._idle, []
        await asyncio.gather(*(worker.close() for worker in idle))

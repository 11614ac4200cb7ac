"""The worker processes of a service that run the commands of clients; those that fire events are in ``lanes``.

A worker does one thing at a time. One that dies in the middle of it is replaced, and the other one does it again:
nothing that a worker does changes the machine.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from struct import Struct

from sandhook.client.wire import Printed, pack, unpack
from sandhook.serve.release import Release, WorkerEnded, WorkerOutdated

#: Of a frame: the length of what follows.
HEADER = Struct(">I")

#: A worker that has nothing to do for so many seconds ends, except for the first.
IDLE_SECONDS = 60.0

#: A worker whose client is gone is ended after this.
_TRIES = 2

#: Seconds that a worker may take to start.
START_SECONDS = 60.0

_PROGRAM = "from sandhook.cli.serve.worker import main; main()"


def command_line(arguments: Sequence[str]) -> list[str]:
    """Return the command line of a worker.

    Args:
        arguments: The options of ``sandhook serve``; the worker makes its engines from them.
    """
    return [sys.executable, "-P", "-c", _PROGRAM, *arguments]  # -P: never import from the current directory


class Answered:
    """What a worker answered.

    Attributes:
        fields: Of the answer.
        audit: Lines for the audit log.
    """

    __slots__ = ("audit", "fields")

    def __init__(self, fields: list[bytes], audit: list[str]) -> None:
        self.fields = fields
        self.audit = audit


class WorkerProcess:
    """One worker process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.idle_since = 0.0

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process did not end yet, as far as is known."""
        return self._process.returncode is None

    @classmethod
    async def start(cls, arguments: Sequence[str], release: Release) -> WorkerProcess:
        """Start a worker. Raises WorkerEnded.

        Args:
            arguments: The options of ``sandhook serve``; the worker makes its engines from them.
            release: Checks that the worker is of this version.
        """
        release.check_files()
        try:
            process = await asyncio.create_subprocess_exec(
                *command_line(arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=sys.platform
                != "win32",  # an interrupt typed at the terminal is the service's
            )
        except OSError as error:
            raise WorkerEnded(f"a worker could not be started: {error.strerror}") from None
        worker = cls(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                release.check(await worker._receive())
        except TimeoutError:
            worker.kill()
            raise WorkerEnded("a worker did not get ready") from None
        except BaseException:
            worker.kill()
            raise
        return worker

    async def run(self, call: bytes) -> Answered:
        """Let the worker run a command line. Raises WorkerEnded.

        A caller that is cancelled must kill the worker, which does not stop by itself.
        """
        stdin = self._process.stdin
        assert stdin is not None
        data = pack([b"run", call])
        try:
            stdin.write(HEADER.pack(len(data)) + data)
            await stdin.drain()
        except OSError:
            raise WorkerEnded("a worker ended") from None
        answer = await self._receive()
        if len(answer) < 2:
            raise WorkerEnded("a worker sent an answer that is too short")
        return Answered(answer[1:], answer[0].decode("utf-8").splitlines())

    async def _receive(self) -> list[bytes]:
        stdout = self._process.stdout
        assert stdout is not None
        try:
            (length,) = HEADER.unpack(await stdout.readexactly(HEADER.size))
            return unpack(await stdout.readexactly(length))
        except (asyncio.IncompleteReadError, OSError, ValueError):
            status = self._process.returncode
            raise WorkerEnded(f"a worker ended{f' with status {status}' if status else ''}") from None

    def kill(self) -> None:
        """End the process at once."""
        if self._process.returncode is None:
            try:
                self._process.kill()
            except ProcessLookupError:
                return

    async def close(self) -> None:
        """End the process: its input ends."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(2):
                await self._process.wait()
        except TimeoutError:
            self.kill()
            await self._process.wait()


class CommandPool:
    """Workers that run the command lines of clients, as many as are needed up to a bound.

    Args:
        arguments: See ``WorkerProcess.start``.
        most: Workers at once.
        waiting: Commands that may wait for one; a client whose command may not runs it itself.
        restarted: Called when a worker ended by itself.
        release: Checks that workers are of this version.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        most: int,
        waiting: int,
        restarted: Callable[[], object],
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

    async def run(self, call: bytes) -> tuple[Printed | None, Answered]:
        """Run a command line; the result is None if the worker declines. Raises WorkerEnded after the second try."""
        self._waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self._waiting -= 1
        try:
            for attempt in range(_TRIES):
                try:
                    # What ended one worker may have ended the idle ones too, without anybody having noticed yet.
                    answered = await self._run_once(call, fresh=attempt > 0)
                except WorkerOutdated:
                    raise
                except WorkerEnded:
                    self._restarted()
                    if attempt + 1 == _TRIES:
                        raise
                else:
                    printed = Printed.unpack(answered.fields[0]) if answered.fields[0] else None
                    return printed, answered
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
            self._restarted()
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

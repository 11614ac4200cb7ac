"""Replays partitions in a pool of processes of this machine.

Each worker receives the job once, and one partition at a time, from when it has started: a worker that ends before that
costs no partition a try. A worker that ends by itself is replaced, and its partition is tried again.
"""

from __future__ import annotations

import gc
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait

from sandhook.journal.reading import Partition
from sandhook.record import Record
from sandhook.replay.engines import TRIES, Done, Failed, reason_of
from sandhook.replay.errors import ReplayError
from sandhook.replay.job import Job, Replayer
from sandhook.replay.travel import job_from_bytes, job_to_bytes
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

#: What a worker replies: the result, or the reason of a failure; both are empty when it asks for the job, and then when
#: it has started.
_Reply = tuple[bytes, str]
_READY: _Reply = (b"", "")

#: Objects after which a worker collects garbage, as the command line does: a run makes many, and few cycles.
_COLLECTED_AFTER = 50_000

#: Workers that end as they start, one after the other, after which the replay ends.
_MOST_FAILED_STARTS = 30


def _work(connection: Connection) -> None:
    """Ask for the job, and replay the partitions that arrive, until the connection is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    from sandhook.replay.engines.local import tried

    replayer: Replayer | None = None
    reason = ""
    try:
        connection.send(_READY)
        job = connection.recv_bytes()
    except (EOFError, OSError):
        return
    try:
        replayer = Replayer(job_from_bytes(job))
    except Exception as error:  # the parent reports it with each partition
        reason = reason_of(error)
    try:
        connection.send(_READY)
    except OSError:
        return
    gc.collect()
    gc.freeze()  # what was imported and loaded stays: no collection need look at it
    gc.set_threshold(_COLLECTED_AFTER)
    while True:
        try:
            number, fields = connection.recv()
        except (EOFError, OSError):
            return
        outcome: Done | Failed = Failed(number, reason)
        if replayer is not None:
            outcome = tried(replayer, number, Partition(*fields))
        reply: _Reply = (outcome.result, "") if isinstance(outcome, Done) else (b"", outcome.reason)
        try:
            connection.send(reply)
        except OSError:
            return


class _Task(Record):
    """A partition and how often it was begun."""

    number: int
    partition: Partition
    tries: int = 0


class _Worker:
    """A process with its connection.

    Attributes:
        task: What it works on, or None.
        has_job: It was sent the job.
        has_started: It can work.
    """

    def __init__(self) -> None:
        # a new process: a fork would copy running threads and greenlets
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_work, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.task: _Task | None = None
        self.has_job = False
        self.has_started = False

    def go_on(self, job: bytes) -> bool:
        """Send the job, or note that it was received; return False if the worker ended.

        The job is no argument of the process: those are written to a pipe of which this process also has the end that
        is read, so the loss of a worker that did not read a large job yet would never be noticed.
        """
        self.has_started = self.has_job
        if not self.has_job:
            self.has_job = True
            try:
                self.connection.send_bytes(job)
            except OSError:
                return False
        return True

    def begin(self, task: _Task) -> bool:
        """Send a task; return False if the worker ended."""
        self.task = task._replace(tries=task.tries + 1)
        try:
            self.connection.send((task.number, tuple(task.partition)))
        except OSError:
            return False
        return True

    def reply(self) -> _Reply | None:
        """Return the reply, None if the worker ended."""
        try:
            received: _Reply = self.connection.recv()
        except (EOFError, OSError):
            return None
        return received

    def close(self) -> None:
        self.connection.close()
        self.process.join(2)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class ProcessEngine:
    """Replays partitions in worker processes.

    Args:
        workers: Their number.
    """

    def __init__(self, job: Job, workers: int) -> None:
        self._job = job_to_bytes(job)
        self._count = workers
        self._workers: list[_Worker] = []
        self._failed_starts = 0

    @property
    def pids(self) -> list[int]:
        """The ids of the workers."""
        return [worker.process.pid for worker in self._workers if worker.process.pid is not None]

    def replay(self, partitions: Sequence[tuple[int, Partition]]) -> Iterator[Done | Failed]:
        waiting = deque(_Task(number, partition) for number, partition in partitions)
        while len(self._workers) < min(self._count, len(waiting)):
            self._workers.append(_Worker())
        while True:
            for worker in list(self._workers):
                is_idle = worker.has_started and worker.task is None
                if is_idle and waiting and not worker.begin(waiting.popleft()):
                    yield from self._replaced(worker, waiting)
            if not waiting and not any(worker.task is not None for worker in self._workers):
                return
            expected = {
                worker.connection: worker
                for worker in self._workers
                if worker.task is not None or not worker.has_started
            }
            for connection in wait(list(expected)):
                worker = expected[connection]  # type: ignore[index]
                reply, task = worker.reply(), worker.task
                if reply is None:
                    yield from self._replaced(worker, waiting)
                elif task is None:
                    if not worker.go_on(self._job):
                        yield from self._replaced(worker, waiting)
                    elif worker.has_started:
                        self._failed_starts = 0
                else:
                    worker.task = None
                    result, reason = reply
                    yield Failed(task.number, reason) if reason else Done((task.number,), result)

    def _replaced(self, worker: _Worker, waiting: deque[_Task]) -> Iterator[Failed]:
        """Replace a worker that ended; its task waits again, or failed. Raises ReplayError if no worker can start."""
        worker.process.join(2)
        status, task = worker.process.exitcode, worker.task
        worker.close()
        if task is None:
            self._failed_starts += 1
            if self._failed_starts >= _MOST_FAILED_STARTS:
                raise ReplayError(
                    f"{self._failed_starts} worker processes ended as they started, at last with {_status(status)};"
                    " --engine local needs none"
                )
        self._workers[self._workers.index(worker)] = _Worker()
        if task is None:
            return
        if task.tries < TRIES:
            waiting.appendleft(task)
        else:
            yield Failed(task.number, f"its worker ended {TRIES} times, at last with {_status(status)}")

    def close(self) -> None:
        for worker in self._workers:
            if worker.task is not None:
                worker.process.kill()
            worker.close()
        self._workers = []


def _status(code: int | None) -> str:
    if code is not None and code < 0:
        return f"signal {-code}"
    return f"exit status {code}"

"""Replays partitions on a cluster of Dask: one that exists, or one of this machine.

The job is sent once to each worker, as a plug-in, which the scheduler also sends to a worker that takes the place of
another one; data that was scattered would be lost with the last worker that has it. The lines of a partition travel with
its task, so workers need no access to the record. Dask begins the task of a worker that ended on another worker. Lines are
compressed, as a scheduler keeps the last thousand messages to each worker, and the tasks in them, for those who look for
faults in Dask.

Results of neighbours are folded by workers, as a tree, so that a large cluster does not wait for the one process that
asked. If a partition of a group fails, the others of the group come one by one.

Dask replaces a worker that ends, but gives up one that ends as it starts. So the cluster of this machine is looked after
here, and a cluster that stays without workers is an error: its tasks would wait for ever.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import local
from time import monotonic
from uuid import uuid4
from zlib import compress, decompress

from sandhook.journal.reading import Partition
from sandhook.record import Record
from sandhook.replay.engines import TRIES, Done, Failed, reason_of
from sandhook.replay.errors import ReplayError
from sandhook.replay.folding import fold
from sandhook.replay.job import Job, Replayer
from sandhook.replay.travel import job_from_bytes, job_to_bytes
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster
    from distributed.diagnostics.plugin import WorkerPlugin

#: Partitions that are on their way, for each worker; it bounds the memory of scheduler and client.
_AHEAD = 3

#: Partitions whose results are folded before they travel, by the workers of the cluster that need it; and how many
#: results become one in each step. The process that asked holds one folded result at a time.
_GROUPS = ((64, 16), (0, 4))
_ARITY = 4

#: Messages to each worker that the scheduler of this machine keeps, and entries of its other logs, instead of 1,000.
_MESSAGES = 16

#: Seconds between two looks at the workers.
_LOOK_SECONDS = 2.0

#: Seconds without any worker after which the replay ends; a cluster that grows needs some to begin.
_WORKERLESS_SECONDS = 120.0


#: What replays a job, of each thread of a worker: a replayer replays one partition at a time.
_OWN = local()


def _replayer(job: bytes) -> Replayer:
    """Return what replays a job; a worker keeps it for the next partition."""
    known: tuple[bytes, Replayer] | None = getattr(_OWN, "known", None)
    if known is None or known[0] != job:
        _OWN.known = known = job, Replayer(job_from_bytes(job))
    return known[1]


def replay_data(name: str, partition: tuple[object, ...], data: bytes | None) -> bytes:
    """Return the result of a partition: the task of a worker.

    Args:
        name: The plug-in with the job.
        data: Its lines, compressed by zlib; None if the worker reads them from the file.
    """
    from distributed import get_worker

    job: bytes = get_worker().plugins[name].job
    lines = None if data is None else decompress(data)
    return _replayer(job).replay(Partition(*partition), lines)  # type: ignore[arg-type]


def fold_results(results: Sequence[bytes]) -> bytes:
    """Return the results of neighbours as one: a task of a worker."""
    return fold(results)


class _Group(Record):
    """Neighbouring partitions on their way.

    Attributes:
        partitions: Their numbers, and the results that workers hold.
        result: What they are folded to.
        folds: The steps between.
    """

    partitions: tuple[tuple[int, Future], ...]
    result: Future
    folds: tuple[Future, ...] = ()

    def release(self) -> None:
        """Let the cluster drop all of it."""
        for each in (self.result, *self.folds, *(leaf for _, leaf in self.partitions)):
            each.release()


class DaskEngine:
    """Replays partitions on a cluster.

    Args:
        workers: Worker processes of the cluster of this machine.
        scheduler: Address of a scheduler that runs; None begins a cluster of this machine.
        report: Receives the link of Dask's dashboard.

    Attributes:
        cluster: The cluster of this machine, None for one that existed.

    Raises ReplayError.
    """

    def __init__(
        self, job: Job, workers: int, scheduler: str | None, *, report: Callable[[str], object]
    ) -> None:
        try:
            import dask
            import distributed
        except ImportError:
            raise ReplayError(
                "--engine dask needs the extra sandhook[dask]: there is no module distributed"
            ) from None
        self._job = job_to_bytes(job)
        self._runs = job.runs
        self._count = workers
        self._name = f"replay-{uuid4().hex}"  # another replay may run on the same cluster
        self.cluster: LocalCluster | None = None
        try:
            if scheduler is None:
                # a partition that waits at a worker which ends would count as one that failed
                dask.config.set(
                    {
                        "distributed.scheduler.allowed-failures": TRIES - 1,
                        "distributed.scheduler.worker-saturation": 1.0,
                        "distributed.worker.profile.interval": "1s",  # each look interrupts the thread that works
                        "distributed.admin.low-level-log-length": _MESSAGES,
                    }
                )
                self.cluster = distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL"
                )
            target = scheduler if self.cluster is None else self.cluster
            self._client: Client = distributed.Client(target, timeout=20)
        except (OSError, TimeoutError, ValueError) as error:
            where = f"--scheduler {scheduler}" if scheduler is not None else "--engine dask"
            why = "; wanted tcp://HOST:PORT" if isinstance(error, ValueError) else ""
            raise ReplayError(f"{where}: {' '.join(str(error).split())}{why}") from None
        report(f"dask: {self._client.dashboard_link}")

    def replay(self, partitions: Sequence[tuple[int, Partition]]) -> Iterator[Done | Failed]:
        try:
            self._send_job()
            yield from self._replayed(partitions)
        except _lost() as error:
            raise ReplayError(
                f"the scheduler of Dask ended, or lost its tasks: {reason_of(error)};"
                " what is finished is kept with --resume"
            ) from None

    def _send_job(self) -> None:
        """Send the job to each worker. The loss of a worker meanwhile is an error, which is no loss of the others."""
        for left in reversed(range(TRIES)):
            try:
                self._client.register_plugin(_plugin(self._job), self._name)
            except OSError:
                if not left:
                    raise
            else:
                return

    def _replayed(self, partitions: Sequence[tuple[int, Partition]]) -> Iterator[Done | Failed]:
        waiting = deque(partitions)
        running: dict[str, _Group] = {}
        ended: SimpleQueue[Future] = SimpleQueue()
        on_way, patience = 0, _LOOK_SECONDS
        workers = self._workers()
        looked = has_worked = monotonic()
        while True:
            while waiting and on_way < _AHEAD * max(1, workers):
                group = self._submit_group(_neighbours(waiting, self._group_size(workers)))
                running[group.result.key] = group
                group.result.add_done_callback(ended.put)
                on_way += len(group.partitions)
            if not running:
                return
            with suppress(Empty):
                future = ended.get(timeout=_LOOK_SECONDS)
                group = running.pop(future.key)
                try:
                    outcome = _outcome(group, future, patience)
                except TimeoutError:  # its worker ended with the result, and another computes it again
                    patience *= 2  # it may also be large
                    running[future.key] = group
                    future.add_done_callback(ended.put)
                else:
                    patience = _LOOK_SECONDS
                    if outcome is None:  # one of its partitions failed: each is asked for itself
                        for each, leaf in group.partitions:
                            running[leaf.key] = _Group(((each, leaf),), leaf)
                            leaf.add_done_callback(ended.put)
                    else:
                        on_way -= len(group.partitions)
                        group.release()
                        yield outcome
            if monotonic() - looked >= _LOOK_SECONDS:
                looked, workers = monotonic(), self._workers()
                has_worked = self._look(workers, has_worked)

    def _workers(self) -> int:
        """Return how many partitions the cluster replays at once; a worker replays one, whatever its threads."""
        return len(self._client.nthreads())

    def _group_size(self, workers: int) -> int:
        if self._runs:  # their results are large, and nothing in them becomes less
            return 1
        return next(size for least, size in _GROUPS if workers >= least)

    def _look(self, workers: int, has_worked: float) -> float:
        """Look after the workers; return the last time that one ran. Raises ReplayError if that is long ago."""
        if self.cluster is not None and workers < self._count:
            self.cluster.loop.add_callback(_restore, self.cluster, self._count)
        if workers:
            return monotonic()
        if (seconds := monotonic() - has_worked) > _WORKERLESS_SECONDS:
            raise ReplayError(
                f"the cluster of Dask has had no worker for {seconds:.0f} s;"
                " what is finished is kept with --resume"
            )
        return has_worked

    def _submit_group(self, partitions: Sequence[tuple[int, Partition]]) -> _Group:
        """Submit neighbouring partitions, and the folds of their results."""
        leaves = [(number, self._submit(number, partition)) for number, partition in partitions]
        level = [future for _, future in leaves]
        folds: list[Future] = []
        while len(level) > 1:
            level = [
                self._client.submit(
                    fold_results, level[at : at + _ARITY], pure=False, retries=TRIES - 1, priority=1
                )
                for at in range(0, len(level), _ARITY)
            ]
            folds += level
        return _Group(tuple(leaves), level[0], tuple(folds[:-1]))

    def _submit(self, number: int, partition: Partition) -> Future:
        lines = read_lines(partition)
        return self._client.submit(
            replay_data,
            self._name,
            tuple(partition),
            None if lines is None else compress(lines, level=1),
            pure=False,
            retries=TRIES - 1,
            key=f"{self._name}-{number}",
        )

    def close(self) -> None:
        if self._client.status == "running":  # else the scheduler is gone, and the plug-in with it
            with suppress(*_lost()):
                self._client.unregister_worker_plugin(self._name)
        self._client.close()
        if self.cluster is not None:
            self.cluster.close()


def _restore(cluster: LocalCluster, count: int) -> None:
    """Begin the workers that a cluster gave up, in the thread of its loop."""
    from distributed import Status

    for name in [
        name for name, nanny in cluster.workers.items() if nanny.status in (Status.closed, Status.failed)
    ]:
        del cluster.workers[name]
    cluster.scale(count)


def _lost() -> tuple[type[Exception], ...]:
    """Return the errors of a client whose scheduler ended."""
    from concurrent.futures import CancelledError

    return (CancelledError, OSError, TimeoutError)


def _plugin(job: bytes) -> WorkerPlugin:
    """Return what takes the job to each worker."""
    from distributed.diagnostics.plugin import WorkerPlugin

    class JobPlugin(WorkerPlugin):  # type: ignore[misc]  # distributed has no types
        """The job, as an attribute."""

        def __init__(self) -> None:
            self.job = job

    return JobPlugin()


def _neighbours(waiting: deque[tuple[int, Partition]], most: int) -> list[tuple[int, Partition]]:
    """Take partitions whose numbers follow each other from the beginning of what waits."""
    taken = [waiting.popleft()]
    while waiting and len(taken) < most and waiting[0][0] == taken[-1][0] + 1:
        taken.append(waiting.popleft())
    return taken


def _outcome(group: _Group, future: Future, seconds: float) -> Done | Failed | None:
    """Return the outcome of a group, None if it has several partitions of which one failed.

    Raises TimeoutError when that takes longer than some seconds.
    """
    error = future.exception(timeout=seconds)
    if error is None:
        return Done(tuple([number for number, _ in group.partitions]), future.result(timeout=seconds))
    return Failed(group.partitions[0][0], reason_of(error)) if len(group.partitions) == 1 else None


def read_lines(partition: Partition) -> bytes | None:
    """Return the lines that begin in a partition of a file, None for another kind."""
    if partition.kind != "lines":
        return None
    path, _, start, end, _ = partition
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs 10 ms
        file.seek(max(start - 1, 0))
        data = file.read(end - max(start - 1, 0))
        return data if data.endswith(b"\n") else data + file.readline()

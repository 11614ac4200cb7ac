"""Replays partitions on a cluster of Dask: one that exists, or one of this machine.

The job is sent once to each worker, as a plug-in, which the scheduler also sends to a worker that takes the place of
another one; data that was scattered would be lost with the last worker that has it. The lines of a partition travel with
its task, so workers need no access to the record. Dask begins the task of a worker that ended on another worker.

Dask replaces a worker that ends, but gives up one that ends as it starts. So the cluster of this machine is looked after
here, and a cluster that stays without workers is an error: its tasks would wait for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from queue import Empty, SimpleQueue
from time import monotonic
from uuid import uuid4

from sandhook.journal.reading import Partition
from sandhook.replay.engines import TRIES, Done, Failed, reason_of
from sandhook.replay.errors import ReplayError
from sandhook.replay.job import Job, Replayer
from sandhook.replay.travel import job_from_bytes, job_to_bytes
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster
    from distributed.diagnostics.plugin import WorkerPlugin

#: Partitions that are on their way, for each worker; it bounds the memory of scheduler and client.
_AHEAD = 3

#: Seconds between two looks at the workers.
_LOOK_SECONDS = 2.0

#: Seconds without any worker after which the replay ends; a cluster that grows needs some to begin.
_WORKERLESS_SECONDS = 120.0


@lru_cache(1)
def _replayer(job: bytes) -> Replayer:
    """Return what replays a job; a worker keeps it for the next partition."""
    return Replayer(job_from_bytes(job))


def replay_data(name: str, partition: tuple[str, str, int, int], data: bytes | None) -> bytes:
    """Return the result of a partition: the task of a worker.

    Args:
        name: The plug-in with the job.
        data: Its lines; None if the worker reads them from the file.
    """
    from distributed import get_worker

    job: bytes = get_worker().plugins[name].job
    path, kind, start, end = partition
    return _replayer(job).replay(Partition(path, kind, start, end), data)  # type: ignore[arg-type]


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
                    }
                )
                self.cluster = distributed.LocalCluster(
                    n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL"
                )
            target = scheduler if self.cluster is None else self.cluster
            self._client: Client = distributed.Client(target, timeout=20)
        except (OSError, TimeoutError, ValueError) as error:
            raise ReplayError(f"--scheduler {scheduler}: {reason_of(error)}") from None
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
        waiting = iter(partitions)
        running: dict[str, tuple[int, Future]] = {}
        ended: SimpleQueue[Future] = SimpleQueue()
        ahead = _AHEAD * max(1, len(self._client.nthreads()))
        looked = has_worked = monotonic()
        while True:
            for number, partition in islice(waiting, ahead - len(running)):
                future = self._submit(number, partition)
                running[future.key] = number, future
                future.add_done_callback(ended.put)
            if not running:
                return
            with suppress(Empty):
                future = ended.get(timeout=_LOOK_SECONDS)
                number, _ = running.pop(future.key)
                yield _outcome(number, future)
                future.release()
            if monotonic() - looked >= _LOOK_SECONDS:
                looked, has_worked = monotonic(), self._look(has_worked)

    def _look(self, has_worked: float) -> float:
        """Look after the workers; return the last time that one ran. Raises ReplayError if that is long ago."""
        count = len(self._client.nthreads())
        if self.cluster is not None and count < self._count:
            self.cluster.loop.add_callback(_restore, self.cluster, self._count)
        if count:
            return monotonic()
        if (seconds := monotonic() - has_worked) > _WORKERLESS_SECONDS:
            raise ReplayError(
                f"the cluster of Dask has had no worker for {seconds:.0f} s;"
                " what is finished is kept with --resume"
            )
        return has_worked

    def _submit(self, number: int, partition: Partition) -> Future:
        return self._client.submit(
            replay_data,
            self._name,
            tuple(partition),
            read_lines(partition),
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


def _outcome(number: int, future: Future) -> Done | Failed:
    error = future.exception()
    if error is not None:
        return Failed(number, reason_of(error))
    return Done(number, future.result())


def read_lines(partition: Partition) -> bytes | None:
    """Return the lines that begin in a partition of a file, None for another kind."""
    if partition.kind != "lines":
        return None
    path, _, start, end = partition
    with open(path, "rb") as file:  # noqa: PTH123 - pathlib costs 10 ms
        file.seek(max(start - 1, 0))
        data = file.read(end - max(start - 1, 0))
        return data if data.endswith(b"\n") else data + file.readline()

"""How many workers a pool starts when many threads ask at once."""

from __future__ import annotations

import threading

import pytest

from sandhook.worker import client
from sandhook.worker.client import AT_ONCE, MOST, OutOfTime, Pool, Worker
from sandhook.worker.confinement import Confinement


class FakeWorker(Worker):
    """A worker without a process, which is ready when the test sets ``confinement``."""

    def __init__(self) -> None:
        self.confinement = None

    def kill(self) -> None:
        pass


class Starts:
    """Counts the workers that are started."""

    def __init__(self) -> None:
        self.workers: list[FakeWorker] = []

    def __call__(self) -> FakeWorker:
        self.workers.append(FakeWorker())
        return self.workers[-1]


def make_ready(worker: Worker) -> None:
    worker.confinement = Confinement({}, (), {})


def test_short_calls_of_many_threads_share_few_workers() -> None:
    starts = Starts()
    pool: Pool[FakeWorker] = Pool(starts)
    turns = threading.Barrier(MOST)

    def call() -> None:
        turns.wait()
        for _ in range(20):
            worker = pool.acquire(30.0)
            make_ready(worker)
            pool.release(worker)

    threads = [threading.Thread(target=call) for _ in range(MOST)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 1 <= len(starts.workers) <= AT_ONCE


def test_workers_that_are_busy_for_long_get_company_up_to_the_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.001)
    starts = Starts()
    pool: Pool[FakeWorker] = Pool(starts)
    for _ in range(MOST):
        make_ready(pool.acquire(30.0))
    assert len(starts.workers) == MOST
    with pytest.raises(OutOfTime):
        pool.acquire(0.01)


def test_no_worker_is_started_while_as_many_as_allowed_get_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.001)
    starts = Starts()
    pool: Pool[FakeWorker] = Pool(starts)
    first = [pool.acquire(30.0) for _ in range(AT_ONCE)]
    with pytest.raises(OutOfTime):
        pool.acquire(0.05)
    make_ready(first[0])
    assert pool.acquire(30.0) not in first

"""Replays on a cluster of Dask: workers that are killed, a partition that always fails, and a scheduler that runs."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandhook.journal.reading import Partition, plan
from sandhook.replay.engines import Done, Failed, dask
from sandhook.replay.engines.dask import DaskEngine, read_lines
from sandhook.replay.engines.local import LocalEngine
from sandhook.replay.engines.processes import ProcessEngine
from sandhook.replay.errors import ReplayError
from sandhook.replay.folding import Partial, row_of
from sandhook.replay.job import Job, Replayer
from tests.replay.replaytools import bundle, canonical, entries, entry, killing, outcome, write

pytestmark = pytest.mark.filterwarnings("ignore")

_KILLS = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGKILL, which Windows does not have")


@pytest.mark.parametrize("size", [1, 300, 2_000, 1 << 20])
def test_the_lines_of_a_partition_are_those_that_a_file_has(tmp_path: Path, size: int) -> None:
    record = write(tmp_path / "r", entries(20))
    job = Job(bundle())
    replayer = Replayer(job)
    for partition in plan([str(record)], size).partitions[:40]:
        sent = Replayer(job).replay(partition, read_lines(partition))
        assert _events(sent) == _events(replayer.replay(partition))


def _events(result: bytes) -> object:
    partial = Partial.from_bytes(result)
    rows = [row_of(row.data) for row in partial.rows]
    changed = [(row["id"], row["changes"]) for row in rows if row["changes"]]
    return partial.tally.events, changed, partial.parts


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ReplayError, match=r"needs the extra sandhook\[dask\]"):
        DaskEngine(Job(bundle()), 1, None, report=print)


@pytest.mark.slow
def test_all_engines_have_the_same_result(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    job = Job(bundle())
    chance = random.Random(9)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        for seed in range(3):
            events = entries(120, seed)
            wanted = canonical(outcome(job, write(tmp_path / "r", events)))
            for count in (1, 100):
                chance.shuffle(events)
                record = write(tmp_path / "shuffled", events)
                size = record.stat().st_size // count + 1
                address = cluster.scheduler_address
                for engine in (
                    LocalEngine(job),
                    ProcessEngine(job, 2),
                    DaskEngine(job, 2, address, report=lambda text: None),
                ):
                    assert canonical(outcome(job, record, engine=engine, size=size)) == wanted


@pytest.mark.slow
def test_a_worker_with_several_threads_has_an_engine_for_each(tmp_path: Path) -> None:
    """What hooks write in one thread must not reach the events of another."""
    distributed = pytest.importorskip("distributed")
    record = write(tmp_path / "r", [entry(number) for number in range(300)])
    job = Job(
        bundle(
            "[ -e seen ] && exit 2; echo x > seen; sed s/x/y/ seen >/tmp/a; [ -e /tmp/b ] && exit 2; cp seen /tmp/b"
        )
    )
    with distributed.LocalCluster(n_workers=1, threads_per_worker=4, dashboard_address=":0") as cluster:
        engine = DaskEngine(job, 1, cluster.scheduler_address, report=lambda text: None)
        assert outcome(job, record, engine=engine, size=6_000)["refused"] == {"old": 0, "new": 0}


@pytest.mark.slow
def test_a_partition_that_fails_leaves_those_it_would_be_folded_with(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    record = write(tmp_path / "r", entries(60))
    gone = write(tmp_path / "gone.jsonl", entries(20))
    job = Job(bundle())
    whole = plan([str(record), str(gone)], 3_000).partitions
    at = next(number for number, each in enumerate(whole) if each.path == str(gone)) + 2
    broken = Partition(str(tmp_path / "no.parquet"), "parquet", 0, 1)  # a worker opens it, and fails
    partitions = [(number, broken if number == at else each) for number, each in enumerate(whole)]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        engine = DaskEngine(job, 2, cluster.scheduler_address, report=lambda text: None)
        try:
            outcomes = list(engine.replay(partitions))
        finally:
            engine.close()
    done = [each.numbers for each in outcomes if isinstance(each, Done)]
    (failed,) = [each for each in outcomes if isinstance(each, Failed)]
    assert failed.number == at
    assert sorted(number for each in done for number in each) == [n for n, _ in partitions if n != at]
    assert max(map(len, done)) == 4


@pytest.mark.slow
@_KILLS
def test_a_worker_that_is_killed_costs_a_retry(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    record = write(tmp_path / "r", entries(120))
    job = Job(bundle())
    wanted = canonical(outcome(job, record))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        engine = DaskEngine(job, 2, cluster.scheduler_address, report=lambda text: None)
        killed: list[int] = []

        class Killing:
            def replay(self, partitions: Sequence[tuple[int, Partition]]) -> Iterator[Done | Failed]:
                for result in engine.replay(partitions):
                    pids = [nanny.process.pid for nanny in cluster.workers.values()]
                    if len(killed) < 2 and None not in pids:  # a worker that is replaced has no process
                        killed.append(pids[0])
                        os.kill(killed[-1], signal.SIGKILL)
                    yield result

            def close(self) -> None:
                engine.close()

        assert canonical(outcome(job, record, engine=Killing(), size=3_000)) == wanted
        assert len(killed) == 2


@pytest.mark.slow
@_KILLS
def test_workers_that_are_killed_at_any_time_cost_a_retry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also as they start, when Dask would give them up."""
    pytest.importorskip("distributed")
    # On a busy machine all kills may come while one partition is replayed.
    monkeypatch.setattr(dask, "TRIES", 21)
    record = write(tmp_path / "r", entries(1_500))
    job = Job(bundle())
    wanted = canonical(outcome(job, record))
    chance, killed = random.Random(3), list[int]()
    until = time.monotonic() + 60
    while time.monotonic() < until and len(killed) < 20:
        engine = DaskEngine(job, 2, None, report=lambda text: None)
        with killing(lambda: worker_pids(engine), killed, chance, 20):
            assert canonical(outcome(job, record, engine=engine, size=3_000)) == wanted
    assert len(killed) >= 3


def worker_pids(engine: DaskEngine) -> list[int]:
    """Return the ids of the worker processes of an engine's own cluster."""
    assert engine.cluster is not None
    nannies = list(engine.cluster.workers.values())
    processes = [nanny.process for nanny in nannies]
    return [process.pid for process in processes if process is not None and process.pid is not None]


@pytest.mark.slow
def test_workers_that_were_given_up_are_replaced(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    record = write(tmp_path / "r", entries(60))
    job = Job(bundle())
    engine = DaskEngine(job, 1, None, report=lambda text: None)
    assert engine.cluster is not None
    first = next(iter(engine.cluster.workers.values()))
    engine.cluster.sync(first.close)
    assert canonical(outcome(job, record, engine=engine, size=3_000)) == canonical(outcome(job, record))


@pytest.mark.slow
def test_a_result_that_is_lost_with_its_worker_is_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    record = write(tmp_path / "r", entries(60))
    job = Job(bundle())
    engine = DaskEngine(job, 1, None, report=lambda text: None)
    assert engine.cluster is not None
    first = next(iter(engine.cluster.workers.values()))
    closed: list[object] = []
    read = dask._outcome

    def lose(*arguments: Any) -> Done | Failed | None:
        if not closed:
            closed.append(engine.cluster.sync(first.close))  # the cluster gives it up
        return read(*arguments)

    monkeypatch.setattr(dask, "_outcome", lose)
    assert canonical(outcome(job, record, engine=engine, size=3_000)) == canonical(outcome(job, record))
    assert closed


@pytest.mark.slow
def test_a_cluster_that_stays_without_workers_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(dask, "_WORKERLESS_SECONDS", 1.0)
    monkeypatch.setattr(dask, "_LOOK_SECONDS", 0.1)
    record = write(tmp_path / "r", entries(60))
    job = Job(bundle())
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        engine = DaskEngine(job, 1, cluster.scheduler_address, report=lambda text: None)
        with pytest.raises(ReplayError, match=r"has had no worker for 1 s; what is finished is kept"):
            outcome(job, record, engine=engine, size=3_000, state=tmp_path / "state")
    assert canonical(outcome(job, record, size=3_000, state=tmp_path / "state")) == canonical(
        outcome(job, record)
    )


@pytest.mark.slow
def test_a_scheduler_that_is_killed_is_an_error_and_another_one_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    record = write(tmp_path / "r", entries(3_000))
    job = Job(bundle())
    wanted = canonical(outcome(job, record))
    chance, finished = random.Random(5), 0
    for _ in range(3):
        with scheduler(tmp_path) as (process, address):
            engine = DaskEngine(job, 1, address, report=lambda text: None)

            class Killing:
                def replay(self, partitions: Sequence[tuple[int, Partition]]) -> Iterator[Done | Failed]:
                    at = chance.randrange(5, 30)
                    for number, result in enumerate(engine.replay(partitions)):
                        if number == at:
                            process.kill()
                        yield result

                def close(self) -> None:
                    engine.close()

            with pytest.raises(ReplayError, match="the scheduler of Dask ended"):
                outcome(job, record, engine=Killing(), size=5_000, state=tmp_path / "state")
        before, finished = finished, len(list((tmp_path / "state").glob("*.zlib")))
        assert finished > before
    assert canonical(outcome(job, record, size=5_000, state=tmp_path / "state")) == wanted


@contextmanager
def scheduler(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run a scheduler and a worker in processes of their own; yield the scheduler and its address."""
    found = tmp_path / f"scheduler{len(list(tmp_path.glob('scheduler*')))}.json"
    words = ["--scheduler-file", str(found)]
    run = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", *words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    process = subprocess.Popen(run, **quiet)  # type: ignore[call-overload]
    try:
        while not found.exists() or not found.read_text():
            assert process.poll() is None
            time.sleep(0.1)
        work = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *words]
        worker = subprocess.Popen([*work, "--no-dashboard"], **quiet)  # type: ignore[call-overload]
        try:
            yield process, json.loads(found.read_text())["address"]
        finally:
            worker.kill()
            worker.wait()
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_partition_that_always_fails_is_reported(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    record = write(tmp_path / "r", entries(6))
    job = Job(bundle(), where="tool = ")  # no worker can begin with this expression
    engine = DaskEngine(job, 1, None, report=lambda text: None)
    value = outcome(job, record, engine=engine)
    failed = value["failed"][0]  # type: ignore[index]
    assert "--where" in failed["reason"] and len(failed["events"]) == 6  # type: ignore[index, operator, call-overload, arg-type]


@pytest.mark.slow
def test_a_scheduler_that_does_not_run_is_an_error() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(ReplayError, match=r"--scheduler tcp://127\.0\.0\.1:1: "):
        DaskEngine(Job(bundle()), 1, "tcp://127.0.0.1:1", report=print)

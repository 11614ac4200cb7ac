"""Replays on a cluster of Dask: workers that are killed, a partition that always fails, and a scheduler that runs."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from sandhook.journal.reading import Partition, plan
from sandhook.replay.engines import Done, Failed
from sandhook.replay.engines.dask import DaskEngine, read_lines, replay_data
from sandhook.replay.errors import ReplayError
from sandhook.replay.job import Job, Replayer
from sandhook.replay.travel import job_to_bytes
from tests.replay.replaytools import bundle, canonical, entries, outcome, write

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("size", [1, 300, 2_000, 1 << 20])
def test_the_lines_of_a_partition_are_those_that_a_file_has(tmp_path: Path, size: int) -> None:
    record = write(tmp_path / "r", entries(20))
    job = Job(bundle())
    replayer = Replayer(job)
    for partition in plan([str(record)], size).partitions[:40]:
        sent = replay_data(job_to_bytes(job), tuple(partition), read_lines(partition))  # type: ignore[arg-type]
        assert _events(sent) == _events(replayer.replay(partition))


def _events(result: bytes) -> object:
    import json

    value = json.loads(result)
    rows = [(row["id"], row["changes"]) for row in value["rows"] if row["changes"]]
    return value["tally"]["events"], rows, value["skipped"], value["lines"]


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ReplayError, match=r"needs the extra sandhook\[dask\]"):
        DaskEngine(Job(bundle()), 1, None, report=print)


@pytest.mark.slow
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
                    if len(killed) < 2:
                        killed.append(next(iter(cluster.workers.values())).process.pid)
                        os.kill(killed[-1], signal.SIGKILL)
                    yield result

            def close(self) -> None:
                engine.close()

        assert canonical(outcome(job, record, engine=Killing(), size=3_000)) == wanted
        assert len(killed) == 2


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

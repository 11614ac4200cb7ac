"""A worker of another version is never used: an upgrade under a running host is an error and no wrong answer."""

from __future__ import annotations

import sys

import pytest

from sandhook import Shell
from sandhook.errors import WorkerError
from sandhook.isolation.pool import ShellWorker, memory_of
from sandhook.limits import Limits
from sandhook.worker import greeting
from sandhook.worker.client import Pool, Worker
from sandhook.worker.greeting import PROTOCOL, other_version

STARTS = {
    "jq": lambda: Worker(),
    "jq by the package": lambda: Worker(module="jq.server"),
    "sqlite": lambda: Worker(module="sqlite.session"),
    "shell": lambda: ShellWorker(memory_of(Limits())),
}


@pytest.mark.parametrize("kind", STARTS)
def test_a_worker_of_another_version_is_an_error(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    own = greeting.__version__
    pool: Pool[Worker] = Pool(STARTS[kind])
    try:
        monkeypatch.setattr(greeting, "__version__", "0.0.1")
        monkeypatch.setattr("sandhook.worker.client.__version__", "0.0.1")
        worker = pool.acquire(60.0)
        worker.extend(60.0)
        with pytest.raises(WorkerError) as raised:
            worker.ready()
        assert str(raised.value) == (
            f"the {kind.split()[0]} worker could not be started: this process runs 0.0.1, its files are {own};"
            " start the process again"
        )
        monkeypatch.undo()
        pool.drop(worker)
        worker = pool.acquire(60.0)
        worker.extend(60.0)
        assert worker.ready()
        pool.release(worker)
    finally:
        pool.close()


def test_another_protocol_of_the_same_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greeting, "PROTOCOL", PROTOCOL + 1)
    monkeypatch.setattr(greeting.greeting, "__defaults__", (PROTOCOL + 1,))
    monkeypatch.setattr(other_version, "__defaults__", (PROTOCOL + 1,))
    pool: Pool[Worker] = Pool()
    try:
        worker = pool.acquire(60.0)
        worker.extend(60.0)
        with pytest.raises(WorkerError, match="its files are of another version with this number"):
            worker.ready()
        pool.drop(worker)
    finally:
        pool.close()


@pytest.mark.parametrize(
    ("words", "other"),
    [
        (greeting.greeting(), ""),
        ([], "of another version"),
        ([b'[{"files":', b"[]}]"], "of another version"),
        ([b"2", b"9.9"], "9.9"),
        ([b"1", b"\x1b[2J"], "of another version"),
        ([b"1", b"9" * 100], "of another version"),
        ([b"1", b"9.9", b""], "of another version"),
    ],
)
def test_what_a_worker_reports(words: list[bytes], other: str) -> None:
    assert other_version(words) == other


@pytest.mark.skipif(sys.platform == "win32", reason="one kind of worker there")
def test_a_script_ends_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """It must not go on as if jq had printed nothing."""
    from sandhook.worker import client

    monkeypatch.setattr(client, "POOL", Pool())
    monkeypatch.setattr(greeting, "__version__", "0.0.1")
    try:
        result = Shell().run("echo '{}' | jq . || true; echo went on")
    finally:
        client.POOL.close()
    assert (result.exit_status, result.stdout) == (137, "")
    assert "start the process again" in str(result.defect or result.failure)

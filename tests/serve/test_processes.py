"""``--processes``: sessions stay together, and a worker that dies is one failed fire, which is tried once more."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from sandhook.serve import lanes, pipes
from sandhook.serve.firing import FireCall, Fired
from sandhook.serve.lanes import EnginePool
from sandhook.serve.release import Release, WorkerEnded
from tests.serve.servetools import GUARD, HAS_UNIX, Running, claude, settings

FILES = {"hooks.json": settings(GUARD)}
COUNTING = "echo x >> /tmp/seen; echo $(wc -l < /tmp/seen) >&2; exit 2"


def reason(running: Running, command: str = "x", **more: str) -> str:
    value = running.fire(command, **more).json
    return str(value["hookSpecificOutput"]["permissionDecisionReason"])


def test_a_session_has_one_engine_and_others_have_theirs(serve: Callable[..., Running]) -> None:
    service = serve("--hooks", "hooks.json", "--processes", "2", files={"hooks.json": settings(COUNTING)})
    assert [reason(service, session_id="a") for _ in range(3)] == ["1", "2", "3"]
    assert len(service.ask("GET", "/healthz").json["workers"]) == 3


@pytest.mark.skipif(not HAS_UNIX, reason="signals of POSIX")
def test_a_worker_that_dies_is_replaced(serve: Callable[..., Running]) -> None:
    service = serve("--hooks", "hooks.json", "--processes", "1", "--audit", "log", files=FILES)
    kills = 0
    for _ in range(3):
        for pid in service.ask("GET", "/healthz").json["workers"]:
            os.kill(pid, signal.SIGKILL)
            kills += 1
        assert reason(service, "rm -rf /") == "no rm -rf"
        ran = service.sandhook(
            "hook", "--contract", "claude_code", "--", "-c", GUARD, stdin=claude("rm -rf /")
        )
        assert (ran.status, ran.stderr) == (2, "no rm -rf\n")
    assert kills >= 6
    assert f"sandhook_worker_restarts_total {kills}.0" in service.ask("GET", "/metrics").body.decode()
    lines = [json.loads(line) for line in (service.project / "log").read_text().splitlines()]
    assert sum(line["type"] == "hook.blocked" for line in lines) == 3


@pytest.mark.skipif(not HAS_UNIX, reason="signals of POSIX")
def test_a_worker_that_dies_with_events_that_wait_is_replaced_once(serve: Callable[..., Running]) -> None:
    import psutil

    service = serve("--hooks", "hooks.json", "--processes", "1", files=FILES)
    assert service.process is not None
    process = psutil.Process(service.process.pid)
    answers: list[bytes] = []

    def fire(number: int) -> None:
        for _ in range(10):
            answers.append(service.fire("rm -rf /", session_id=str(number)).body)

    threads = [threading.Thread(target=fire, args=[each]) for each in range(12)]
    for each in threads:
        each.start()
    for _ in range(3):
        time.sleep(0.2)
        for pid in service.ask("GET", "/healthz").json["workers"]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    for each in threads:
        each.join()
    assert len(answers) == 120 and all(b'"deny"' in each for each in answers)
    assert len(process.children()) <= 2  # one that fires, one for commands


@pytest.mark.skipif(not HAS_UNIX, reason="signals of POSIX")
def test_idle_command_workers_that_died_are_replaced_before_anybody_asks(
    serve: Callable[..., Running],
) -> None:
    """As after the system ended all of them: no client waits for a start, or runs the command itself."""
    service = serve()
    words = ("hook", "--contract", "claude_code", "--", "-c", "exit 2")
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: service.sandhook(*words, stdin=claude()), range(6)))
    killed = service.ask("GET", "/healthz").json["workers"]
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    until = time.monotonic() + 60
    while not (now := service.ask("GET", "/healthz").json["workers"]) or set(now) & set(killed):
        assert time.monotonic() < until, (now, killed)
        time.sleep(0.05)
    assert f"sandhook_worker_restarts_total {len(killed)}.0" in service.ask("GET", "/metrics").body.decode()


@pytest.mark.skipif(not HAS_UNIX, reason="signals of POSIX")
def test_a_command_is_run_by_the_service_though_all_idle_workers_died(serve: Callable[..., Running]) -> None:
    service = serve(files=FILES)
    words = ("hook", "--contract", "claude_code", "--", "-c", GUARD)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: service.sandhook(*words, stdin=claude()), range(6)))
    before = len(service.decisions())
    for pid in service.ask("GET", "/healthz").json["workers"]:
        os.kill(pid, signal.SIGKILL)
    ran = service.sandhook(*words, stdin=claude("rm -rf /"))
    assert (ran.status, ran.stderr) == (2, "no rm -rf\n")
    assert len(service.decisions()) == before + 1, "the client ran it itself"


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_worker_that_ends_while_it_starts_is_started_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaths: int
) -> None:
    """The first worker ends at its first event, and the next ones do not get ready."""
    seen = tmp_path / "seen"
    program = f"""
import os, sys
with open({str(seen)!r}, "ab") as file:
    file.write(b"x")
    count = file.tell()
if 1 < count <= {1 + deaths}:
    sys.exit()
from sandhook.cli.serve import worker
if count == 1:
    worker.Worker.answer = lambda *_: os._exit(1)
worker.main()
"""
    monkeypatch.setattr(pipes, "command_line", lambda _: [sys.executable, "-P", "-c", program])
    restarts: list[None] = []
    processes: list[asyncio.SubprocessTransport] = []

    class Noting(pipes.WorkerPipes):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.SubprocessTransport)
            processes.append(transport)
            super().connection_made(transport)

    monkeypatch.setattr(lanes, "WorkerPipes", Noting)

    async def fired() -> Fired | Exception:
        pool = EnginePool(
            [], 1, audit=None, restarted=lambda _: restarts.append(None), release=Release(print)
        )
        await pool.start()
        answer: asyncio.Future[Fired | Exception] = asyncio.get_running_loop().create_future()
        pool.fire(FireCall("claude_code", None, str(tmp_path), claude()), answer.set_result)
        result = await answer
        await pool.close()
        while any(each.get_returncode() is None for each in processes):  # a closed loop would not close them
            await asyncio.sleep(0.01)
        return result

    result = asyncio.run(fired())
    assert isinstance(result, WorkerEnded if deaths > 1 else Fired), result
    assert len(seen.read_bytes()) == 3 and len(restarts) == 2


def test_changes_reach_the_workers(serve: Callable[..., Running]) -> None:
    service = serve("--hooks", "hooks.json", "--processes", "2", files=FILES)
    assert service.fire("x").json == {}
    (service.project / "hooks.json").write_text(settings("echo new >&2; exit 2"))
    assert {reason(service, session_id=str(each)) for each in range(6)} == {"new"}


@pytest.mark.slow
def test_fifty_in_flight(serve: Callable[..., Running]) -> None:
    service = serve("--hooks", "hooks.json", files=FILES)
    wrong: list[bytes] = []

    def fire(number: int) -> None:
        for index in range(20):
            command = "rm -rf /" if (number + index) % 2 else "ls"
            answer = service.fire(command, session_id=str(number)).body
            if (b'"deny"' in answer) != (command != "ls"):
                wrong.append(answer)

    threads = [threading.Thread(target=fire, args=[each]) for each in range(50)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_a_worker_has_no_event_loop_in_memory() -> None:
    program = "import sys, sandhook.cli.serve.worker; print('asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

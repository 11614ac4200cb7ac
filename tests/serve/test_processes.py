"""``--processes``: sessions stay together, and a worker that dies is one failed fire, which is tried once more."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

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
    for _ in range(3):
        for pid in service.ask("GET", "/healthz").json["workers"]:
            os.kill(pid, signal.SIGKILL)
        assert reason(service, "rm -rf /") == "no rm -rf"
        ran = service.sandhook(
            "hook", "--contract", "claude_code", "--", "-c", GUARD, stdin=claude("rm -rf /")
        )
        assert (ran.status, ran.stderr) == (2, "no rm -rf\n")
    assert "sandhook_worker_restarts_total 6.0" in service.ask("GET", "/metrics").body.decode()
    lines = [json.loads(line) for line in (service.project / "log").read_text().splitlines()]
    assert sum(line["type"] == "hook.blocked" for line in lines) == 3


def test_changes_reach_the_workers(serve: Callable[..., Running]) -> None:
    service = serve("--hooks", "hooks.json", "--processes", "2", files=FILES)
    assert service.fire("x").json == {}
    (service.project / "hooks.json").write_text(settings("echo new >&2; exit 2"))
    assert {reason(service, session_id=str(each)) for each in range(6)} == {"new"}


@pytest.mark.slow
@pytest.mark.skipif(not HAS_UNIX, reason="signals of POSIX")
def test_workers_that_are_killed_at_random_never_allow(serve: Callable[..., Running]) -> None:
    """10,000 fires, of which each must be refused; what was answered is in the audit log."""
    service = serve("--hooks", "hooks.json", "--processes", "2", "--audit", "sqlite:log.db", files=FILES)
    fires, threads = 10_000, 8
    refused: list[int] = []
    wrong: list[bytes] = []
    done = threading.Event()

    def fire(number: int) -> None:
        connection = service.connection(60)
        headers = {"Authorization": f"Bearer {service.token}"} if service.tcp else {}
        for index in range(fires // threads):
            body = claude("rm -rf /", session_id=f"{number}-{index}", cwd=str(service.project))
            connection.request("POST", "/v1/hooks/claude_code", body, headers)
            answer = connection.getresponse().read()
            if b'"deny"' not in answer:
                wrong.append(answer)
            elif b"no rm -rf" in answer:
                refused.append(1)
        connection.close()

    def kill() -> None:
        while not done.wait(random.uniform(0.2, 1.5)):
            pids = service.ask("GET", "/healthz").json["workers"]
            if pids:
                with suppress(ProcessLookupError):
                    os.kill(random.choice(pids), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    firing = [threading.Thread(target=fire, args=[each]) for each in range(threads)]
    for each in firing:
        each.start()
    for each in firing:
        each.join()
    done.set()
    killer.join()
    assert wrong == []
    import sqlite3

    with sqlite3.connect(service.project / "log.db") as database:
        count = database.execute("SELECT count(*) FROM audit WHERE type = 'hook.blocked'").fetchone()[0]
    database.close()
    assert count >= len(refused)


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


@pytest.mark.slow
@pytest.mark.skipif(not HAS_UNIX, reason="descriptors of POSIX")
def test_a_thousand_connections_and_flat_descriptors(serve: Callable[..., Running]) -> None:
    import psutil

    from tests.serve.test_http import raw

    service = serve("--hooks", "hooks.json", files=FILES)
    assert service.process is not None
    service.fire("ls")
    process = psutil.Process(service.process.pid)
    before = process.num_fds()
    idle = [raw(service) for _ in range(900)]
    assert reason(service, "rm -rf /") == "no rm -rf"
    for each in idle:
        each.close()
    for _ in range(300):
        service.fire("ls")
    time.sleep(1)
    assert process.num_fds() <= before + 20

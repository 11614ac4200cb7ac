"""``--processes``: sessions stay together, and a worker that dies is one failed fire, which is tried once more."""

from __future__ import annotations

import json
import os
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

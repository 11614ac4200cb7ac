"""The service under load and with faults. Nothing is ever allowed that should be refused, and nothing hangs."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.serve.servetools import GUARD, HAS_UNIX, Running, claude, settings
from tests.serve.test_http import raw
from tests.serve.test_protocol import answers, is_refusal, request

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not HAS_UNIX, reason="signals and descriptors of POSIX"),
]

FILES = {"hooks.json": settings(GUARD)}


def in_threads(count: int, work: Callable[[int], object]) -> None:
    """Run ``work(number)`` in so many threads; an error of one fails the test."""
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=[number]) for number in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert errors == []


class Killer:
    """Kills a random worker at random times, until its end."""

    def __init__(self, service: Running, most_seconds: float) -> None:
        self.kills = 0
        self._service = service
        self._most = most_seconds
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._kill)

    def _kill(self) -> None:
        while not self._end.wait(random.uniform(0.05, self._most)):
            pids = self._service.ask("GET", "/healthz").json["workers"]
            if pids:
                with suppress(ProcessLookupError):
                    os.kill(random.choice(pids), signal.SIGKILL)
                    self.kills += 1

    def __enter__(self) -> Killer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()


def audited(path: Path) -> tuple[set[str], int]:
    """Return the sessions whose events the audit log has, and how many refusals of hooks it has."""
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT session_id FROM audit WHERE type = 'hook.invoked'").fetchall()
        count = database.execute("SELECT count(*) FROM audit WHERE type = 'hook.blocked'").fetchone()[0]
    return {row[0] for row in rows}, count


def test_workers_are_killed_during_ten_thousand_fires(serve: Callable[..., Running]) -> None:
    """All must be refused, and what the guard itself refused must be in the audit log.

    The events come over kept connections and new ones, one by one and several at once. No worker remains that nobody
    asks any more.
    """
    import psutil

    service = serve(
        "--hooks", "hooks.json", "--processes", "2", "--audit", "sqlite:log", "--listen", "127.0.0.1:0",
        files=FILES,
    )  # fmt: skip
    refused: set[str] = set()
    by_service = 0

    def fire(number: int) -> None:
        nonlocal by_service
        ahead = number % 4 + 1
        connection = raw(service)
        for index in range(0, 1250, ahead):
            if index % 100 == 0:
                connection.close()
                connection = raw(service)
            sessions = [f"{number}-{each}" for each in range(index, min(index + ahead, 1250))]
            bodies = [claude("rm -rf /", session_id=each, cwd=str(service.project)) for each in sessions]
            connection.sendall(b"".join(request(service, body) for body in bodies))
            found = answers(connection, len(bodies))
            assert len(found) == len(bodies) and all(map(is_refusal, found)), found
            for session, (_, body) in zip(sessions, found):
                if b"no rm -rf" in body:
                    refused.add(session)
                else:
                    assert b"a worker ended" in body
                    by_service += 1
        connection.close()

    with Killer(service, 1.0) as killer:
        in_threads(8, fire)
    assert killer.kills > 3 and len(refused) + by_service == 10_000
    sessions, blocked = audited(service.project / "log")
    assert refused <= sessions and blocked >= len(refused)
    assert 2 * by_service <= killer.kills  # an event is fired once more, so that only a second kill ends it
    assert service.process is not None
    process = psutil.Process(service.process.pid)
    until = time.monotonic() + 60
    ready: set[int] = set()
    while len(ready) != 3 or ready != {
        each.pid for each in process.children()
    }:  # two that fire, one for commands
        assert time.monotonic() < until, (ready, process.children())
        time.sleep(0.05)
        ready = set(service.ask("GET", "/healthz").json["workers"])


def test_command_workers_are_killed_while_agents_ask(serve: Callable[..., Running]) -> None:
    """Each client that lost its worker runs the command itself: 300 of 300 decide as without a service."""
    service = serve(files={"guard.sh": GUARD})
    words = ["hook", "--contract", "claude_code", "--fail-closed", "--", "guard.sh"]
    statuses: list[int] = []

    def ask(number: int) -> None:
        for index in range(75):
            command = "rm -rf /" if (index + number) % 2 else "ls"
            ran = service.sandhook(*words, stdin=claude(command))
            statuses.append(ran.status)
            assert ran.status == (2 if command != "ls" else 0), ran

    with Killer(service, 0.5) as killer:
        in_threads(4, ask)
    assert killer.kills > 3 and len(statuses) == 300


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_thousand_connections_fire_at_once(serve: Callable[..., Running], processes: str) -> None:
    """Those for which there is no room are refused; the connections remain usable, and nothing remains of them."""
    import psutil

    service = serve("--hooks", "hooks.json", "--processes", processes, "--listen", "127.0.0.1:0", files=FILES)
    assert service.process is not None
    service.fire("ls")
    process = psutil.Process(service.process.pid)
    before = process.num_fds()
    connections = [raw(service) for _ in range(1000)]
    sent = [request(service, claude("rm -rf /", session_id=str(each))) for each in range(1000)]
    for _ in range(3):
        for connection, data in zip(connections, sent):
            connection.sendall(data)
        for connection in connections:
            found = answers(connection, 1)
            assert len(found) == 1 and is_refusal(found[0]), found
    for connection in connections:
        connection.close()
    waited = 0
    while process.num_fds() > before + 5 and (waited := waited + 1) < 600:
        time.sleep(0.05)
    assert process.num_fds() <= before + 5
    assert service.fire("ls").json == {}


def test_slow_clients_do_not_delay_others(serve: Callable[..., Running]) -> None:
    """Five hundred connections send a byte now and then: heads, bodies, and answers that nobody reads."""
    service = serve("--hooks", "hooks.json", "--listen", "127.0.0.1:0", files=FILES)
    whole = request(service, claude("rm -rf /"))
    other = whole.replace(b"Content-Length", b"Expect: x\r\nContent-Length", 1)
    slow = [raw(service) for _ in range(500)]
    positions = [0] * 500
    done = threading.Event()

    def drip() -> None:
        while not done.wait(0.3):
            for index, connection in enumerate(slow):
                data = whole if index % 2 else other
                at = positions[index]
                with suppress(OSError):
                    connection.sendall(data[at : at + 1])
                positions[index] = min(at + 1, len(data) - 1)

    dripping = threading.Thread(target=drip)
    dripping.start()
    try:
        for _ in range(200):
            assert is_refusal(_one(service, whole))
    finally:
        done.set()
        dripping.join()
    for connection in slow:
        connection.settimeout(90)
        with suppress(ConnectionError):
            while connection.recv(65536):
                pass
        connection.close()


def _one(service: Running, data: bytes) -> tuple[int, bytes]:
    with raw(service) as connection:
        connection.sendall(data)
        return answers(connection, 1)[0]


def test_bodies_of_a_hundred_megabytes_do_not_stay(serve: Callable[..., Running]) -> None:
    import psutil

    service = serve("--hooks", "hooks.json", "--processes", "1", "--listen", "127.0.0.1:0", files=FILES)
    assert service.process is not None
    process = psutil.Process(service.process.pid)
    before = process.memory_info().rss
    head = request(service, b"").replace(b"Content-Length: 0", b"Content-Length: %d" % (100 << 20))

    def post(number: int) -> None:
        with raw(service) as connection:
            connection.settimeout(120)
            connection.sendall(head)
            for _ in range(100):
                connection.sendall(b" " * (1 << 20))
            status, body = answers(connection, 1)[0]
            assert status == 200 and json.loads(body)["decision"] == "block"

    in_threads(4, post)
    assert service.fire("rm -rf /").json["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert process.memory_info().rss - before < 64 << 20


def test_half_closed_and_dying_clients_leave_nothing(serve: Callable[..., Running]) -> None:
    import psutil

    service = serve("--hooks", "hooks.json", "--processes", "2", "--listen", "127.0.0.1:0", files=FILES)
    assert service.process is not None
    process = psutil.Process(service.process.pid)
    whole = request(service, claude("rm -rf /"))
    service.fire("ls")
    before = process.num_fds()

    def come_and_go(number: int) -> None:
        for index in range(200):
            connection = raw(service)
            connection.sendall(whole[: random.randrange(1, len(whole) + 1)])
            if index % 3 == 0:
                connection.shutdown(socket.SHUT_WR)
                connection.settimeout(60)
                with suppress(ConnectionError):
                    while connection.recv(65536):
                        pass
            connection.close()

    in_threads(5, come_and_go)
    assert is_refusal(_one(service, whole))
    waited = 0
    while process.num_fds() > before + 5 and (waited := waited + 1) < 600:
        time.sleep(0.05)
    assert process.num_fds() <= before + 5
    assert b"sandhook_running 0.0" in service.ask("GET", "/metrics").body

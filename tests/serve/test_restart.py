"""A restart loses no event: the next service has the sockets of the old one, and so has systemd."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from sandhook.serve.handover import INTERIM
from sandhook.serve.inherited import VARIABLE, described, inherited
from sandhook.serve.sockets import LocalSocket, SocketError
from tests.serve.servetools import GUARD, HAS_UNIX, Running, UnixConnection, claude, settings

pytestmark = pytest.mark.skipif(not HAS_UNIX, reason="sockets of POSIX")

FILES = {"hooks.json": settings(GUARD)}


def health(service: Running) -> dict[str, Any]:
    value: dict[str, Any] = service.ask("GET", "/healthz").json
    return value


@pytest.fixture
def pair(serve: Callable[..., Running]) -> Iterator[Callable[..., Running]]:
    """Return ``pair(...)``: starts a service whose successors end with the test."""
    started: list[Running] = []

    def start(*options: str, **more: Any) -> Running:
        started.append(serve(*options, **more))
        return started[-1]

    yield start
    for each in started:
        each.sandhook("serve", "--stop")


class Agents:
    """Agents that post events, one after the other, until they are stopped; whatever is no decision is a fault.

    Half of them connect anew for each event, half keep their connection for as long as the service lets them.
    """

    def __init__(self, connect: Callable[[], Any], headers: dict[str, str], body: bytes) -> None:
        self.faults: list[str] = []
        self.fired = 0
        self._connect, self._headers, self._body = connect, headers, body
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._post, args=(index % 2 == 0,)) for index in range(4)]
        for each in self._threads:
            each.start()

    def _post(self, keeps: bool) -> None:
        connection = None
        while not self._end.is_set() and not self.faults:
            try:
                if connection is None:
                    connection = self._connect()
                sent = dict(self._headers) if keeps else {**self._headers, "Connection": "close"}
                connection.request("POST", "/v1/hooks/claude_code", self._body, sent)
                answer = connection.getresponse()
                body = answer.read()
                if answer.status != 200 or b'"no rm -rf"' not in body:
                    self.faults.append(f"{answer.status} {body!r}")
                if answer.will_close:
                    connection.close()
                    connection = None
                self.fired += 1
            except Exception as error:
                self.faults.append(f"{'kept' if keeps else 'new'}: {error!r}")
        if connection is not None:
            connection.close()

    def await_fires(self, count: int) -> None:
        """Wait until so many further events were answered."""
        wanted = self.fired + count
        until = time.monotonic() + 120
        while self.fired < wanted and not self.faults:
            assert time.monotonic() < until
            time.sleep(0.01)

    def stop(self) -> None:
        self._end.set()
        for each in self._threads:
            each.join(60)


@pytest.mark.slow
@pytest.mark.parametrize("over", ["unix", "tcp"])
def test_no_event_is_lost_during_a_restart(pair: Callable[..., Running], over: str) -> None:
    more = ["--listen", "127.0.0.1:0"] if over == "tcp" else []
    service = pair("--hooks", "hooks.json", *more, files=FILES)
    body = claude("rm -rf /", cwd=str(service.project))
    if over == "tcp":
        from http.client import HTTPConnection

        address, headers = service.address, {"Authorization": f"Bearer {service.token}"}
        agents = Agents(lambda: HTTPConnection(*address, timeout=60), headers, body)
    else:
        agents = Agents(lambda: UnixConnection(service.socket, 60), {}, body)
    try:
        before = health(service)["pid"]
        agents.await_fires(50)
        for _ in range(2):
            ran = service.sandhook("serve", "--restart")
            assert ran.status == 0, ran
            assert ran.stdout.startswith(f"ended process {before}\nstarted process "), ran
            after = health(service)["pid"]
            assert after != before
            before = after
            agents.await_fires(50)
    finally:
        agents.stop()
    assert not agents.faults


@pytest.mark.slow
def test_events_that_began_keep_their_decision(pair: Callable[..., Running]) -> None:
    """The old service ends after a slow one, and after one of which a half is here; the next one decides meanwhile."""
    loop = "jq -r .tool_input.command | grep -q slow && sleep 3; echo no >&2; exit 2"
    service = pair("--hooks", "hooks.json", files={"hooks.json": settings(loop)})
    before = health(service)["pid"]
    slow = UnixConnection(service.socket, 120)
    slow.request("POST", "/v1/hooks/claude_code", claude("slow", cwd=str(service.project)))
    half = UnixConnection(service.socket, 120)
    half.connect()
    body = claude("ls", cwd=str(service.project))
    head = f"POST /v1/hooks/claude_code HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    half.sock.sendall(head.encode() + body[:20])
    restart = subprocess.Popen(
        [sys.executable, "-m", "sandhook", "serve", "--restart"], env=service.env, stdout=subprocess.PIPE
    )
    until = time.monotonic() + 60
    while sum(health(service)["pid"] == before for _ in range(5)):
        assert time.monotonic() < until
    assert b'"no"' in service.fire("ls").body
    half.sock.sendall(body[20:])
    answer = half.sock.recv(65536)
    assert b" 200 OK" in answer and b'"no"' in answer and b"Connection: close" in answer
    assert b'"no"' in slow.getresponse().read()
    assert restart.communicate(timeout=60)[0].startswith(b"ended process %d\n" % before)
    half.close()
    slow.close()


@pytest.mark.slow
def test_a_service_that_does_not_start_ends_nothing(pair: Callable[..., Running]) -> None:
    service = pair("--hooks", "hooks.json", files=FILES)
    before = health(service)["pid"]
    for _ in range(2):
        ran = service.sandhook(
            "serve", "--restart", "--hooks", "absent.json", "--fail-closed", "--audit", "/"
        )
        assert ran.status == 3 and ran.stderr.startswith("sandhook: serve: it ended at once: ")
        assert ran.stderr.endswith(f"; process {before} goes on\n")
        assert health(service)["pid"] == before
        assert b"no rm -rf" in service.fire("rm -rf /").body
    assert service.sandhook("serve", "--restart").status == 0
    assert health(service)["pid"] != before and os.path.exists(service.socket)


def test_the_next_service_owns_the_lock_and_the_file(pair: Callable[..., Running]) -> None:
    service = pair("--hooks", "hooks.json", files=FILES)
    assert service.sandhook("serve", "--restart").status == 0
    ran = service.sandhook("serve")
    assert ran.status == 2 and "a service listens there already" in ran.stderr
    assert service.sandhook("serve", "--stop").stdout.startswith("ended process ")
    assert not os.path.exists(service.socket)


def test_only_the_unix_socket_hands_the_sockets_over(pair: Callable[..., Running]) -> None:
    service = pair("--hooks", "hooks.json", "--listen", "127.0.0.1:0", files=FILES)
    local = service.ask("POST", "/v1/hand-over")  # of a program that does not receive descriptors
    assert local.json == {"pid": health(service)["pid"]}
    service.tcp = True
    assert service.ask("POST", "/v1/hand-over").status == 404
    assert b"no rm -rf" in service.fire("rm -rf /").body
    service.tcp = False


def test_a_program_that_asks_and_dies_changes_nothing(pair: Callable[..., Running]) -> None:
    service = pair("--hooks", "hooks.json", files=FILES)
    for _ in range(20):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(service.socket)
        connection.sendall(b"POST /v1/hand-over HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        data, descriptors, _, _ = socket.recv_fds(connection, 4096, 16)
        assert data.startswith(INTERIM) and len(descriptors) == 3
        for each in descriptors:
            os.close(each)
        connection.close()
    until = time.monotonic() + 60
    process = psutil.Process(health(service)["pid"])
    while process.num_fds() > 40:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert b"no rm -rf" in service.fire("rm -rf /").body


# ---------------------------------------------------------------------- the system's sockets

ACTIVATE = "/usr/bin/systemd-socket-activate"

#: Starts a service again and again with one socket, as systemd does; the first argument is the path.
SYSTEM = """\
import os, socket, subprocess, sys
listening = socket.socket(socket.AF_UNIX)
os.umask(0o177)
listening.bind(sys.argv[1])
listening.listen(100)
if listening.fileno() != 3:
    os.dup2(listening.fileno(), 3)
os.set_inheritable(3, True)
while True:
    pid = os.fork()
    if not pid:
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", LISTEN_FDNAMES="sandhook.socket")
        os.execv(sys.executable, [sys.executable, "-m", "sandhook", "serve", *sys.argv[2:]])
    os.waitpid(pid, 0)
"""


def await_listening(service: Running) -> None:
    """Wait until somebody listens; the connection is not kept."""
    until = time.monotonic() + 60
    while True:
        with socket.socket(socket.AF_UNIX) as connection:
            try:
                connection.connect(service.socket)
            except OSError:
                assert time.monotonic() < until, service.messages()
                time.sleep(0.01)
            else:
                return


@pytest.fixture
def activated(serve: Callable[..., Running]) -> Iterator[Running]:
    """Return a service whose socket another process has, which starts the service as often as it ends."""
    service = serve("--hooks", "hooks.json", files=FILES)
    service.stop()
    with open(service.top / "log", "w") as log:
        system = subprocess.Popen(
            [sys.executable, "-c", SYSTEM, service.socket, "--hooks", "hooks.json"],
            cwd=service.project, env=service.env, stderr=log, start_new_session=True,
        )  # fmt: skip
    await_listening(service)
    yield service
    system.kill()
    system.wait()
    pid = health(service)["pid"]
    os.kill(pid, signal.SIGKILL)


@pytest.mark.slow
def test_no_event_is_lost_when_systemd_restarts_the_service(activated: Running) -> None:
    service = activated
    body = claude("rm -rf /", cwd=str(service.project))
    agents = Agents(lambda: UnixConnection(service.socket, 60), {}, body)
    try:
        agents.await_fires(20)
        for _ in range(2):
            before = health(service)["pid"]
            os.kill(before, signal.SIGTERM)
            agents.await_fires(50)
            until = time.monotonic() + 60
            while health(service)["pid"] == before:
                assert time.monotonic() < until
    finally:
        agents.stop()
    assert not agents.faults


def test_the_systems_service_is_stopped_and_restarted_by_the_system(activated: Running) -> None:
    pid = health(activated)["pid"]
    ran = activated.sandhook("serve", "--restart")
    assert (ran.status, ran.stderr) == (
        3, "sandhook: serve: the system starts it: systemctl --user restart sandhook.service\n",
    )  # fmt: skip
    assert health(activated)["pid"] == pid
    ran = activated.sandhook("serve", "--stop")
    assert ran.stdout.splitlines() == [
        f"ended process {pid}",
        "  the system starts it again for the next event: systemctl --user stop sandhook.socket",
    ]
    assert os.path.exists(activated.socket)
    assert b"no rm -rf" in activated.fire("rm -rf /").body


@pytest.mark.skipif(not os.path.exists(ACTIVATE), reason="systemd is not installed")
def test_systemd_starts_the_service_for_the_first_event(serve: Callable[..., Running]) -> None:
    service = serve("--hooks", "hooks.json", files=FILES)
    service.stop()
    variables = [f"--setenv={name}={value}" for name, value in service.env.items()]
    with open(service.top / "log", "w") as log:
        service.process = subprocess.Popen(
            [ACTIVATE, f"--listen={service.socket}", *variables, sys.executable, "-m", "sandhook", "serve",
             "--hooks", "hooks.json"],
            cwd=service.project, env=service.env, stderr=log, text=True,
        )  # fmt: skip
    await_listening(service)
    assert b"no rm -rf" in service.fire("rm -rf /").body, service.messages()
    assert health(service)["activated"] is True


# ---------------------------------------------------------------------- what a process inherits


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({VARIABLE: "x"}, "not the descriptors of a service"),
        ({VARIABLE: "[]"}, "not the descriptors of a service"),
        ({VARIABLE: '{"lock": 99999, "channel": 1, "sockets": []}'}, "not the descriptors of a service"),
        ({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "x"}, "wanted a number from 1 to 16"),
        ({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "99"}, "wanted a number from 1 to 16"),
        ({"LISTEN_PID": str(os.getpid())}, "wanted a number from 1 to 16"),
    ],
)
def test_variables_that_name_no_sockets(env: dict[str, str], message: str) -> None:
    with pytest.raises(SocketError, match=message):
        inherited(env)
    assert not env, "its workers would read them"


def test_a_descriptor_that_is_no_socket(tmp_path: Path) -> None:
    with open(tmp_path / "file", "w") as lock, open(tmp_path / "other", "w") as file:
        value = described(lock.fileno(), file.fileno(), [])
        with pytest.raises(SocketError, match=f"{VARIABLE}: descriptor {file.fileno()}: "):
            inherited({VARIABLE: value})


def test_the_variables_of_an_ancestor_are_not_ours() -> None:
    env = {"LISTEN_PID": str(os.getppid()), "LISTEN_FDS": "1"}
    assert not inherited(dict(env)).activated


def test_a_socket_of_another_path_is_not_used(tmp_path: Path) -> None:
    top = tmp_path / "private"
    top.mkdir(mode=0o700)
    paths = [os.path.relpath(top / name) for name in ("a", "b")]
    first = LocalSocket(paths[0])
    try:
        lock, channel = os.dup(first.lock), socket.socketpair()
        value = described(lock, channel[0].detach(), [first.socket.dup().detach()])
        from_first = inherited({VARIABLE: value})
        second = LocalSocket(paths[1], *from_first.unix(paths[1]))
        assert second.removes_file and second.socket.getsockname() == paths[1]
        second.close()
        third = LocalSocket(paths[0], *from_first.unix(paths[0]))
        from_first.close()
        third.close()
        assert os.path.exists(paths[0]), "it is not the third one's to remove"
        channel[1].close()
        assert from_first.channel is not None
        from_first.channel.close()
    finally:
        first.close()
    assert not os.path.exists(paths[0])

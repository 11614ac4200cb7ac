"""The network for a run in a worker: the host checks and sends each request, and the worker opens no connection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sandhook.isolation import fetch, wire
from sandhook.limits import Limits
from sandhook.net.network import Network
from sandhook.shell import Shell
from tests.utilities.network.server import Server, serve

SCRIPTS = [
    "curl -s @/echo; wget -qO- @/echo",
    "curl -s -d a=1 -H 'X-A: 1' @/echo; curl -sI @/echo | head -n 1",
    "curl -s -L @/to/302; curl -s -L @/loop; echo $?; curl -s @/away -L; echo $?",
    "curl -sS -L @/inside; echo $?; curl -sS http://example.com/; echo $?; curl -sS -L @/file; echo $?",
    "curl -sS @/empty; echo $?; curl -sS @/cut; echo $?; curl -s --compressed @/gzip",
    "curl -s @/long | wc -c; curl -s @/long | head -c 3; curl -s @/bomb --compressed | wc -c",
    "curl -sS -m 0.4 @/slow 2>/dev/null; echo $?",
    "curl -s -X 'A B' @/echo >/dev/null; [ $? -ne 0 ] && echo refused; curl -sS -X TRACE @/echo; echo $?",
    "curl -sS http://127.0.0.1:1/; echo $?; curl -s @/echo @/echo | grep -c GET",
    "curl -s @/echo | tee a | cat; curl -s @/long > b & curl -s @/long > c; wait; wc -c < b; cmp b c",
]  # fmt: skip


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    servers = serve(), serve()
    Server.other = servers[1].server_port
    yield servers[0].server_port
    for server in servers:
        server.hang.set()  # type: ignore[attr-defined]
        server.shutdown()
        server.server_close()


def run(port: int, script: str, isolation: Any, **named: Any) -> tuple[object, ...]:
    allowed = [f"http://127.0.0.1:{port}", "http://127.0.0.1:1"]
    limits = Limits(output_bytes=1 << 20, wall_seconds=20)
    shell = Shell(network=Network(allowed, **named), limits=limits, isolation=isolation)
    result = shell.run(script.replace("@", f"http://127.0.0.1:{port}"))
    errors = [line.partition(" after ")[0] for line in result.stderr.splitlines()]  # milliseconds
    return result.stdout, errors, result.exit_status, result.limit, result.failure


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_run_in_a_worker_reaches_what_one_in_a_thread_reaches(port: int, script: str) -> None:
    assert run(port, script, "process") == run(port, script, "thread")


def test_bounds_and_credentials_are_those_of_the_host(port: int) -> None:
    named: dict[str, Any] = {
        "credentials": {f"http://127.0.0.1:{port}": {"Authorization": "Bearer secret"}},
        "max_bytes": 1000,
    }
    script = "curl -s @/echo; curl -sS @/long > a; echo $?; env | grep -c secret"
    there = run(port, script, "process", **named)
    assert there == run(port, script, "thread", **named)
    assert "authorization: Bearer secret" in str(there[0]) and "\n63\n0\n" in str(there[0])


class Line:
    """A channel whose worker asks for everything that comes."""

    def __init__(self) -> None:
        self.frames: list[tuple[int, bytes]] = []

    def send(self, kind: int, payload: bytes) -> None:
        self.frames.append((kind, payload))

    def receive(self) -> tuple[int, bytes]:
        return wire.NEXT, b""

    def remaining(self) -> float:
        return 10.0


def question(**fields: object) -> bytes:
    header = {
        "method": "GET",
        "url": ["http", "127.0.0.1", 1, "/"],
        "headers": [],
        "has_body": False,
        "seconds": 5.0,
        "connect_seconds": None,
    }
    return wire.join({**header, **fields})


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        wire.join([]),
        wire.join({"method": "GET"}),
        question(url=["http", "127.0.0.1"]),
        question(url=["http", "127.0.0.1", "x", "/"]),
        question(url=["http", "127.0.0.1:80@evil", 1, "/"]),
        question(url=["http", "127.0.0.1", 1, "/#x"]),
        question(url=["HTTP", "127.0.0.1", 1, "/"]),
        question(headers=[1]),
        question(seconds="soon"),
    ],
)
def test_a_request_of_another_form_breaks_the_protocol_or_is_refused(payload: bytes) -> None:
    line = Line()
    try:
        kind, answer = fetch.fetch(line, Network(["http://127.0.0.1:1"]), payload)
    except ValueError:
        pass
    else:
        assert kind == wire.FAILED and b"refused" in answer
    assert line.frames == []


@pytest.mark.parametrize(
    "fields",
    [
        {"url": ["http", "127.0.0.1", 2, "/"]},
        {"url": ["http", "example.com", 80, "/"]},
        {"url": ["https", "127.0.0.1", 1, "/"]},
        {"url": ["http", "127.0.0.1", 1, "/../x"]},
        {"url": ["http", "127.0.0.1", 1, "/ HTTP/1.1\r\nX: y\r\n"]},
        {"method": "GET / HTTP/1.1\r\nX: y\r\n\r\nGET"},
        {"method": "TRACE"},
        {"method": ""},
    ],
)
def test_the_host_checks_what_a_worker_could_have_left_unchecked(fields: dict[str, object]) -> None:
    kind, answer = fetch.fetch(Line(), Network(["http://127.0.0.1:1"]), question(**fields))
    assert kind == wire.FAILED
    assert wire.split(answer)[0][0] == "refused"  # type: ignore[index]


def test_a_worker_cannot_receive_more_than_the_host_allows(port: int) -> None:
    network = Network([f"http://127.0.0.1:{port}"], max_bytes=10)
    line = Line()
    ending = fetch.fetch(line, network, question(url=["http", "127.0.0.1", port, "/long"]))
    assert ending == (wire.PIECE, b"")
    pieces = [payload for kind, payload in line.frames if kind == wire.PIECE]
    assert len(pieces) == 1, "the first piece exceeds the bound"


def test_a_request_without_a_network_breaks_the_protocol() -> None:
    with pytest.raises(ValueError, match="without a network"):
        fetch.fetch(Line(), None, question())

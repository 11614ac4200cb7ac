"""The usual request is answered without ASGI, and every other one by ASGI: both with the same answer."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Callable, Iterator

import pytest

from sandhook.serve import http
from sandhook.serve.pipes import command_line
from sandhook.serve.service import ServeLimits
from tests.serve.servetools import GUARD, HAS_UNIX, Running, claude, settings
from tests.serve.test_http import raw

FILES = {"hooks.json": settings(GUARD)}

REFUSED, ALLOWED = claude("rm -rf /"), claude("ls")


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    service = Running("--hooks", "hooks.json", "--listen", "127.0.0.1:0", files=FILES, tcp=not HAS_UNIX)
    yield service
    service.close()


def request(running: Running, body: bytes, *more: str, path: str = "/v1/hooks/claude_code") -> bytes:
    """Return a request as an agent sends it."""
    port = running.address[1]
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {running.token}",
        f"Content-Length: {len(body)}",
        *more,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def answers(connection: socket.socket, count: int) -> list[tuple[int, bytes]]:
    """Read so many answers."""
    data, found = b"", []
    while len(found) < count:
        head, separator, rest = data.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        if separator and length and len(rest) >= int(length[1]):
            size = int(length[1])
            found.append((int(head.split(b" ")[1]), rest[:size]))
            data = rest[size:]
            continue
        piece = connection.recv(65536)
        if not piece:
            break
        data += piece
    assert data == b"" or len(found) < count
    return found


def exchanged(running: Running, data: bytes, count: int = 1) -> list[tuple[int, bytes]]:
    with raw(running) as connection:
        connection.sendall(data)
        return answers(connection, count)


def is_refusal(answer: tuple[int, bytes]) -> bool:
    return answer[0] == 200 and b'"deny"' in answer[1]


#: Headers with which a request goes to ASGI.
UNUSUAL = ("Content-Encoding: identity", "X-Name: \u00e9", "Connection: keep-alive, x", "X_Y: z")


@pytest.mark.parametrize("more", UNUSUAL)
@pytest.mark.parametrize(
    ("body", "path"),
    [
        (REFUSED, "/v1/hooks/claude_code"),
        (ALLOWED, "/v1/hooks/claude_code"),
        (b"", "/v1/hooks/claude_code"),
        (b"\xff{", "/v1/hooks/claude_code"),
        (REFUSED, "/v1/hooks/claude_code?workspace=/no/such/directory"),
        (ALLOWED, "/v1/hooks/claude_code?event=PreToolUse&event=Stop"),
        (ALLOWED, "/v1/hooks/claude_code?event="),
        (ALLOWED, "/v1/hooks/cursor?event=beforeShellExecution"),
        (ALLOWED, "/v1/hooks/nobody"),
        (ALLOWED, "/v1/hooks/crush?%65vent=x"),
    ],
)
def test_both_ways_answer_equally(running: Running, body: bytes, path: str, more: str) -> None:
    usual = exchanged(running, request(running, body, path=path))
    other = exchanged(running, request(running, body, more, path=path))
    assert usual == other and len(usual) == 1


def test_a_request_may_arrive_in_any_pieces(running: Running) -> None:
    data = request(running, REFUSED)
    with raw(running) as connection:
        for at in range(1, len(data), 7):
            connection.sendall(data[:at])
            connection.sendall(data[at:])
            assert all(map(is_refusal, answers(connection, 1)))
        for byte in data:
            connection.sendall(bytes([byte]))
        assert all(map(is_refusal, answers(connection, 1)))


def test_requests_that_a_client_sends_ahead_are_answered_in_order(running: Running) -> None:
    bodies = [REFUSED if index % 3 else ALLOWED for index in range(60)]
    sent = b"".join(request(running, body) for body in bodies)
    assert [is_refusal(each) for each in exchanged(running, sent, 60)] == [body == REFUSED for body in bodies]


def test_a_connection_goes_to_asgi_in_the_middle_and_stays_there(running: Running) -> None:
    other = request(running, ALLOWED, "X_Y: z")
    sent = request(running, REFUSED) + other + request(running, REFUSED) + request(running, ALLOWED)
    found = exchanged(running, sent, 4)
    assert [is_refusal(each) for each in found] == [True, False, True, False]


def test_what_was_sent_ahead_of_the_end_is_answered_and_the_end_closes(running: Running) -> None:
    with raw(running) as connection:
        connection.sendall(request(running, REFUSED) * 3)
        connection.shutdown(socket.SHUT_WR)
        assert all(map(is_refusal, answers(connection, 3)))
        assert connection.recv(1) == b""


@pytest.mark.parametrize("head", ["Connection: close", "Connection: Close"])
def test_a_client_that_wants_the_end_gets_it(running: Running, head: str) -> None:
    with raw(running) as connection:
        connection.sendall(request(running, REFUSED, head))
        assert is_refusal(answers(connection, 1)[0])
        assert connection.recv(1) == b""


@pytest.mark.parametrize(
    "lines",
    [
        ["Content-Length: 3"],
        ["Transfer-Encoding: chunked"],
        ["Content-Length: +5"],
        ["Content-Length: 1_0"],
        [" folded: x"],
        ["X: a\nContent-Length: 0"],
    ],
)
def test_a_body_of_two_lengths_fires_nothing(running: Running, lines: list[str]) -> None:
    """A request that two programs may read differently."""
    before = len(running.decisions())
    with raw(running) as connection:
        connection.sendall(request(running, REFUSED, *lines))
        connection.shutdown(socket.SHUT_WR)
        data = b""
        while piece := connection.recv(65536):
            data += piece
    assert not data.startswith(b"HTTP/1.1 200") or b'"deny"' in data
    assert len(running.decisions()) <= before + 1


def test_another_head_is_not_taken_for_the_remembered_one(running: Running) -> None:
    """The second request has no token; on TCP that is an error, whatever the first one was."""
    with socket.create_connection(running.address) as connection:
        connection.settimeout(30)
        connection.sendall(request(running, ALLOWED))
        assert answers(connection, 1) == [(200, b"{}")]
        wrong = request(running, ALLOWED).replace(running.token.encode(), b"x" * len(running.token))
        connection.sendall(wrong)
        assert answers(connection, 1)[0][0] == 401


@pytest.mark.parametrize("start", [b"POST /v1/hooks/claude_code HTTP/1.1\r\n", b"GET /healthz HTTP/1.1\r\n"])
def test_a_head_has_a_bound(running: Running, start: bytes) -> None:
    with raw(running) as connection:
        connection.sendall(start)
        with pytest.raises(ConnectionError):
            for _ in range(8192):  # 64 MB
                connection.sendall(b"X-A: " + b"a" * 8000 + b"\r\n")
    assert is_refusal(exchanged(running, request(running, REFUSED))[0])


class Listener(asyncio.Protocol):
    """The other end of a connection."""

    def __init__(self) -> None:
        self.data = b""
        self.is_closed = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.data += data

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_closed.set()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /v1/hooks/cl",
        b"POST /v1/hooks/claude_code HTTP/1.1\r\nHost: x\r\nX-A: ",
        b"POST /v1/hooks/claude_code HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
        b"GET /healthz HT",
        b"POST /v1/hooks/claude_code HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}POST /v1/hooks/cl",
    ],
)
def test_a_client_that_stops_is_cut(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it stops. The bounds are short here, and nothing depends on how short."""
    monkeypatch.setattr(http, "KEEP_ALIVE", 0.2)

    async def run() -> None:
        from sandhook.serve.asgi import application
        from sandhook.serve.engines import FixedEngine
        from sandhook.serve.firing import Firing
        from sandhook.serve.gate import Gate
        from sandhook.serve.server import server_for
        from sandhook.serve.service import Service, ThreadBackend
        from sandhook.serve.sockets import listen
        from tests.serve.test_parts import engine

        firing = Firing(FixedEngine(engine()))
        limits = ServeLimits(read_seconds=0.2)
        service = Service(ThreadBackend(firing, 2), firing=firing, limits=limits)
        listening = listen("127.0.0.1", 0)
        server = server_for(application(service, Gate()))
        ready = asyncio.Event()
        task = asyncio.create_task(server.run_until_stopped([listening], ready.set))
        await asyncio.wait_for(ready.wait(), 20)
        transport, client = await asyncio.get_running_loop().create_connection(
            Listener, *listening.getsockname()
        )
        transport.write(sent)
        await asyncio.wait_for(client.is_closed.wait(), 60)
        server.stop()
        await asyncio.wait_for(task, 30)

    asyncio.run(run())


def test_a_worker_never_imports_from_the_directory_of_the_service() -> None:
    assert command_line(["--x"])[1:3] == ["-P", "-c"] and command_line(["--x"])[-1] == "--x"


def test_the_session_decides_which_worker_fires(serve: Callable[..., Running]) -> None:
    """Also for connections that are kept, and that carry several sessions."""
    counting = "echo x >> /tmp/seen; echo $(wc -l < /tmp/seen) >&2; exit 2"
    files = {"hooks.json": settings(counting)}
    service = serve("--hooks", "hooks.json", "--processes", "2", "--listen", "127.0.0.1:0", files=files)
    sessions = [f"session-{index % 5}" for index in range(40)]
    bodies = [claude("x", session_id=session, cwd=str(service.project)) for session in sessions]
    found = exchanged(service, b"".join(request(service, body) for body in bodies), 40)
    counts = [int(json.loads(body)["hookSpecificOutput"]["permissionDecisionReason"]) for _, body in found]
    # Two workers have a file each. One that fired only a part of a session would count from its own file.
    for session in set(sessions):
        own = [count for count, each in zip(counts, sessions) if each == session]
        assert own == sorted(set(own))

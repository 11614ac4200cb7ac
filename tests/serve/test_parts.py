"""Parts of the service without a process: the queue, the application of a caller, sockets, tokens, audit, the watch."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandhook.hooks import HookEngine
from sandhook.journal.errors import JournalError
from sandhook.journal.targets import open_target
from sandhook.serve import app
from sandhook.serve.engines import FixedEngine
from sandhook.serve.fires import MOST_FIRES, Fires, Live
from sandhook.serve.firing import FireCall, Fired, Firing
from sandhook.serve.gate import Gate, hosts_of
from sandhook.serve.lanes import Done
from sandhook.serve.metrics import MOST_WORKSPACES, Metrics
from sandhook.serve.server import server_for
from sandhook.serve.service import ServeLimits, Service, ThreadBackend
from sandhook.serve.sockets import LocalSocket, SocketError, listen, split_address, token_of
from sandhook.serve.tally import HookTally, Tally
from sandhook.serve.watch import Watch
from tests.serve.servetools import GUARD, HAS_UNIX, claude, settings

unix = pytest.mark.skipif(not HAS_UNIX, reason="Unix sockets, modes and owners")


def engine(script: str = GUARD) -> HookEngine:
    return HookEngine.load(json.loads(settings(script)), "claude_code")


async def posted(
    application: Any, body: bytes, path: str = "/v1/hooks/claude_code", **headers: str
) -> tuple[int, bytes]:
    """Return status and body of a request that an application of ASGI answers."""
    sent: list[Any] = []
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if messages:
            return messages.pop(0)
        return await asyncio.Future()

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "server": ("127.0.0.1", 80),
        "client": ("127.0.0.1", 1),
    }
    await application(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent[1:])


def test_the_application_of_a_caller_fires_at_its_engine() -> None:
    application = app(engine(), token="t" * 32)
    assert asyncio.run(posted(application, claude("rm -rf /")))[0] == 401
    headers = {"authorization": "Bearer " + "t" * 32}
    status, body = asyncio.run(posted(application, claude("rm -rf /"), **headers))
    assert (status, b"no rm -rf" in body) == (200, True)


def test_the_application_runs_in_another_one() -> None:
    from starlette.applications import Starlette
    from starlette.routing import Mount

    outer = Starlette(routes=[Mount("/hooks", app(engine()))])
    status, body = asyncio.run(posted(outer, claude("rm -rf /"), "/hooks/v1/hooks/claude_code"))
    assert (status, b"no rm -rf" in body) == (200, True)


@pytest.mark.parametrize("place", ["/hooks", "/studio", "/v1/proof", "/healthz", "/studio/deep", "/v1/hooks"])
@pytest.mark.parametrize("closed", [False, True])
def test_the_place_in_another_application_opens_nothing(place: str, closed: bool) -> None:
    """What needs no token is a path of this application. Its refusals are in the agent's words anywhere."""
    from starlette.applications import Starlette
    from starlette.routing import Mount

    own = app(engine(), token="a-token-of-at-least-20-characters", fail_closed=closed)
    outer = Starlette(routes=[Mount(place, own)])

    def ask(path: str) -> tuple[int, bytes]:
        return asyncio.run(posted(outer, claude("ls"), f"{place}{path}"))

    assert ask("/v1/events")[0] == 401
    assert ask("/v1/decisions")[0] == 401
    assert ask("/v1/stop")[0] == 401
    assert ask("/healthz")[0] == 405  # it needs no token, and is for GET
    status, body = ask("/v1/hooks/claude_code")
    assert (status, b'"block"' in body) == ((200, True) if closed else (401, False))


class SlowBackend:
    """Fires an event when the test lets it."""

    pids: list[int] = []

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.most = self.now = 0
        self.tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    def fire(self, call: FireCall, done: Done) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        self.tasks.append(asyncio.create_task(self._fire(call, done)))

    async def _fire(self, call: FireCall, done: Done) -> None:
        await self.go.wait()
        self.now -= 1
        done(Firing(FixedEngine(engine())).fire(call))


def refusal(fired: Fired) -> str:
    value = json.loads(fired.answer.stdout)
    assert value["hookSpecificOutput"]["permissionDecision"] == "deny"
    return str(value["hookSpecificOutput"]["permissionDecisionReason"])


CALL = FireCall("claude_code", None, "", claude("ls"))


def test_the_queue_is_bounded_and_its_overflow_is_a_refusal() -> None:
    async def run() -> None:
        backend = SlowBackend()
        limits = ServeLimits(running=2, waiting=3, wait_seconds=30)
        service = Service(backend, firing=Firing(FixedEngine(engine())), limits=limits)
        tasks = [asyncio.create_task(service.fire(CALL)) for _ in range(5)]
        await asyncio.sleep(0.05)
        assert "busy: 3 events wait" in refusal(await service.fire(CALL))
        backend.go.set()
        assert [each.answer.stdout for each in await asyncio.gather(*tasks)] == [b""] * 5
        assert backend.most == 2
        assert (await service.fire(CALL)).answer.stdout == b""

    asyncio.run(run())


def test_an_event_does_not_wait_for_ever() -> None:
    async def run() -> None:
        limits = ServeLimits(running=1, wait_seconds=0.05)
        service = Service(SlowBackend(), firing=Firing(FixedEngine(engine())), limits=limits)
        first = asyncio.create_task(service.fire(CALL))
        await asyncio.sleep(0)
        assert "the event waited 0.05 seconds" in refusal(await service.fire(CALL))
        first.cancel()

    asyncio.run(run())


def test_a_client_that_is_gone_frees_its_place_when_its_hooks_end() -> None:
    async def run() -> None:
        backend = SlowBackend()
        service = Service(backend, firing=Firing(FixedEngine(engine())), limits=ServeLimits(running=1))
        first = asyncio.create_task(service.fire(CALL))
        await asyncio.sleep(0.01)
        first.cancel()
        second = asyncio.create_task(service.fire(CALL))
        await asyncio.sleep(0.05)
        assert backend.most == 1 and not second.done()
        backend.go.set()
        assert (await second).answer.stdout == b""

    asyncio.run(run())


def test_a_defect_is_a_refusal() -> None:
    class Broken(FixedEngine):
        def find(self, agent: Any, directory: str, *, strict: bool = False) -> Any:
            raise ZeroDivisionError("oh")

    fired = Firing(Broken(engine())).fire(CALL)
    assert refusal(fired) == "sandhook: internal error: ZeroDivisionError: oh"

    class Worse(SlowBackend):
        def fire(self, call: FireCall, done: Done) -> None:
            raise ZeroDivisionError("oh")

    async def run() -> None:
        service = Service(Worse(), firing=Firing(FixedEngine(engine())))
        assert "ZeroDivisionError" in refusal(await service.fire(CALL))

    asyncio.run(run())


def test_a_fire_travels_between_processes() -> None:
    fired = Firing(FixedEngine(engine("printf '\\377\\0' >&2; exit 2"))).fire(CALL)
    assert Fired.from_fields(fired.to_fields()) == fired


@pytest.mark.parametrize("target", ["log", "sqlite:log"])
def test_audit_lines_are_kept_whole(tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = open_target(target, "--audit ")
    threads = [
        threading.Thread(
            target=lambda: [log.write(['{"type":"hook.completed","hook_id":"h"}']) for _ in range(50)]
        )
        for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    log.write(['{"type":"x"}', '{"type":"y"}'])
    log.close()
    if HAS_UNIX:
        assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600
    if target == "log":
        lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
        assert len(lines) == 202 and all(line["time"] for line in lines)
        return
    database = sqlite3.connect(tmp_path / "log")
    rows = database.execute("SELECT type, hook_id, line FROM audit ORDER BY id").fetchall()
    database.close()
    assert len(rows) == 202 and rows[0] == ("hook.completed", "h", '{"type":"hook.completed","hook_id":"h"}')


def test_an_audit_log_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="--audit "):
        open_target(str(tmp_path / "no" / "log"), "--audit ")
    with pytest.raises(JournalError, match="--audit sqlite:"):
        open_target(f"sqlite:{tmp_path / 'no' / 'log'}", "--audit ")
    (tmp_path / "text").write_text(
        "this is not a database, it is a text of more than a hundred characters" * 3
    )
    with pytest.raises(JournalError, match="--audit sqlite:"):
        open_target(f"sqlite:{tmp_path / 'text'}", "--audit ")


def test_a_file_that_is_no_database_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text").write_text("this is not a database " * 10)
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def recorded(*arguments: Any, **options: Any) -> sqlite3.Connection:
        opened.append(connect(*arguments, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", recorded)
    with pytest.raises(JournalError, match="--audit sqlite:"):
        open_target(f"sqlite:{tmp_path / 'text'}", "--audit ")
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].execute("SELECT 1")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full")
def test_what_cannot_be_audited_is_refused() -> None:
    log = open_target("/dev/full", "--audit ")
    own = HookEngine.load(json.loads(settings(":")), "claude_code", audit=lambda line: log.write([line]))
    fired = Firing(FixedEngine(own)).fire(CALL)
    log.close()
    assert "No space left" in refusal(fired)


def test_a_watch_sees_every_kind_of_change(tmp_path: Path) -> None:
    file, absent = tmp_path / "f", tmp_path / "absent"
    file.write_text("one")
    time.sleep(0.1)
    changes: list[Callable[[], object]] = [
        lambda: file.write_text("two"),
        lambda: absent.write_text(""),
        file.unlink,
        lambda: file.mkdir(),
        absent.unlink,
    ]
    for change in changes:
        watch = Watch()
        watch.add(str(file))
        watch.add(str(absent))
        time.sleep(0.1)
        watch.changed()  # once, for what changed shortly before
        assert watch.changed() is None
        change()
        assert watch.changed() is not None
        assert watch.renewed().changed() in (None, "a file that changed just before it was read")


@unix
def test_two_services_never_share_a_socket(tmp_path: Path) -> None:
    path = f"/tmp/sh-{os.getpid()}-{time.monotonic_ns()}/serve.sock"
    first = LocalSocket(path)
    with pytest.raises(SocketError, match="a service listens there already"):
        LocalSocket(path)
    assert os.stat(path).st_mode & 0o777 == 0o600
    first.close()
    assert not os.path.exists(path)
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(path)
    stale.close()
    LocalSocket(path).close()
    Path(path).write_text("")
    with pytest.raises(SocketError, match="is not a socket"):
        LocalSocket(path)
    os.unlink(path)
    os.chmod(os.path.dirname(path), 0o777)
    with pytest.raises(SocketError, match="others may change its directory"):
        LocalSocket(path)
    os.unlink(f"{path}.lock")
    os.rmdir(os.path.dirname(path))


@unix
def test_the_socket_of_another_user_is_not_replaced(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a socket to another user")
    path = f"/tmp/sh-{os.getpid()}-{time.monotonic_ns()}/serve.sock"
    os.mkdir(os.path.dirname(path), 0o700)
    other = socket.socket(socket.AF_UNIX)
    other.bind(path)
    os.chown(path, 12345, 12345)
    with pytest.raises(SocketError, match="belongs to another user"):
        LocalSocket(path)
    other.close()
    os.unlink(path)
    os.unlink(f"{path}.lock")
    os.rmdir(os.path.dirname(path))


def test_a_token_is_made_once_and_must_be_private(tmp_path: Path) -> None:
    path = tmp_path / "run" / "token"
    token = token_of(str(path))
    assert len(token) > 30 and token_of(str(path)) == token
    path.write_text("short\n")
    with pytest.raises(SocketError, match="wanted a token"):
        token_of(str(path))
    if HAS_UNIX:
        path.write_text(token)
        path.chmod(0o644)
        with pytest.raises(SocketError, match="others may use it"):
            token_of(str(path))


def test_other_machines_must_be_allowed_twice() -> None:
    with pytest.raises(SocketError, match="other machines could connect"):
        split_address("192.0.2.1:80", remote=False)
    assert split_address("0.0.0.0:80", remote=True) == ("0.0.0.0", 80)
    assert split_address("localhost:1", remote=False) == ("127.0.0.1", 1)
    assert split_address("[::1]:1", remote=False) == ("::1", 1)
    with pytest.raises(SocketError, match="port from 0"):
        split_address("127.0.0.1:70000", remote=False)


def test_hosts() -> None:
    assert hosts_of(["localhost"], 80) == {"localhost:80", "localhost"}
    assert (
        Gate("x", frozenset({"a:1"})).fault(
            {"headers": [(b"host", b"a:1"), (b"host", b"b")], "path": "/", "server": ("a", 1)}
        )
        == "host"
    )


def test_fires_are_bounded_and_slow_readers_lose_events() -> None:
    fires = Fires()
    with fires.reader() as live:
        for index in range(MOST_FIRES + 10):
            fires.add("http", "decided", b'{"payload": "%d"}' % index)
        assert live.queue.full()
        first = live.queue.get_nowait()
        assert first is not None and first.startswith("event: fire\nid: 1\n")
        fires.report("x")
    assert fires.text_of(10) is None and fires.text_of(11) is not None
    assert [each["id"] for each in fires.listed(2)] == [MOST_FIRES + 10, MOST_FIRES + 9]
    live = Live()
    live.end()
    assert live.queue.get_nowait() is None


def test_labels_of_workspaces_are_bounded() -> None:
    """An agent may name any directory; what Prometheus keeps does not grow with them."""
    metrics = Metrics()
    ran = (HookTally("h", "allow", False, 0.001),)
    for number in range(200):
        metrics.fire("decided", Tally("claude_code", "PreToolUse", 0.001, ran, f"/w/{number}"))
    places = {workspace for workspace, _, _ in metrics.hooks}
    assert len(places) == MOST_WORKSPACES + 1 and "other" in places
    assert b'hook="h",workspace="other"} 136.0' in metrics.text()
    (row,) = metrics.json()["hooks"]
    assert isinstance(row, dict) and row["runs"] == 200 and row["seconds"] == 0.2
    (row,) = metrics.json("/w/7")["hooks"]
    assert isinstance(row, dict) and row["runs"] == 1
    assert metrics.json("/elsewhere")["hooks"] == []


def test_a_server_runs_until_it_is_stopped() -> None:
    async def run() -> None:
        firing = Firing(FixedEngine(engine()))
        service = Service(ThreadBackend(firing, 2), firing=firing)
        from sandhook.serve.asgi import application

        listening = listen("127.0.0.1", 0)
        server = server_for(application(service, Gate()))
        ready = asyncio.Event()
        task = asyncio.create_task(server.run_until_stopped([listening], ready.set))
        await asyncio.wait_for(ready.wait(), 20)
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        writer.write(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert b'"status": "ok"' in await reader.read()
        writer.close()
        server.stop()
        await asyncio.wait_for(task, 20)

    asyncio.run(run())

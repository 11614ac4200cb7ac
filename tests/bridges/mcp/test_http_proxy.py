"""``sandhook mcp-proxy --listen``: clients and servers of HTTP, byte for byte, with a server of the test."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event as Flag
from threading import Thread
from typing import Any

import pytest

from sandhook.bridges.core import Guard
from sandhook.bridges.mcp.events import Event, UnreadableStream, read_events
from sandhook.bridges.mcp.http import HttpProxy

HOOKS: Any = {
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "mcp__demo__no",
                "hooks": [{"type": "command", "command": "echo not this >&2; exit 2"}],
            },
            {
                "matcher": "mcp__demo__change",
                "hooks": [
                    {
                        "type": "command",
                        "command": """echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse",
                            "permissionDecision": "allow", "updatedInput": {"a": "changed"}}}'""",
                    }
                ],
            },
        ],
        "PostToolUse": [
            {
                "matcher": "mcp__demo__secret",
                "hooks": [
                    {
                        "type": "command",
                        "command": """echo '{"hookSpecificOutput": {"hookEventName": "PostToolUse",
                            "updatedMCPToolOutput": "redacted"}}'""",
                    }
                ],
            }
        ],
    }
}

Answer = Callable[["Upstream"], None]


class Upstream(BaseHTTPRequestHandler):
    """Records requests, and answers as the test says."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.server.requests.append((self.command, dict(self.headers.items()), body))
        self.server.answer(self)

    do_GET = do_DELETE = do_POST

    def reply(self, body: bytes, kind: str = "application/json", status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.answer: Answer = lambda handler: handler.reply(result(1))
        super().__init__(("127.0.0.1", 0), Upstream)

    def handle_error(self, request: object, client_address: object) -> None:
        pass


def result(number: object, text: str = "ok") -> bytes:
    return json.dumps(
        {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": text}]}}
    ).encode()


def call(name: str, number: object = 1) -> bytes:
    params = {"name": name, "arguments": {"a": "b"}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()


def stream(*events: bytes) -> Answer:
    def answer(handler: Upstream) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.close_connection = True
        handler.end_headers()
        for event in events:
            handler.wfile.write(event)
            handler.wfile.flush()

    return answer


def has_left(handler: Upstream) -> bool:
    """Wait until the client closes its connection; it resets one that has unread bytes."""
    handler.connection.settimeout(30)
    try:
        return handler.connection.recv(1) == b""
    except ConnectionError:
        return True


def hang_up(handler: Upstream) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def upstream() -> Iterator[Server]:
    server = Server()
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def notes() -> list[str]:
    return []


@pytest.fixture
def proxy(upstream: Server, notes: list[str]) -> Iterator[HttpProxy]:
    url = f"http://127.0.0.1:{upstream.server_port}/mcp?key=1"
    proxy = HttpProxy(0, url, Guard(HOOKS), "demo", note=notes.append)
    Thread(target=proxy.serve_forever, args=(0.02,), daemon=True).start()
    yield proxy
    proxy.shutdown()
    proxy.server_close()


class Client:
    """One connection to the proxy."""

    def __init__(self, proxy: HttpProxy) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", proxy.server_port, timeout=30)

    def ask(
        self, body: bytes | None, method: str = "POST", path: str = "/mcp", **headers: str
    ) -> tuple[int, bytes, http.client.HTTPResponse]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(
            method, path, body, {"Accept": "application/json, text/event-stream", **named}
        )
        response = self.connection.getresponse()
        return response.status, response.read(), response


def once(proxy: HttpProxy, session: dict[str, str]) -> bytes:
    """Open a stream on a connection of its own; return what came."""
    client = Client(proxy)
    try:
        return client.ask(None, "GET", **session)[1]
    finally:
        client.connection.close()


@pytest.fixture
def client(proxy: HttpProxy) -> Iterator[Client]:
    client = Client(proxy)
    yield client
    client.connection.close()


def test_what_hooks_do_not_change_passes_as_it_is(client: Client, upstream: Server) -> None:
    answer = b'{"jsonrpc":"2.0", "id":1,\n "result" : {"tools":[]}}'
    upstream.answer = lambda handler: handler.reply(answer, Mcp_Session_Id="s1", X_Own="1")
    body = b'{ "jsonrpc":"2.0","id":1, "method":"tools/list" }'
    headers = {"Authorization": "Bearer t", "MCP-Protocol-Version": "2025-11-25", "Mcp-Method": "tools/list"}
    status, got, response = client.ask(body, **headers)
    assert (status, got) == (200, answer)
    assert (response.headers["Mcp-Session-Id"], response.headers["X-Own"]) == ("s1", "1")
    ((method, seen, sent),) = upstream.requests
    assert (method, sent) == ("POST", body)
    assert {name: seen[name] for name in headers} == headers
    assert seen["Accept"] == "application/json, text/event-stream" and seen["Accept-Encoding"] == "identity"


def test_calls_are_refused_and_changed_and_results_too(client: Client, upstream: Server) -> None:
    status, got, _ = client.ask(call("no"))
    assert status == 200 and not upstream.requests
    refused = {"resultType": "complete", "content": [{"type": "text", "text": "not this"}], "isError": True}
    assert json.loads(got)["result"] == refused, "a client of 2026 requires resultType"
    assert client.ask(call("change"))[0] == 200
    assert json.loads(upstream.requests[-1][2])["params"] == {"name": "change", "arguments": {"a": "changed"}}
    assert json.loads(client.ask(call("secret"))[1])["result"]["content"][0]["text"] == "redacted"
    assert client.ask(call("other"))[1] == result(1)


def test_events_pass_and_results_in_them_are_checked(client: Client, upstream: Server) -> None:
    progress = b'event: message\r\nid: 1\r\ndata: {"jsonrpc":"2.0",\r\ndata: "method":"notifications/progress"}\r\n\r\n'
    upstream.answer = stream(b": hi\n\n", progress, b"id: 2\nretry: 5\ndata: " + result(1) + b"\n\n")
    assert (
        client.ask(call("other"))[1]
        == b": hi\n\n" + progress + b"id: 2\nretry: 5\ndata: " + result(1) + b"\n\n"
    )
    got = client.ask(call("secret"))[1]
    assert got.startswith(b": hi\n\n" + progress + b'id: 2\nretry: 5\ndata: {"jsonrpc":')
    assert b"redacted" in got and b"ok" not in got


@pytest.mark.parametrize("first", [b"", b"\xef\xbb\xbf"])
def test_no_form_of_an_event_hides_a_result(client: Client, upstream: Server, first: bytes) -> None:
    half = result(1).replace(b', "result"', b',\ndata:"result"')
    for event in (b"data:" + result(1), b"event: other\ndata: " + result(1), b"data: " + half):
        upstream.answer = stream(first + event + b"\n\n")
        got = client.ask(call("secret"))[1]
        assert b"redacted" in got and b'"ok"' not in got, event


def test_a_stream_that_readers_split_differently_is_cut(
    client: Client, upstream: Server, notes: list[str]
) -> None:
    upstream.answer = stream(b"x: \rdata: " + result(1) + b"\r\r\n\n")
    with pytest.raises(http.client.IncompleteRead) as cut:
        client.ask(call("secret"))
    assert b"ok" not in cut.value.partial and "CR alone" in notes[0]


def test_a_result_that_comes_in_another_stream_is_checked(
    client: Client, upstream: Server, proxy: HttpProxy
) -> None:
    session = {"Mcp-Session-Id": "s"}
    upstream.answer = stream(b"id: 7\ndata:\n\n")
    assert client.ask(call("secret", 5), **session)[1] == b"id: 7\ndata:\n\n"
    upstream.answer = stream(b"data: " + result(5) + b"\n\n")
    got = once(proxy, {**session, "Last-Event-ID": "7"})
    assert b"redacted" in got
    assert upstream.requests[-1][1]["Last-Event-ID"] == "7"
    again = once(proxy, session)
    assert b"cannot be checked" in again and b'"ok"' not in again, "nobody awaits it any more"
    client.ask(b'{"jsonrpc":"2.0","id":6,"method":"tools/list"}', **session)
    upstream.answer = stream(b"data: " + result(6) + b"\n\n")
    assert result(6) in once(proxy, session)


def test_results_of_tasks_are_checked_without_a_session(client: Client, upstream: Server) -> None:
    task = {"jsonrpc": "2.0", "id": 1, "result": {"task": {"taskId": "t"}}}
    upstream.answer = lambda handler: handler.reply(json.dumps(task).encode())
    client.ask(call("secret"))
    upstream.answer = lambda handler: handler.reply(result(2))
    got = client.ask(b'{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"t"}}')[1]
    assert b"redacted" in got


@pytest.mark.parametrize(
    ("headers", "path", "status"),
    [
        ({"Host": "evil.example"}, "/mcp", 403),
        ({"Origin": "https://evil.example"}, "/mcp", 403),
        ({"Origin": "null"}, "/mcp", 403),
        ({}, "/other", 404),
        ({}, "/mcp/../mcp", 404),
        ({"Content-Encoding": "gzip"}, "/mcp", 415),
        ({"Content-Length": "999999999999"}, "/mcp", 413),
        ({"Transfer-Encoding": "chunked"}, "/mcp", 411),
    ],
)
def test_other_requests_are_refused(
    client: Client, upstream: Server, headers: dict[str, str], path: str, status: int
) -> None:
    assert client.ask(call("other"), path=path, **headers)[0] == status
    assert not upstream.requests


def test_pages_of_this_machine_may_ask(client: Client) -> None:
    assert client.ask(call("other"), Origin="http://localhost:3000")[0] == 200


def test_messages_that_are_ambiguous_are_errors(client: Client, upstream: Server) -> None:
    for body in (b"{", b'{"id":1,"id":2,"method":"tools/call"}', b"[" + call("other") + b"]"):
        status, got, _ = client.ask(body)
        answer = json.loads(got)
        assert status == 400 and "error" in (answer[0] if isinstance(answer, list) else answer)
    assert not upstream.requests


def test_faults_of_the_server_are_no_results(client: Client, upstream: Server, notes: list[str]) -> None:
    upstream.answer = lambda handler: handler.reply(b"", status=307, Location="https://elsewhere.example/mcp")
    status, got, _ = client.ask(call("other"))
    assert status == 502 and b"https://elsewhere.example/mcp" in got
    upstream.answer = lambda handler: handler.reply(b"\x1f", Content_Encoding="gzip")
    assert client.ask(call("other"))[0] == 502
    upstream.answer = hang_up
    assert client.ask(call("other"))[0] == 502 and "RemoteDisconnected" in notes[-1]
    upstream.answer = lambda handler: handler.reply(b"no", "text/plain", 401, WWW_Authenticate="Bearer")
    status, got, response = client.ask(call("other"))
    assert (status, got, response.headers["WWW-Authenticate"]) == (401, b"no", "Bearer")
    upstream.answer = lambda handler: handler.reply(result(1))
    assert client.ask(call("other"))[0] == 200, "the id of a call that failed can be used again"


def test_a_proxy_of_the_network_that_is_not_used_is_named(
    client: Client, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://10.0.0.1:3128")
    upstream.answer = hang_up
    assert b"the proxy of HTTP_PROXY is not used" in client.ask(call("other"))[1]


def test_a_hook_that_fails_in_the_proxy_refuses(client: Client, proxy: HttpProxy, monkeypatch: Any) -> None:
    monkeypatch.setattr(proxy.guard.engine, "fire", lambda *args, **options: 1 / 0)
    assert json.loads(client.ask(call("other"))[1])["result"]["isError"] is True


def test_a_client_that_leaves_ends_the_request_to_the_server(client: Client, upstream: Server) -> None:
    left = Flag()

    def answer(handler: Upstream) -> None:
        stream(b": hi\n\n")(handler)
        if has_left(handler):
            left.set()

    upstream.answer = answer
    client.connection.request("POST", "/mcp", call("other"))
    assert client.connection.getresponse().read(5) == b": hi\n"
    assert client.connection.sock is None or client.connection.sock.shutdown(socket.SHUT_RDWR) is None
    client.connection.close()
    assert left.wait(30)


def test_events_are_read_as_the_standard_says() -> None:
    data = b"\xef\xbb\xbfdata: a\ndata:b\ndata\nid\n\n:c\n\ndata: cut"
    lines = iter(data.splitlines(keepends=True))
    events = list(read_events(lambda limit: next(lines, b"")))
    assert [(event.data, event.has_id) for event in events] == [(b"a\nb\n", True), (b"", False)]
    assert events[0].with_data([b"x"]) == b"id\ndata: x\n\n"
    assert Event(b"id: 1\ndata: a\n\n", b"a").with_data([b"1", b"2"]) == b"data: 1\n\nid: 1\ndata: 2\n\n"
    assert Event(b"id: 1\ndata: a\n\n", b"a").with_data([]) == b"id: 1\n\n"
    with pytest.raises(UnreadableStream):
        list(read_events(lambda limit: b"x" * limit))


def start(tmp_path: Path, *words: str) -> subprocess.Popen[str]:
    (tmp_path / "hooks.json").write_text(json.dumps(HOOKS))
    options = ["--hooks", "hooks.json", "--contract", "claude_code", "--name", "demo"]
    command = [sys.executable, "-m", "sandhook", "mcp-proxy", *options, *words]
    return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_command_listens_until_a_signal(tmp_path: Path, upstream: Server) -> None:
    url = f"http://127.0.0.1:{upstream.server_port}/mcp"
    process = start(tmp_path, "--listen", "0", url)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.endswith(f"for {url}\n"), line
        port = int(line.split("127.0.0.1:")[1].split("/")[0])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("POST", "/mcp", call("no"))
        assert b"not this" in connection.getresponse().read()
        connection.close()
        if os.name != "nt":
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 128 + signal.SIGTERM
    finally:
        process.kill()
        process.communicate()


def test_a_port_has_one_listener(tmp_path: Path, proxy: HttpProxy) -> None:
    with socket.socket() as other, pytest.raises(OSError):
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # on Windows: share the port
        other.bind(("127.0.0.1", proxy.server_port))
        other.listen()
    process = start(tmp_path, "--listen", str(proxy.server_port), "http://localhost/mcp")
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2 and "Traceback" not in errors
    assert f"mcp-proxy: --listen {proxy.server_port}: " in errors


def test_a_listener_takes_no_port_that_another_may_share() -> None:
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(OSError):
            HttpProxy(other.getsockname()[1], "http://localhost/mcp", Guard(HOOKS), "demo", note=print)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--listen", "0", "server"], "--listen and --header need the URL of a server"),
        (["--header", "A: b", "server"], "--listen and --header need the URL of a server"),
        (
            ["--listen", "0", "--header", "A: b", "http://localhost/mcp"],
            "any program of this machine could use it",
        ),
        (["--header", "secret", "http://localhost/mcp"], "--header: wanted NAME:VALUE"),
        (
            ["--header", "A: ${NO_SUCH}", "http://localhost/mcp"],
            "--header A: the environment has no variable NO_SUCH",
        ),
        (["--header", "A: \xe9", "http://localhost/mcp"], "--header A: its value has characters"),
        (["--header", "Mcp-Session-Id: a", "http://localhost/mcp"], "the proxy sets it itself"),
        (["http://localhost:x/mcp"], "http://localhost:x/mcp: Port could not be cast"),
        (["--listen", "99999", "http://localhost/mcp"], "wanted a port, 0 to 65535"),
        (["--listen", "0", "http://user@localhost/mcp"], "wanted http://HOST"),
    ],
)
def test_wrong_arguments_are_usage_errors(tmp_path: Path, words: list[str], text: str) -> None:
    process = start(tmp_path, *words)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2 and text in errors and "Traceback" not in errors


def test_headers_of_one_connection_do_not_pass(client: Client, upstream: Server) -> None:
    upstream.answer = lambda handler: handler.reply(
        result(1), Connection="X-Hop", X_Hop="1", Keep_Alive="timeout=9"
    )
    response = client.ask(call("other"), Connection="X-Mine", X_Mine="1", TE="trailers", X_Kept="1")[2]
    ((_, seen, _),) = upstream.requests
    assert seen["X-Kept"] == "1" and not {"X-Mine", "TE", "Connection"} & seen.keys()
    assert response.headers["X-Hop"] is None and response.headers["Keep-Alive"] is None


@pytest.mark.parametrize(
    "headers",
    [
        {"Mcp-Method": "tools/list"},
        {"Mcp-Name": "no"},
        {"Mcp-Name": "=?base64?bm8=?="},
        {"Mcp-Name": "=?base64?!?="},
    ],
)
def test_headers_that_differ_from_the_message_are_refused(
    client: Client, upstream: Server, headers: dict[str, str]
) -> None:
    status, got, _ = client.ask(call("other"), **headers)
    assert (status, json.loads(got)["error"]["code"], json.loads(got)["id"]) == (400, -32020, 1)
    assert not upstream.requests
    agreeing = {"Mcp-Method": "tools/call", "Mcp-Name": "=?base64?b3RoZXI=?="}
    assert client.ask(call("other"), **agreeing)[0] == 200


def test_a_header_that_is_there_twice_is_refused(client: Client, upstream: Server) -> None:
    body = call("other")
    client.connection.putrequest("POST", "/mcp")
    for name, value in (("Mcp-Name", "other"), ("mcp-name", "other"), ("Content-Length", str(len(body)))):
        client.connection.putheader(name, value)
    client.connection.endheaders(body)
    response = client.connection.getresponse()
    assert response.status == 400 and b"the header mcp-name is there twice" in response.read()
    assert not upstream.requests


def test_headers_repeat_the_arguments_that_hooks_changed(client: Client, upstream: Server) -> None:
    status, got, _ = client.ask(call("change"), Mcp_Param_Letter="b")
    assert status == 400 and b"list the tools first" in got and not upstream.requests
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-mcp-header": "Letter"}}}
    tools = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "change", "inputSchema": schema}]}}
    upstream.answer = lambda handler: handler.reply(json.dumps(tools).encode())
    client.ask(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    upstream.answer = lambda handler: handler.reply(result(1))
    assert client.ask(call("change"), Mcp_Param_Letter="b")[0] == 200
    _, seen, sent = upstream.requests[-1]
    assert json.loads(sent)["params"]["arguments"] == {"a": "changed"}
    assert {name.lower(): value for name, value in seen.items()}["mcp-param-letter"] == "changed"


def test_too_many_connections_are_refused_and_others_go_on(
    client: Client, proxy: HttpProxy, notes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.ask(call("other"))[0] == 200
    monkeypatch.setattr("sandhook.bridges.mcp.http.CONNECTIONS", 1)
    with socket.create_connection(("127.0.0.1", proxy.server_port), timeout=30) as second:
        assert second.recv(100).startswith(b"HTTP/1.1 503 ")
    assert notes == ["a connection was refused: 1 are open"]
    assert client.ask(call("other"))[0] == 200, "the first one stays"
    client.connection.close()
    third = Client(proxy)
    for _ in range(200):  # until the thread of the first one has ended
        with suppress(OSError, http.client.HTTPException):
            if third.ask(call("other"))[0] == 200:
                break
        third.connection.close()
        time.sleep(0.02)
    else:
        raise AssertionError("a place that is free again is not used")
    third.connection.close()


def test_a_body_that_does_not_come_is_refused(
    proxy: HttpProxy, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandhook.bridges.mcp.http._Handler.timeout", 0.1)
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"
    with socket.create_connection(("127.0.0.1", proxy.server_port), timeout=30) as slow:
        slow.sendall(head)
        assert slow.recv(100).startswith(b"HTTP/1.1 408 ")
    with socket.create_connection(("127.0.0.1", proxy.server_port), timeout=30) as short:
        short.sendall(head)
        short.shutdown(socket.SHUT_WR)
        assert short.recv(100).startswith(b"HTTP/1.1 400 ")
    assert not upstream.requests


def test_a_client_that_leaves_a_server_which_does_not_answer_ends_the_request(
    client: Client, upstream: Server
) -> None:
    asked, left = Flag(), Flag()

    def answer(handler: Upstream) -> None:
        asked.set()
        if has_left(handler):
            left.set()
        handler.close_connection = True

    upstream.answer = answer
    client.connection.request("POST", "/mcp", call("other"))
    assert asked.wait(30)
    client.connection.close()
    assert left.wait(30)


def test_a_response_that_is_too_large_is_an_error(
    client: Client, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandhook.bridges.mcp.http.LARGEST", 150)
    upstream.answer = lambda handler: handler.reply(result(1, "x" * 100))
    status, got, _ = client.ask(call("b"))
    assert status == 502 and b"the response has more than 150 bytes" in got


def test_a_response_does_not_wait_for_the_acknowledgement_of_its_headers(
    client: Client, proxy: HttpProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted: list[socket.socket] = []
    serve = HttpProxy.process_request

    def note(self: HttpProxy, request: socket.socket, address: object) -> None:
        accepted.append(request)
        serve(self, request, address)

    monkeypatch.setattr(HttpProxy, "process_request", note)
    client.ask(call("other"))
    assert accepted[0].getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

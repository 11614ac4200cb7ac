"""``sandhook mcp-proxy URL``: a client on standard input, and a server of HTTP, with a server of the test."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from threading import Event as Flag
from threading import Thread
from typing import Any

import pytest

from sandhook.bridges.core import Guard
from sandhook.bridges.mcp.endpoint import endpoint_of
from sandhook.bridges.mcp.http_client import Requests
from sandhook.bridges.mcp.relay import Relay
from tests.bridges.mcp.test_http_proxy import HOOKS, Server, Upstream, call, hang_up, has_left, result, stream

INITIALIZE = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n'
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'

Answer = Callable[[Upstream], None]


class Line:
    """A client whose messages a relay passes to the server of the test."""

    def __init__(self, upstream: Server, headers: list[tuple[str, str]] | None = None) -> None:
        self.upstream = upstream
        self.answers: Queue[Any] = Queue()
        self.notes: list[str] = []
        self.relay = Relay(
            Guard(HOOKS),
            "demo",
            lambda line: self.requests.send(line),
            lambda line: self.answers.put(json.loads(line)),
            lambda task: task(),
            note=self.notes.append,
            session_id="s",
        )
        self.forgotten: Queue[list[Any]] = Queue()
        endpoint = endpoint_of(f"http://127.0.0.1:{upstream.server_port}/mcp?key=1")
        self.requests = Requests(
            endpoint, headers or [], self.relay.from_server, self.forgotten.put, note=self.notes.append
        )

    def ask(self, line: bytes) -> Any:
        """Send a request; return the next message of the server."""
        self.send(line)
        return self.next()

    def send(self, line: bytes) -> None:
        self.relay.from_client(line)

    def next(self) -> Any:
        return self.answers.get(timeout=30)

    def begin(self) -> None:
        """Begin a session of this version."""
        assert self.ask(INITIALIZE)["id"] == 0
        self.send(INITIALIZED)


@pytest.fixture
def upstream() -> Iterator[Server]:
    server = Server()
    server.answer = by_method({})
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def line(upstream: Server) -> Iterator[Line]:
    line = Line(upstream)
    yield line
    line.requests.wait(5)
    line.requests.end_session()


def begun(handler: Upstream, session: str = "s1") -> None:
    answer = {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-11-25"}}
    handler.reply(json.dumps(answer).encode(), Mcp_Session_Id=session)


def by_method(answers: dict[str, Answer]) -> Answer:
    """Return an answer by the method of the message, or that of HTTP if there is no message."""
    known: dict[str, Answer] = {
        "initialize": begun,
        "notifications/initialized": lambda handler: handler.reply(b"", status=202),
        "GET": lambda handler: handler.reply(b"", status=405),
        "DELETE": lambda handler: handler.reply(b"", status=204),
        **answers,
    }

    def answer(handler: Upstream) -> None:
        body = handler.server.requests[-1][2]
        method = json.loads(body)["method"] if body else handler.command
        known.get(method, lambda handler: handler.reply(result(1)))(handler)

    return answer


def seen(upstream: Server, method: str) -> list[dict[str, str]]:
    """Return the headers of the requests with a method of the protocol or of HTTP, with names in lower case."""
    return [
        {name.lower(): value for name, value in headers.items()}
        for command, headers, body in list(upstream.requests)
        if (json.loads(body).get("method") if body else command) == method
    ]


def test_a_session_has_its_headers(upstream: Server) -> None:
    line = Line(upstream, [("Authorization", "Bearer t")])
    line.begin()
    assert line.ask(LIST)["id"] == 1
    (first,), (second,) = seen(upstream, "initialize"), seen(upstream, "tools/list")
    assert first["accept"] == second["accept"] == "application/json, text/event-stream"
    assert first["content-type"] == "application/json" and first["authorization"] == "Bearer t"
    assert "mcp-session-id" not in first and "mcp-protocol-version" not in first
    assert (second["mcp-session-id"], second["mcp-protocol-version"]) == ("s1", "2025-11-25")
    assert "mcp-method" not in second, "headers of a later version"
    line.requests.wait(5)
    line.requests.end_session()
    (end,) = seen(upstream, "DELETE")
    assert end["mcp-session-id"] == "s1" and end["authorization"] == "Bearer t"
    assert not line.notes


def test_messages_keep_their_bytes_and_their_order(upstream: Server, line: Line) -> None:
    odd = b'{ "jsonrpc" : "2.0", "id" :1, "method":"x/y", "params": {"b":1e3, "a":"\\u00fc"} }\n'
    line.ask(odd)
    for number in range(20):
        line.send(b'{"jsonrpc":"2.0","method":"notifications/n%d"}\n' % number)
    line.requests.wait(30)
    bodies = [body for _, _, body in upstream.requests]
    assert bodies[0] == odd
    assert [json.loads(body)["method"] for body in bodies[1:]] == [f"notifications/n{n}" for n in range(20)]


def test_the_end_of_listening_leaves_the_connection_to_the_messages_after_it(
    upstream: Server, line: Line
) -> None:
    listening: Queue[socket.socket] = Queue()
    used: Queue[socket.socket] = Queue()
    numbers: Queue[int] = Queue()
    go = Flag()

    def refuse(handler: Upstream) -> None:
        listening.put(handler.connection)
        handler.reply(b"", status=405)

    def wait(handler: Upstream) -> None:
        number = numbers.get()
        used.put(handler.connection)
        go.wait(30)
        handler.reply(result(number))

    def wait_for(count: int) -> set[socket.socket]:
        connections = set()
        for number in range(1, count + 1):
            numbers.put(number)
            line.send(b'{"jsonrpc":"2.0","method":"x/y","id":%d}\n' % number)
            connections.add(used.get(timeout=30))
        return connections

    upstream.answer = by_method({"GET": refuse, "x/y": wait})
    line.begin()
    first = listening.get(timeout=30)
    for count in range(2, 100):  # one more each time: those that were idle before it are used first
        if first in wait_for(count):
            break
        go.set()  # the connection was not idle yet
        assert all("result" in line.next() for _ in range(count))
        go.clear()
    else:
        pytest.fail("the connection is not used again")
    line.send(INITIALIZED)
    listening.get(timeout=30)
    go.set()
    assert all("result" in line.next() for _ in range(count))
    assert not line.notes


def test_hooks_refuse_calls_and_change_them_and_their_results(upstream: Server, line: Line) -> None:
    refused = line.ask(call("no") + b"\n")
    assert refused["result"]["isError"] is True and not upstream.requests
    line.ask(call("change") + b"\n")
    assert json.loads(upstream.requests[0][2])["params"]["arguments"] == {"a": "changed"}
    upstream.answer = lambda handler: handler.reply(
        b'{"jsonrpc":"2.0",\n "id":1,\r\n"result":{"content":[]}}'
    )
    assert line.ask(call("secret") + b"\n")["result"]["content"][0]["text"] == "redacted"
    upstream.answer = stream(b"event: message\ndata: " + result(1, "the secret") + b"\n\n")
    assert line.ask(call("secret") + b"\n")["result"]["content"][0]["text"] == "redacted"


def test_what_a_stream_has_in_addition_passes(upstream: Server, line: Line) -> None:
    progress = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}'
    upstream.answer = stream(
        b"id: 1\nretry: 10\ndata:\n\n",
        b": comment\n\n",
        b"event: other\ndata: no message\n\n",
        b"data: " + progress + b"\n\n",
        b'data: {"jsonrpc":"2.0",\ndata: "id":9,"method":"ping"}\n\n',
        b"data: " + result(1) + b"\n\n",
        b"data: " + progress + b"\n\n",
    )
    line.send(LIST)
    methods = [line.next().get("method") for _ in range(4)]
    assert methods == ["notifications/progress", "ping", None, "notifications/progress"]


def test_a_stream_that_is_cut_is_continued(upstream: Server, line: Line) -> None:
    upstream.answer = by_method(
        {
            "tools/call": stream(b"id: a\nretry: 10\ndata:\n\n"),
            "GET": stream(b"id: b\ndata: " + result(1, "the secret") + b"\n\n"),
        }
    )
    assert line.ask(call("secret") + b"\n")["result"]["content"][0]["text"] == "redacted"
    (again,) = seen(upstream, "GET")
    assert again["last-event-id"] == "a" and again["accept"] == "text/event-stream"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (hang_up, "RemoteDisconnected"),
        (lambda handler: handler.reply(b"", status=202), "202 Accepted"),
        (lambda handler: handler.reply(b"no", "text/plain", 401), "the server answered 401 Unauthorized"),
        (lambda handler: handler.reply(b'{"error":"x"}', status=403), "the server answered 403 Forbidden"),
        (lambda handler: handler.reply(b"not JSON"), "a message is not JSON"),
        (lambda handler: handler.reply(result(7)), "without an answer to this request"),
        (lambda handler: handler.reply(b"", status=307, Location="http://b.example/"), "http://b.example/"),
        (lambda handler: handler.reply(b"\x1f", Content_Encoding="gzip"), "compressed"),
        (stream(b": nothing\n\n"), "the stream has ended without an answer"),
        (stream(b"data: a\rdata: b\n\n"), "CR alone"),
    ],
)
def test_what_is_no_answer_is_an_error_with_the_reason(
    upstream: Server, line: Line, answer: Answer, text: str
) -> None:
    upstream.answer = answer
    error = line.ask(call("other") + b"\n")
    assert error["id"] == 1 and error["error"]["code"] == -32603
    assert (
        error["error"]["message"].startswith("sandhook: tools/call: ") and text in error["error"]["message"]
    )
    upstream.answer = lambda handler: handler.reply(result(1))
    assert "result" in line.ask(call("other") + b"\n"), "the id can be used again"
    assert len(line.notes) == 1


CHALLENGE = 'Bearer error="invalid_token", resource_metadata="https://b.example/.well-known/oauth"'


def denied(status: int, body: bytes = b'{"error":"invalid_token"}', challenge: str = CHALLENGE) -> Answer:
    return lambda handler: handler.reply(body, status=status, WWW_Authenticate=challenge)


@pytest.mark.parametrize("body", [b'{"error":"invalid_token"}', b"", b"<html>", b"[]"])
def test_a_server_that_wants_a_token_is_an_error_with_what_to_do(
    upstream: Server, line: Line, body: bytes
) -> None:
    upstream.answer = denied(401, body)
    error = line.ask(INITIALIZE)["error"]
    assert error["message"] == (
        f"sandhook: initialize: the server answered 401 Unauthorized ({CHALLENGE}): wanted a token, by --header"
        " 'Authorization: Bearer ${VARIABLE}'; this proxy does not sign in"
    )
    assert line.notes == [error["message"].removeprefix("sandhook: ")]
    assert line.answers.empty() and [command for command, _, _ in upstream.requests] == ["POST"]


@pytest.mark.parametrize(
    ("status", "challenge"), [(401, CHALLENGE), (403, 'Bearer error="insufficient_scope", scope="write"')]
)
def test_a_token_that_is_not_accepted_is_not_asked_for_again(
    upstream: Server, status: int, challenge: str
) -> None:
    line = Line(upstream, [("authorization", "Bearer old")])
    upstream.answer = denied(status, challenge=challenge)
    message = line.ask(LIST)["error"]["message"]
    assert f"({challenge}): it does not accept the Authorization of --header; wanted a valid one" in message
    assert "old" not in message


def test_a_challenge_is_printed_within_bounds(upstream: Server, line: Line) -> None:
    upstream.answer = denied(401, challenge="Bearer \x1b[2J\xe9" + "x" * 5000)
    message = line.ask(LIST)["error"]["message"]
    assert "(Bearer ?[2J?xxx" in message and "xxx...)" in message and len(message) < 600


def test_a_notification_that_is_not_authorized_is_noted(upstream: Server, line: Line) -> None:
    upstream.answer = by_method({"notifications/initialized": denied(401)})
    line.begin()
    line.requests.wait(5)
    (note,) = line.notes
    assert note.startswith(
        "notifications/initialized: the server did not accept it: 401 Unauthorized (Bearer "
    )


def test_an_error_of_the_protocol_about_a_token_is_passed_and_noted(upstream: Server, line: Line) -> None:
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Unauthorized"}}'
    upstream.answer = denied(401, body)
    assert line.ask(LIST) == {**json.loads(body), "id": 1}
    (note,) = line.notes
    assert note.startswith("tools/list: the server answered 401 Unauthorized (Bearer ")


def test_a_server_behind_a_proxy_of_the_network_is_an_error_that_names_the_variable(
    upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://user:secret@10.0.0.1:3128")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        line = Line(upstream)
        line.requests = Requests(
            endpoint_of(f"http://127.0.0.1:{port}/"), [], line.relay.from_server, line.forgotten.put,
            note=line.notes.append,
        )  # fmt: skip
        message = line.ask(LIST)["error"]["message"]
        assert message.endswith("; the proxy of HTTP_PROXY is not used, this command connects directly")
        assert "secret" not in message
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        assert "HTTP_PROXY" not in line.ask(LIST)["error"]["message"]


def test_an_error_of_the_server_keeps_its_code(upstream: Server, line: Line) -> None:
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"headers"}}'
    upstream.answer = lambda handler: handler.reply(body, status=400)
    assert line.ask(call("other") + b"\n") == {**json.loads(body), "id": 1}


def test_a_server_that_cannot_be_reached_is_an_error(upstream: Server) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        line = Line(upstream)
        endpoint = endpoint_of(f"http://127.0.0.1:{free.getsockname()[1]}/")
        line.requests = Requests(
            endpoint, [], line.relay.from_server, line.forgotten.put, note=line.notes.append
        )
        assert "127.0.0.1 could not be asked: " in line.ask(LIST)["error"]["message"]


def test_a_session_that_has_ended_begins_again(upstream: Server, line: Line) -> None:
    line.begin()
    ended = Flag()

    def listed(handler: Upstream) -> None:
        if handler.headers["Mcp-Session-Id"] == "s1":
            ended.set()
            handler.reply(b"", status=404)
        else:
            handler.reply(result(1))

    upstream.answer = by_method({"tools/list": listed, "initialize": lambda handler: begun(handler, "s2")})
    assert "result" in line.ask(LIST)
    assert ended.is_set() and line.notes == ["the server had ended the session: another one has begun"]
    assert [each.get("mcp-session-id") for each in seen(upstream, "tools/list")] == ["s1", "s2"]
    assert line.answers.empty(), "the client sees nothing of the second beginning"
    assert seen(upstream, "notifications/initialized")[-1]["mcp-session-id"] == "s2"


def test_a_session_that_does_not_begin_again_is_an_error(upstream: Server, line: Line) -> None:
    line.begin()

    def gone(handler: Upstream) -> None:
        handler.reply(b"", status=404)

    upstream.answer = by_method({"tools/list": gone, "initialize": gone})
    assert "404" in line.ask(LIST)["error"]["message"]


def test_messages_outside_of_requests_pass(upstream: Server, line: Line) -> None:
    changed = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
    hold = Flag()

    def listening(handler: Upstream) -> None:
        stream(b"id: 5\nretry: 10\ndata: " + changed + b"\n\n")(handler)
        if handler.headers["Last-Event-ID"]:
            hold.wait(30)

    upstream.answer = by_method({"GET": listening})
    line.begin()
    assert [line.next()["method"] for _ in range(2)] == ["notifications/tools/list_changed"] * 2
    first, second = seen(upstream, "GET")[:2]
    assert (first["mcp-session-id"], first.get("last-event-id"), second["last-event-id"]) == ("s1", None, "5")
    hold.set()


def modern(method: str, identity: int | None = 1, **params: object) -> bytes:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    message = {"jsonrpc": "2.0", "method": method, "params": {"_meta": meta, **params}}
    return json.dumps(message if identity is None else {**message, "id": identity}).encode() + b"\n"


def test_headers_repeat_messages_of_2026(upstream: Server, line: Line) -> None:
    nested = {"type": "object", "properties": {"c": {"type": "integer", "x-mcp-header": "C"}}}
    properties = {"a": {"type": "string", "x-mcp-header": "Letter"}, "b": nested}
    schema = {"type": "object", "properties": properties}
    tools = [{"name": name, "inputSchema": schema} for name in ("change", "ü")]
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}).encode()
    upstream.answer = by_method({"tools/list": lambda handler: handler.reply(body)})
    line.ask(modern("tools/list"))
    line.ask(modern("tools/call", name="change", arguments={"a": "first"}))
    line.ask(modern("tools/call", name="ü", arguments={"a": " x", "b": {"c": 5}}))
    line.ask(modern("resources/read", uri="file:///a"))
    (listed,), (resource,) = seen(upstream, "tools/list"), seen(upstream, "resources/read")
    changed, encoded = seen(upstream, "tools/call")
    assert (listed["mcp-method"], listed["mcp-protocol-version"]) == ("tools/list", "2026-07-28")
    assert (changed["mcp-name"], changed["mcp-param-letter"]) == ("change", "changed")
    assert (encoded["mcp-name"], encoded["mcp-param-letter"]) == ("=?base64?w7w=?=", "=?base64?IHg=?=")
    assert encoded["mcp-param-c"] == "5" and "mcp-param-c" not in changed
    assert resource["mcp-name"] == "file:///a"


def test_a_cancellation_of_2026_ends_the_stream(upstream: Server, line: Line) -> None:
    asked, left = Flag(), Flag()

    def answer(handler: Upstream) -> None:
        stream(b": hi\n\n")(handler)
        asked.set()
        if has_left(handler):
            left.set()

    upstream.answer = answer
    line.send(modern("tools/call", name="other", arguments={}))
    assert asked.wait(30)
    line.send(modern("notifications/cancelled", None, requestId=1))
    assert left.wait(30) and line.forgotten.get(timeout=30) == [1]
    assert line.answers.empty() and not seen(upstream, "notifications/cancelled")
    upstream.answer = lambda handler: handler.reply(b"", status=202)
    line.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n')
    line.requests.wait(30)
    assert seen(upstream, "notifications/cancelled"), "one of earlier versions is a message"


def test_too_many_requests_are_errors(upstream: Server, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandhook.bridges.mcp.http_client.MOST", 1)
    free = Flag()

    def answer(handler: Upstream) -> None:
        free.wait(30)
        handler.reply(result(1))

    upstream.answer = answer
    line.send(call("other", 1) + b"\n")
    error = line.ask(call("other", 2) + b"\n")
    assert error["id"] == 2 and "1 requests have no answer yet" in error["error"]["message"]
    free.set()
    assert line.next()["id"] == 1


def test_a_notification_that_is_not_accepted_is_noted(upstream: Server, line: Line) -> None:
    upstream.answer = lambda handler: handler.reply(b"", status=500)
    line.send(b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}\n')
    line.requests.wait(30)
    assert line.notes == [
        "notifications/roots/list_changed: the server did not accept it: 500 Internal Server Error"
    ]


def start(tmp_path: Path, *words: str) -> subprocess.Popen[bytes]:
    (tmp_path / "hooks.json").write_text(json.dumps(HOOKS))
    options = ["--hooks", "hooks.json", "--contract", "claude_code", "--name", "demo"]
    return subprocess.Popen(
        [sys.executable, "-m", "sandhook", "mcp-proxy", *options, *words],
        cwd=tmp_path,
        env={**os.environ, "TOKEN": "t0ken"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_the_command_answers_what_was_sent_before_the_end(tmp_path: Path, upstream: Server) -> None:
    url = f"http://127.0.0.1:{upstream.server_port}/mcp"
    process = start(tmp_path, "--header", "Authorization: Bearer ${TOKEN}", url)
    calls = INITIALIZE + INITIALIZED + call("no", 2) + b"\n" + call("other", 1) + b"\n"
    output, errors = process.communicate(calls, timeout=60)
    assert process.returncode == 0, errors
    assert {json.loads(line)["id"] for line in output.splitlines()} == {0, 1, 2} and b"not this" in output
    (asked,) = seen(upstream, "tools/call")
    assert (asked["authorization"], asked["mcp-session-id"]) == ("Bearer t0ken", "s1")
    assert len(seen(upstream, "DELETE")) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM for a process")
def test_a_signal_ends_the_session(tmp_path: Path, upstream: Server) -> None:
    process = start(tmp_path, f"http://127.0.0.1:{upstream.server_port}/mcp")
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(INITIALIZE)
    process.stdin.flush()
    assert process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM and len(seen(upstream, "DELETE")) == 1

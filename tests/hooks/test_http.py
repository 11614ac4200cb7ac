"""The executor of http hooks: what it calls, what it refuses, and a real server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread
from typing import Any

import pytest

from sandhook.hooks import HookEngine, RunResult, ToolPre
from sandhook.hooks.http import Call, HttpRunner, Reply, UrlRefused, fill, is_public, parse

PUBLIC = "93.184.215.14"


class Sent:
    """Answers calls and remembers them."""

    def __init__(self, reply: Reply | Exception = Reply(200)) -> None:
        self.reply = reply
        self.calls: list[Call] = []

    def __call__(self, call: Call) -> Reply:
        self.calls.append(call)
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


def fire(
    url: str,
    allow: Sequence[str] = ("https://a.example/*",),
    *,
    found: Sequence[str] = (PUBLIC,),
    sent: Sent | None = None,
    env: dict[str, str] | None = None,
    **fields: Any,
) -> RunResult:
    hook = {"type": "http", "url": url, **fields}
    runner = HttpRunner(allow, resolve=lambda host, port: found, send=sent or Sent())
    engine = HookEngine.load(
        {"hooks": {"PreToolUse": [{"hooks": [hook]}]}},
        "claude_code",
        executors={"http": runner},
        env=env or {},
    )
    ran = engine.fire(ToolPre("Bash", {"command": "ls"})).outcomes[0].run
    assert ran is not None
    return ran


def test_a_payload_is_posted_to_the_address_that_was_looked_at() -> None:
    sent = Sent(Reply(200, b'{"decision":"block"}'))
    ran = fire(
        "https://A.example/x?y=1",
        sent=sent,
        headers={"Authorization": "Bearer $TOKEN", "X": "${SECRET}-"},
        allowedEnvVars=["TOKEN"],
        env={"TOKEN": "t", "SECRET": "s"},
        timeout=7,
    )
    call = sent.calls[0]
    assert (ran.exit_status, ran.stdout) == (0, b'{"decision":"block"}')
    assert (tuple(call.url), call.address) == (("https", "a.example", 443, "/x?y=1"), PUBLIC)
    assert 0 < call.seconds <= 7, "what the resolver left of the time"
    assert call.headers == {"Content-Type": "application/json", "Authorization": "Bearer t", "X": "-"}
    assert b'"tool_name":"Bash"' in call.body


@pytest.mark.parametrize(
    ("url", "allow", "fine"),
    [
        ("https://a.example/x", "https://a.example/*", True),
        ("https://a.example./x", "https://a.example/*", True),
        ("https://a.example:443/x", "https://a.example/*", True),
        ("https://b.a.example/x", "https://*.a.example/*", True),
        ("http://a.example:8080/x/y", "http://a.example:8080/x/*", True),
        ("https://a.example", "https://a.example/", True),
        ("http://a.example/x", "https://a.example/*", False),
        ("https://a.example:8443/x", "https://a.example/*", False),
        ("https://a.example/y", "https://a.example/x", False),
        ("https://a.example.evil.org/", "https://a.example/*", False),
        ("https://evil.org/a.example/", "https://*.a.example/*", False),
        ("https://a.example/", "https://*.a.example/*", False),
        ("https://evila.example/", "https://*.a.example/*", False),
        ("https://a.example@evil.org/", "https://a.example/*", False),
        ("https://evil.org\\@a.example/", "https://a.example/*", False),
        ("https://a.example/x/../../y", "https://a.example/x/*", False),
        ("https://a.example/x/%2e%2E/y", "https://a.example/x/*", False),
        ("https://a.example/x/..%2fy", "https://a.example/x/*", False),
        ("https://a.example?x", "https://a.example/*", False),
        ("file:///etc/passwd", "https://a.example/*", False),
        ("https://a.example/\r\nX: y", "https://a.example/*", False),
        ("https://ä.example/", "https://a.example/*", False),
        ("https:///x", "https://a.example/*", False),
        ("https://a.example:x/", "https://a.example/*", False),
        ("https://a.example:99999/", "https://a.example/*", False),
    ],
)
def test_only_what_is_on_the_list_is_called(url: str, allow: str, fine: bool) -> None:
    sent = Sent()
    ran = fire(url, [allow], sent=sent)
    assert (ran.exit_status == 0, bool(sent.calls)) == (fine, fine)
    assert fine or ran.failure


@pytest.mark.parametrize(
    "pattern", ["*", "a.example/*", "https://*/x", "https://a.*.example/", "https://a*/"]
)
def test_a_pattern_without_a_host_is_an_error(pattern: str) -> None:
    with pytest.raises(ValueError, match="allow: "):
        HttpRunner([pattern])


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0", "100.64.0.1"),
        *("224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fd00::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1", "x"),
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)
    sent = Sent()
    assert "not public" in str(fire("https://a.example/", found=[PUBLIC, address], sent=sent).failure)
    assert sent.calls == []


def test_public_addresses() -> None:
    assert is_public(PUBLIC) and is_public("2606:2800:21f:cb07:6820:80da:af6b:8b2c")


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (Reply(302), "redirects are not followed"),
        (Reply(404), "HTTP status 404"),
        (Reply(500, b'{"decision":"block"}'), "HTTP status 500"),
        (OSError("no route"), "no route"),
    ],
)
def test_what_is_no_answer_could_not_run(reply: Reply | Exception, failure: str) -> None:
    ran = fire("https://a.example/", sent=Sent(reply))
    assert failure in str(ran.failure) and ran.could_not_run is not None


def test_a_timeout_and_a_long_answer() -> None:
    assert fire("https://a.example/", sent=Sent(TimeoutError())).timed_out
    assert fire("https://a.example/", sent=Sent(Reply(200, b"x", True))).could_not_run == "output was cut"


@pytest.mark.parametrize(
    "headers",
    [{"Host": "x"}, {"content-length": "1"}, {"A b": "x"}, {"A": "x\r\nB: y"}, {"A": "$V"}, {"A": "é"}],
)
def test_headers_that_would_break_the_request(headers: dict[str, str]) -> None:
    with pytest.raises(UrlRefused, match="the header"):
        fill(headers, {"V": "a\nb"})


def test_a_header_goes_over_the_usual_one() -> None:
    assert fill({"content-type": "x/y", "A": "${B}$C"}, {"B": "b"}) == {"content-type": "x/y", "A": "b"}
    assert parse("https://[2606:2800::1]:8/x").host == "2606:2800::1"


class Server(BaseHTTPRequestHandler):
    """Returns the request; some paths misbehave."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "/here")
            self.end_headers()
            return
        if self.path == "/slow":
            self.server.slept.wait(10)  # type: ignore[attr-defined]
        answer = b"x" * 5000 if self.path == "/long" else body + self.headers["Host"].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        try:
            self.end_headers()
            self.wfile.write(answer)
        except OSError:  # the client had enough
            return

    def log_message(self, *args: Any) -> None:
        return


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    from threading import Event

    server = HTTPServer(("127.0.0.1", 0), Server)
    server.slept = Event()  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.slept.set()  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()
    thread.join(10)


def test_with_a_server(port: int) -> None:
    runner = HttpRunner(
        [f"http://a.example:{port}/*"], private=True, max_bytes=4000, resolve=lambda host, port: ["127.0.0.1"]
    )

    def ask(path: str, timeout: float = 5) -> RunResult:
        hook = {"type": "http", "url": f"http://a.example:{port}{path}", "timeout": timeout}
        engine = HookEngine.load(
            {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}, "claude_code", executors={"http": runner}
        )
        ran = engine.fire(ToolPre("Bash", {"command": "ls"})).outcomes[0].run
        assert ran is not None
        return ran

    echoed = ask("/here")
    assert (echoed.failure, echoed.exit_status) == (None, 0)
    assert echoed.stdout.startswith(b'{"session_id"') and echoed.stdout.endswith(f"a.example:{port}".encode())
    assert "redirects are not followed" in str(ask("/away").failure)
    assert (len(ask("/long").stdout), ask("/long").truncated) == (4000, True)
    assert ask("/slow", 0.2).timed_out


def test_a_closed_port_could_not_run() -> None:
    from socket import socket

    with socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    runner = HttpRunner(
        [f"http://a.example:{number}/"], private=True, resolve=lambda host, port: ["127.0.0.1"]
    )
    hook = {"type": "http", "url": f"http://a.example:{number}/"}
    engine = HookEngine.load(
        {"hooks": {"PreToolUse": [{"hooks": [hook]}]}},
        "claude_code",
        executors={"http": runner},
        fail_closed=True,
    )
    decision = engine.fire(ToolPre("Bash", {}))
    assert decision.refused and "cannot reach" in str(decision.outcomes[0].could_not_run)


def test_a_resolver_that_hangs_costs_the_hook_its_time_and_no_more() -> None:
    hang = Event()

    def later(host: str, port: int) -> Sequence[str]:
        hang.wait(30)
        return [PUBLIC]

    runner = HttpRunner(["https://a.example/*"], resolve=later, send=Sent())
    config = {
        "hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "https://a.example/x", "timeout": 0.1}]}]}
    }
    engine = HookEngine.load(config, "claude_code", executors={"http": runner})
    ran = engine.fire(ToolPre("Bash", {"command": "ls"})).outcomes[0].run
    hang.set()
    assert ran is not None and ran.limit == "wall_seconds"

"""curl and wget against a server of the test's own; with --oracle the real programs ask it the same."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from sandhook import Limits, Network, Shell
from sandhook.net.connection import ProtocolError
from sandhook.net.url import parse
from sandhook.vfs.path import VirtualPath

SHOWN = ("accept", "authorization", "content-type", "cookie", "range", "referer", "user-agent", "x-a", "x-b")
FILES = {"data.txt": "one\ntwo\n", "body.json": '{"a": 1}\n', "up.bin": b"\0\xff".decode("latin-1")}


class Server(BaseHTTPRequestHandler):
    """Answers with what it was asked; the path says in what way."""

    protocol_version = "HTTP/1.1"
    other = 0  # another server's port

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        path = self.path.partition("?")[0]
        what, _, rest = path[1:].partition("/")
        if what == "status":
            self.reply(int(rest), b"status\n")
        elif what == "to":
            self.reply(int(rest), b"", ("Location", "/echo?moved"))
        elif what == "loop":
            self.reply(302, b"", ("Location", "/loop"))
        elif what == "away":
            self.reply(302, b"", ("Location", f"http://127.0.0.1:{Server.other}/echo"))
        elif what == "inside":
            self.reply(302, b"", ("Location", "http://169.254.169.254/latest/"))
        elif what == "file":
            self.reply(302, b"", ("Location", "file:///etc/passwd"))
        elif what == "cookie":
            self.reply(
                200, b"set\n", ("Set-Cookie", "k=v; Path=/"), ("Set-Cookie", "evil=1; Domain=example.com")
            )
        elif what == "gzip":
            self.reply(200, gzip.compress(b"packed\n"), ("Content-Encoding", "gzip"))
        elif what == "bomb":
            self.reply(200, gzip.compress(b"\0" * 30_000_000), ("Content-Encoding", "gzip"))
        elif what == "long":
            self.reply(200, b"x" * 100_000)
        elif what == "slow":
            self.server.hang.wait(20)  # type: ignore[attr-defined]
        elif what == "empty":
            self.close_connection = True
        elif what == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"half")
            self.close_connection = True
        elif what == "flaky":
            self.server.tries += 1  # type: ignore[attr-defined]
            self.reply(200 if self.server.tries > 2 else 503, b"at last\n")  # type: ignore[attr-defined]
        elif what == "later":
            self.server.tries += 1  # type: ignore[attr-defined]
            status, _, when = rest.partition("/")
            status = "200" if self.server.tries > 1 else status  # type: ignore[attr-defined]
            self.reply(int(status), b"later\n", ("Retry-After", when.replace("_", " ")))
        elif what == "name.txt":
            self.reply(200, b"named\n", ("Content-Type", "text/plain"))
        else:
            shown = "".join(f"{n}: {self.headers[n]}\n" for n in SHOWN if n in self.headers)
            self.reply(
                200,
                f"{self.command} {self.path}\n{shown}".encode() + b"\n" + body,
                ("Content-Type", "text/x-echo"),
            )

    def reply(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do_PATCH = answer

    def log_message(self, *_: object) -> None:
        pass


def serve() -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    server.hang = Event()  # type: ignore[attr-defined]
    server.tries = 0  # type: ignore[attr-defined]
    Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[ThreadingHTTPServer, ThreadingHTTPServer]]:
    made = serve(), serve()
    Server.other = made[1].server_port
    yield made
    for server in made:
        server.hang.set()  # type: ignore[attr-defined]
        server.shutdown()
        server.server_close()


@pytest.fixture
def port(servers) -> int:
    servers[0].tries = 0
    return int(servers[0].server_port)


def run(port: int, script: str, *, allow: tuple[str, ...] = (), **named: object) -> tuple[int, str, str]:
    """Run a script in which @ is the server, which is allowed, with those of ``allow``."""
    network = Network([f"http://127.0.0.1:{port}", *allow], **named)  # type: ignore[arg-type]
    shell = Shell(files=FILES, network=network, limits=Limits(output_bytes=1 << 20, wall_seconds=20))
    result = shell.run(script.replace("@", f"http://127.0.0.1:{port}").replace("{at}", "@"))
    return result.exit_status, result.stdout, result.stderr


@pytest.mark.parametrize(
    "script",
    [
        "curl -s @/echo",
        "curl -s @",
        "curl -s '@/echo?a=1&b=2#frag'",
        "curl -s -d a=1 -d b=2 @/echo",
        "curl -s -d {at}data.txt @/echo",
        "curl -s --data-binary {at}data.txt @/echo",
        "curl -s --data-raw {at}data.txt @/echo",
        "curl -s --data-urlencode 'q=a b&c/ü' --data-urlencode 'x{at}data.txt' --data-urlencode '=p q' @/echo",
        "curl -s -G -d a=1 --data-urlencode 'b=x y' @/echo",
        "curl -s -G -d a=1 '@/echo?z=0'",
        "curl -s --json '{\"a\":1}' @/echo",
        "curl -s --json {at}body.json @/echo",
        "curl -s -X DELETE @/echo",
        "curl -s -XPATCH -d x @/echo",
        "curl -s -H 'X-A: 1' -H 'X-B:2' -H 'Accept:' -H 'User-Agent: me' @/echo",
        "curl -s -H 'X-A;' @/echo",
        "curl -s -u name:pass @/echo",
        "curl -s -A agent -e http://ref/ -r 0-4 @/echo",
        "curl -s --oauth2-bearer tok @/echo",
        "curl -s -T data.txt @/echo",
        "echo in | curl -s -d {at}- @/echo",
        "curl -s -b 'a=1; b=2' @/echo",
        "curl -s -L @/to/302",
        "curl -s -L -d x @/to/301",
        "curl -s -L -d x @/to/307",
        "curl -s -L -d x @/to/303",
        "curl -s -L -X POST -d x @/to/302",
        "curl -s -L --post302 -d x @/to/302",
        "curl -s @/to/302 -w '%{http_code} %{redirect_url} %{num_redirects}\\n'",
        "curl -s -L @/to/302 -o /dev/null -w '%{http_code} %{url_effective} %{num_redirects} %{content_type} %{size_download}%%\\n'",
        "curl -s -f @/status/404; echo $?",
        "curl -s --fail-with-body @/status/500; echo $?",
        "curl -s @/status/404; echo $?",
        "curl -s --max-redirs 3 -L @/loop; echo $?",
        "curl -s -o out @/echo; cat out",
        "curl -s -O @/name.txt; cat name.txt",
        "curl -s --create-dirs -o d/e/out @/echo; cat d/e/out",
        "curl -s -o one -o two @/status/200 @/name.txt; cat one two",
        "curl -s @/status/200 @/name.txt",
        "curl -s --compressed @/gzip",
        "curl -s -c jar -b '' @/cookie; curl -s -b jar @/echo; grep -c k jar",
        "curl -s --max-filesize 10 @/long; echo $?",
        "curl -s @/cut; echo $?",
        "curl -s @/empty; echo $?",
        "curl -s -m 0.3 @/slow; echo $?",
        "curl -s http://127.0.0.1:1/; echo $?",
        "curl -s foo://x/; echo $?",
        "curl -s http://; echo $?",
        "curl -s -o /no/such/dir/file @/echo; echo $?",
        "curl -s -I @/status/200 | head -n 1",
        "curl -s -i @/status/204 | head -n 1",
        "curl -s -D heads -o /dev/null @/status/201; head -n 1 heads",
        "curl -sS -w '%{exitcode} %{errormsg}\\n' -f @/status/418 2>/dev/null; echo $?",
        "curl -s -w '{\"code\":%{http_code},\"t\":\"%{content_type}\"}' -o /dev/null @/echo",
        "curl -s @/echo -o /dev/null",
        "curl --retry 3 --retry-delay 1 -s -f @/flaky",
        "curl --retry 3 --retry-delay 2 --retry-max-time 3 -s -f @/flaky",
        "curl --retry 3 --retry-delay 2 --retry-max-time 1 -s -f @/flaky; echo $?",
        "curl --retry 3 --retry-delay 1 --retry-max-time 0 -s -f @/flaky",
        "curl --retry 2 -s -f @/later/503/2 2>&1",
        "curl --retry 2 --retry-delay 3 -s -f @/later/429/1 2>&1",
        "curl --retry 2 --retry-max-time 1 -f @/later/503/2 2>&1 | grep -c Retry-After",
        "curl --retry 2 --retry-max-time 1 -s @/later/503/2; echo $?",
        "curl --retry 2 --retry-all-errors -s @/later/404/1; echo $?",
        "curl --retry 2 --retry-all-errors -s -f @/later/404/9; echo $?",
        "wget -q -O - @/echo | grep -v Accept",
        "wget -q @/name.txt; cat name.txt",
        "wget -q -O out @/echo; grep GET out",
        "wget -q --header='X-A: 1' -O - @/echo | grep x-a",
        "wget -q --post-data='a=1' -O - @/echo | grep -v accept",
        "wget -q --post-file=data.txt -O - @/echo | tail -n 2",
        "wget -q --method=DELETE -O - @/echo | head -n 1",
        "wget -q --spider @/name.txt; echo $?",
        "wget -q --spider @/status/404; echo $?",
        "wget -q -O - @/status/404; echo $?",
        "wget -q -O - @/to/302 | head -n 1",
        "wget -q -t 1 -O - http://127.0.0.1:1/; echo $?",
        "wget -q -t 1 -T 0.5 -O - @/slow; echo $?",
        "wget -q -U me -O - @/echo | grep agent",
        "wget -q -P dir @/name.txt; cat dir/name.txt",
        "wget -q @/name.txt; wget -q @/name.txt; ls name*",
        "wget -nv -q -nc @/name.txt; wget -q -nc @/name.txt; ls name*",
        "wget -q @/a @/name.txt -O -",
    ],
)  # fmt: skip
def test_as_the_real_programs(port, servers, oracle, tmp_path, script):
    status, out, _ = run(port, script)
    if oracle:
        for name in ("curl", "wget"):
            assert shutil.which(name), f"--oracle: {name} is not installed"
        for name, content in FILES.items():
            (tmp_path / name).write_text(content)
        servers[0].tries = 0
        real = ask_host(port, script, tmp_path)
        assert (status, without_version(out)) == (real[0], without_version(real[1]))
    assert status == 0


@pytest.mark.parametrize(
    ("when", "options", "seconds"),
    [
        ("5", "", 5),
        ("2.5", "", 2),
        ("5", "--retry-delay 1", 5),
        ("1", "--retry-delay 7", 1),
        ("0", "--retry-delay 3", 3),
        ("soon", "", 1),
        ("-4", "", 1),
        ("Sat,_01_Jan_2000_00:00:00_GMT", "", 1),
    ],
)
def test_curl_waits_as_the_server_asks(servers, when, options, seconds):
    """The waits are those of curl 7.88, which hangs at a date in the past."""
    servers[0].tries = 0
    port = servers[0].server_address[1]
    network = Network([f"http://127.0.0.1:{port}"])
    script = f"curl --retry 2 {options} http://127.0.0.1:{port}/later/503/{when} 2>&1 >/dev/null | grep -o 'in [0-9.]* s'"
    assert Shell(network=network).run(script).stdout == f"in {seconds} s\n"


def test_a_wait_that_the_server_asks_for_ends_with_the_run(servers):
    servers[0].tries = 0
    port = servers[0].server_address[1]
    shell = Shell(network=Network([f"http://127.0.0.1:{port}"]), limits=Limits(wall_seconds=1.0))
    assert shell.run(f"curl --retry 2 -s http://127.0.0.1:{port}/later/503/99999999999999999").limit


def ask_host(port: int, script: str, where: Path) -> tuple[int, str]:
    text = script.replace("@", f"http://127.0.0.1:{port}").replace("{at}", "@")
    done = subprocess.run(
        ["bash", "-c", text],
        cwd=where,
        capture_output=True,
        timeout=60,
        env={"PATH": "/usr/bin:/bin", "HOME": str(where)},
    )
    return done.returncode, done.stdout.decode()


def without_version(text: str) -> str:
    return re.sub(r"(curl|Wget)/[0-9.]+", r"\1/N", text)


def test_what_is_not_listed_is_not_reached(port):
    for url in ("http://127.0.0.1:1/", f"https://127.0.0.1:{port}/", "http://example.com/"):
        status, out, err = run(port, f"curl -sS {url}")
        assert (status, out) == (7, "")
        assert "is not on the list of URLs that may be called" in err
    assert run(port, "wget -q -O - http://example.com/; echo $?")[1] == "4\n"


def test_redirects_are_looked_at_anew(port, servers):
    for where in ("away", "inside"):
        status, out, err = run(port, f"curl -sS -L @/{where}")
        assert (status, out, "not on the list" in err) == (7, "", True)
    assert run(port, "curl -sS -L @/file")[0] == 3
    other = servers[1].server_port
    status, out, _ = run(
        port, "curl -sS -L -u me:secret -H 'X-A: 1' -b c=1 @/away", allow=(f"http://127.0.0.1:{other}",)
    )
    assert status == 0
    assert "authorization" not in out and "cookie" not in out and "x-a: 1" in out


def test_credentials_are_added_and_not_shown(port, servers):
    other = servers[1].server_port
    secret = {f"http://127.0.0.1:{port}": {"Authorization": "Bearer hidden"}}
    allow = (f"http://127.0.0.1:{other}",)
    assert "authorization: Bearer hidden" in run(port, "curl -s @/echo", credentials=secret)[1]
    assert "authorization: Bearer hidden" in run(port, "curl -s -u a:b @/echo", credentials=secret)[1]
    assert "hidden" not in "".join(
        map(str, run(port, "curl -v -i -o /dev/null @/status/200", credentials=secret))
    )
    assert "hidden" not in run(port, "curl -s -L @/away", credentials=secret, allow=allow)[1]


@pytest.mark.parametrize(
    "found", [["10.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["::ffff:169.254.169.254"], ["fd00::1"]]
)
def test_names_that_lead_inside_are_refused(found):
    network = Network(["http://a.example"], resolve=lambda host, port: found)
    result = Shell(network=network).run("curl -sS http://a.example/")
    assert (result.exit_status, "which is not public" in result.stderr) == (7, True)


def test_the_checked_address_is_the_one_that_is_called(port):
    asked = []

    def resolve(host: str, number: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    network = Network([f"http://a.example:{port}"], private=True, resolve=resolve)
    result = Shell(network=network).run(f"curl -s http://a.example:{port}/echo -w '%{{remote_ip}}'")
    assert result.stdout.endswith("127.0.0.1") and asked == ["a.example"]


def test_an_unknown_host(port):
    def resolve(host: str, number: int) -> list[str]:
        raise OSError("unknown")

    network = Network(["http://a.example"], resolve=resolve)
    result = Shell(network=network).run("curl -sS http://a.example/")
    assert (result.exit_status, result.stderr) == (6, "curl: (6) Could not resolve host: a.example\n")


def test_without_a_network_it_is_off():
    result = Shell().run("curl -sS http://example.com/")
    assert (result.exit_status, result.stderr) == (
        6, "curl: (6) Could not resolve host: example.com (the network is off in this sandbox)\n",
    )  # fmt: skip
    assert Shell().run("wget -q http://example.com/ || echo $?").stdout == "4\n"
    assert Shell().run("type curl wget").exit_status == 0


@pytest.mark.parametrize(
    "option",
    [
        "-k",
        "--insecure",
        "-x http://p",
        "--proxy p",
        "--unix-socket s",
        "--resolve a:1:b",
        "--connect-to x",
        "-n",
        "--cacert f",
    ],
)
def test_what_leads_around_the_checks_is_refused_by_name(port, option):
    status, out, err = run(port, f"curl {option} @/echo")
    assert (status, out) == (2, "")
    assert "is not supported here (L-CURL-001)" in err
    assert run(port, "wget --no-check-certificate @/echo")[0] == 2


@pytest.mark.parametrize(
    "options", ["--nope", "-d", "-H 'Content-Length: 5' @/", "-m x @/", "-F a @/", "--ma 1 @/"]
)
def test_wrong_options(port, options):
    assert run(port, f"curl {options}")[0] == 2


@pytest.mark.parametrize(
    "url", ["http://user{at}pw{at}127.0.0.1:1/", "'http://a b/'", "http://a\\\\b/", "http://127.0.0.1:99999/"]
)
def test_urls_that_are_none(port, url):
    assert run(port, f"curl -s {url}")[0] == 3


def test_caps_of_bytes_and_time(port):
    status, out, err = run(port, "curl -sS @/long", max_bytes=5000)
    assert (status, "Maximum file size exceeded" in err, len(out) < 80_000) == (63, True, True)
    assert run(port, "curl -sS --compressed @/bomb -o f", max_bytes=100_000)[0] == 63
    began = time.monotonic()
    assert run(port, "curl -sS @/slow", max_seconds=0.3)[0] == 28
    assert time.monotonic() - began < 3


def test_a_slow_server_ends_with_the_run(port):
    network = Network([f"http://127.0.0.1:{port}"])
    began = time.monotonic()
    result = Shell(network=network, limits=Limits(wall_seconds=0.5)).run(
        f"curl -s http://127.0.0.1:{port}/slow; echo on"
    )
    assert (result.limit, result.stdout) == ("wall_seconds", "")
    assert time.monotonic() - began < 3


def test_a_form(port):
    status, out, _ = run(
        port,
        "curl -s -F a=1 -F 'f={at}data.txt;type=text/plain' -F 't=<data.txt' --form-string 's={at}x' @/echo",
    )
    assert status == 0 and "content-type: multipart/form-data; boundary=" in out
    assert (
        'name="a"\r\n\r\n1\r\n' in out
        and 'name="f"; filename="data.txt"\r\nContent-Type: text/plain\r\n\r\none\ntwo\n' in out
    )
    assert 'name="t"\r\n\r\none\ntwo\n' in out and 'name="s"\r\n\r\n@x\r\n' in out
    assert run(port, "curl -sS -F f={at}none @/echo")[0] == 26


def test_cookies_of_another_domain_are_not_taken(port):
    assert "evil" not in run(port, "curl -s -c - -b '' @/cookie")[1]


def test_messages(port):
    assert run(port, "curl -sS -f @/status/404")[2] == "curl: (22) The requested URL returned error: 404\n"
    assert run(port, "curl -s -f @/status/404")[2] == ""
    err = run(port, "wget -O f @/status/404")[2]
    assert "HTTP request sent, awaiting response... 404 Not Found" in err and "ERROR 404: Not Found." in err
    err = run(port, "wget @/name.txt")[2]
    assert "'name.txt' saved [6/6]" in err
    assert "> GET /status/200 HTTP/1.1\r\n" in run(port, "curl -v @/status/200")[2]


def test_files_of_wget_and_limits_of_files(port):
    network = Network([f"http://127.0.0.1:{port}"])
    shell = Shell(network=network, limits=Limits(fs_bytes=50_000))
    result = shell.run(f"curl -sS -o f http://127.0.0.1:{port}/long")
    assert (result.exit_status, "Failure writing output" in result.stderr) == (23, True)
    assert shell.fs.exists(VirtualPath("/workspace"))


def test_a_hook_asks_a_server(port):
    from sandhook.hooks.engine import HookEngine
    from sandhook.hooks.events import ToolPre

    command = f"curl -s -f http://127.0.0.1:{port}/status/403 || exit 2"
    hooks = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    network = Network([f"http://127.0.0.1:{port}"])
    assert HookEngine.load(hooks, "claude_code", network=network).fire(ToolPre("Bash", {})).refused


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Host ", "evil.example"),
        (" Host", "evil.example"),
        ("Host\t", "evil.example"),
        ("Content-Length ", "0"),
        ("Transfer-Encoding\x0b", "chunked"),
        ("X-A:Host", "evil.example"),
        ("", "x"),
        ("X-A", "a\r\nHost: evil.example"),
        ("X-A", "a\n Host: evil.example"),
        ("X-A", "a\0"),
    ],
)
def test_a_header_that_a_server_may_read_as_another_is_not_sent(servers, name, value):
    url = parse(f"http://127.0.0.1:{servers[0].server_address[1]}/echo")
    network = Network([str(url)])
    with pytest.raises(ProtocolError, match="cannot be sent"):
        network.send("GET", url, [(name, value)], None, lambda: 5.0)

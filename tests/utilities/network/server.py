"""A server for the tests of curl and wget, and the scripts that call it; with --oracle the real programs call it, too."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread

from sandhook import Limits, Network, Shell

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


def run(port: int, script: str, *, allow: tuple[str, ...] = (), **named: object) -> tuple[int, str, str]:
    """Run a script in which @ is the server, which is allowed, with those of ``allow``."""
    network = Network([f"http://127.0.0.1:{port}", *allow], **named)  # type: ignore[arg-type]
    shell = Shell(files=FILES, network=network, limits=Limits(output_bytes=1 << 20, wall_seconds=20))
    result = shell.run(script.replace("@", f"http://127.0.0.1:{port}").replace("{at}", "@"))
    return result.exit_status, result.stdout, result.stderr


def check_with_oracle(servers: tuple[ThreadingHTTPServer, ...], script: str, where: Path | None) -> None:
    """Run a script, whose status must be 0; in a directory ``where``, compare it with the real programs."""
    servers[0].tries = 0  # type: ignore[attr-defined]
    port = servers[0].server_port
    status, out, _ = run(port, script)
    if where is not None:
        program = script.split()[0]
        if program in ("curl", "wget"):
            assert shutil.which(program), f"--oracle: {program} is not installed"
        for name, content in FILES.items():
            (where / name).write_text(content)
        servers[0].tries = 0  # type: ignore[attr-defined]
        real = ask_host(port, script, where)
        assert (status, without_version(out)) == (real[0], without_version(real[1]))
    assert status == 0


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

"""Encrypted connections: the certificate is that of the host's name, and it is checked."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from sandhook import Network, Shell

#: A key and a certificate for service.example, made for this test alone.
PEM = Path(__file__).with_name("service.example.pem")


class Server(BaseHTTPRequestHandler):
    def handle(self) -> None:
        with suppress(
            ssl.SSLError
        ):  # a client that rejects the certificate, which is reported as the first line is read
            super().handle()

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"hello {self.headers['Host']}\n".encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(PEM)
    server = HTTPServer(("127.0.0.1", 0), Server)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join(10)


def ask(host: str, port: int, tls: ssl.SSLContext | None, scheme: str = "https") -> tuple[int, str, str]:
    url = f"{scheme}://{host}:{port}"
    network = Network([url], private=True, resolve=lambda host, port: ["127.0.0.1"], tls=tls)
    result = Shell(network=network).run(
        f"curl -sS {url}/; s=$?; wget -q -O - -t 1 {url}/ >/dev/null || echo $?; exit $s"
    )
    return result.exit_status, result.stdout, result.stderr


def trusting() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(PEM))


def test_a_trusted_certificate_of_that_name(port: int) -> None:
    assert ask("service.example", port, trusting()) == (0, f"hello service.example:{port}\n", "")


def test_a_certificate_that_nobody_vouches_for(port: int) -> None:
    status, out, err = ask("service.example", port, None)
    assert (status, out, err.startswith("curl: (60) SSL certificate problem: ")) == (60, "5\n", True)


def test_a_certificate_of_another_name(port: int) -> None:
    status, out, err = ask("other.example", port, trusting())
    assert (status, out, err.startswith("curl: (60) SSL certificate problem: ")) == (60, "5\n", True)


def test_a_server_without_encryption() -> None:
    server = HTTPServer(("127.0.0.1", 0), Server)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        status, out, err = ask("service.example", server.server_port, trusting())
        assert (status, out, err.startswith("curl: (35) TLS connect error")) == (35, "5\n", True)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)

"""Headers that a connection refuses to send."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sandhook import Network
from sandhook.net.connection import ProtocolError
from sandhook.net.url import parse
from tests.utilities.network.server import serve


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    server = serve()
    yield server.server_port
    server.shutdown()
    server.server_close()


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
def test_a_header_that_a_server_may_read_as_another_is_not_sent(port, name, value):
    url = parse(f"http://127.0.0.1:{port}/")
    network = Network([str(url)])
    with pytest.raises(ProtocolError, match="cannot be sent"):
        network.send("GET", url, [(name, value)], None, lambda: 5.0)

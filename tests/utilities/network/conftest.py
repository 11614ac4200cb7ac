from __future__ import annotations

from collections.abc import Iterator
from http.server import ThreadingHTTPServer

import pytest

from tests.utilities.network.server import Server, serve


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[ThreadingHTTPServer, ThreadingHTTPServer]]:
    first, second = serve(), serve()
    Server.other = second.server_port
    yield first, second
    for server in (first, second):
        server.hang.set()  # type: ignore[attr-defined]
        server.shutdown()
        server.server_close()


@pytest.fixture
def port(servers) -> int:
    servers[0].tries = 0
    return int(servers[0].server_port)

"""Where ``sandhook serve`` listens: the Unix socket, an address, and what an earlier process left of both."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from sandhook.serve.gate import Gate, hosts_of
from sandhook.serve.inherited import inherited
from sandhook.serve.sockets import LocalSocket, listen, split_address, token_of, write_endpoint

if TYPE_CHECKING:
    import argparse
    from socket import socket


class Listening:
    """The sockets of the service, its gate, and what is removed at its end.

    Args:
        options: Of ``sandhook serve``.
        path: Of the Unix socket; with --no-socket, the file of the endpoint is next to it.
    """

    serves_clients = True

    def __init__(self, options: argparse.Namespace, path: str) -> None:
        only_tcp = options.no_socket or sys.platform == "win32"
        self.inherited = inherited(os.environ)
        self.local: LocalSocket | None = None if only_tcp else LocalSocket(path, *self.inherited.unix(path))
        self.sockets: list[socket] = [] if self.local is None else [self.local.socket]
        self.places = [] if self.local is None else [path]
        self.gate = Gate()
        self._endpoint = ""
        try:
            if options.listen is None and not (only_tcp or options.ui):
                return
            address, port = split_address(options.listen or "127.0.0.1:0", remote=options.allow_remote)
            token = token_of(
                options.token_file or os.path.join(os.path.dirname(path), "serve.token")  # noqa: PTH118, PTH120
            )
            listening = self.inherited.tcp(address, port) or listen(address, port)
            self.sockets.append(listening)
            port = listening.getsockname()[1]
            self.gate = Gate(token, _hosts(address, port))
            self.places.append(f"http://{f'[{address}]' if ':' in address else address}:{port}")
            if only_tcp:
                self._endpoint = write_endpoint(path, port, token)
        except BaseException:
            self.close()
            raise
        finally:
            self.inherited.close()

    def close(self) -> None:
        if self.local is not None:
            self.local.close()
        if self._endpoint and os.path.exists(self._endpoint):  # noqa: PTH110
            os.unlink(self._endpoint)  # noqa: PTH108


def _hosts(address: str, port: int) -> frozenset[str]:
    return hosts_of(("127.0.0.1", "localhost", "[::1]", f"[{address}]" if ":" in address else address), port)

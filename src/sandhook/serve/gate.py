"""Who may ask the service: the owner of the socket, or on TCP the holder of the token, from a page of no other host.

A page that a browser shows can send requests to loopback, also under a name that its owner points there (DNS
rebinding). So ``Host`` must name this service, and ``Origin``, if it is sent, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from hmac import compare_digest
from typing import Literal

from starlette.types import Scope

from sandhook.record import Record

#: Paths that need no token on TCP: whether the service lives, the proof that it knows the token, and the page, which
#: asks for the token.
_OPEN = ("/healthz", "/studio")
_OPEN_BELOW = ("/v1/proof/", "/studio/")

#: Why a request is refused, with its HTTP status.
Fault = Literal["host", "origin", "token"]

STATUS = {"host": 421, "origin": 403, "token": 401}

MESSAGES = {
    "host": "the header Host names another server",
    "origin": "the header Origin is of another site",
    "token": "the header Authorization: Bearer TOKEN is absent or wrong",
}


class Gate(Record):
    """What requests over TCP must have.

    Attributes:
        token: The bearer token; "" when the caller's own application authenticates.
        hosts: Accepted values of ``Host``; empty accepts all.
    """

    token: str = ""
    hosts: frozenset[str] = frozenset()

    def fault(self, scope: Scope) -> Fault | None:
        """Return why a request is refused, None when it is not."""
        if is_local_socket(scope):
            return None
        headers = _single(scope["headers"], (b"host", b"origin", b"authorization"))
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if self.hosts and host not in self.hosts:
            return "host"
        origin = headers.get(b"origin")
        if self.hosts and origin is not None and origin.decode("latin-1").lower() != f"http://{host}":
            return "origin"
        path = path_of(scope)
        is_open = path in _OPEN or path.startswith(_OPEN_BELOW)
        if self.token and not is_open and not self.has_token(scope):
            return "token"
        return None

    def has_token(self, scope: Scope) -> bool:
        """Return whether a request is the owner's."""
        if not self.token or is_local_socket(scope):
            return True
        headers = _single(scope["headers"], (b"authorization",))
        sent = headers.get(b"authorization", b"")
        return compare_digest(sent, b"Bearer " + self.token.encode())


def path_of(scope: Scope) -> str:
    """Return the path of a request within this application, as its router reads it, wherever it is mounted.

    Source: ASGI, "HTTP & WebSocket ASGI Message Format", ``root_path``; some servers leave it in the path.
    """
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    below = path.removeprefix(root)
    return below if root and below != path and below[:1] in ("", "/") else path


def is_local_socket(scope: Scope) -> bool:
    """Return whether a request came over the Unix socket, which only its owner can open."""
    server = scope.get("server")
    return server is not None and server[1] is None


def hosts_of(names: Iterable[str], port: int) -> frozenset[str]:
    """Return the values of ``Host`` for a server with these names."""
    return frozenset(f"{name}:{port}" for name in names) | (frozenset(names) if port == 80 else frozenset())


def _single(headers: list[tuple[bytes, bytes]], wanted: tuple[bytes, ...]) -> dict[bytes, bytes]:
    """Return headers; one that is there twice is as a wrong one."""
    found: dict[bytes, bytes] = {}
    for name, value in headers:
        if name in wanted:
            found[name] = b"," if name in found else value
    return found

"""Where a server is reached by HTTP, and requests to it whose responses can be checked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from select import select
from urllib.parse import urlsplit

from sandhook.record import Record

JSON, STREAM = "application/json", "text/event-stream"

#: Headers of one connection (RFC 9110, 7.6.1), and those that a request sets itself.
_OWN = frozenset(
    {
        "accept-encoding", "connection", "content-length", "date", "host", "keep-alive", "proxy-authenticate",
        "proxy-authorization", "proxy-connection", "server", "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip

#: Seconds to connect.
CONNECT = 30.0

#: Characters of a challenge that an error repeats.
_CHALLENGE = 300


class Unusable(Exception):
    """A response that cannot be checked, or is no answer; the text has the reason."""


class Endpoint(Record):
    """A server's URL.

    Attributes:
        host, port: The port is None for that of the scheme.
        is_tls: Whether the scheme is https.
        path: Without the query.
        target: The path and the query, as a request names them.
    """

    host: str
    port: int | None
    is_tls: bool
    path: str
    target: str

    def connect(self) -> HTTPConnection:
        """Return a connection to the server, which opens with the first request."""
        kind = HTTPSConnection if self.is_tls else HTTPConnection
        return kind(self.host, self.port, timeout=CONNECT)

    def unreached(self, error: Exception) -> str:
        """Return why the server could not be asked, for people and models."""
        from urllib.request import getproxies_environment, proxy_bypass

        why = getattr(error, "strerror", None) or f"{error.__class__.__name__}: {error}"
        kinds = ("https" if self.is_tls else "http", "all")
        proxy = next((kind for kind in kinds if getproxies_environment().get(kind)), None)
        if proxy is not None and not proxy_bypass(self.host):
            why += f"; the proxy of {proxy.upper()}_PROXY is not used, this command connects directly"
        return f"{self.host} could not be asked: {why}"


def endpoint_of(url: str) -> Endpoint:
    """Read a URL. Raises ValueError for one that is not of HTTP, and for one with a password."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"{url}: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
        raise ValueError(f"{url}: wanted http://HOST[:PORT]/PATH or https://")
    path = parts.path or "/"
    target = f"{path}?{parts.query}" if parts.query else path
    return Endpoint(parts.hostname, port, parts.scheme == "https", path, target)


def send(
    connection: HTTPConnection,
    method: str,
    target: str,
    headers: Iterable[tuple[str, str]],
    body: bytes | None,
) -> None:
    """Send a request that forbids a compressed response."""
    connection.putrequest(method, target, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.putheader("Accept-Encoding", "identity")
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)


def response_of(connection: HTTPConnection) -> HTTPResponse:
    """Return the response to the last request. Raises Unusable for a redirect and for a compressed response."""
    response = connection.getresponse()
    if 300 <= response.status < 400 and response.status != 304:
        place = response.getheader("Location")
        raise Unusable(
            f"the server is at {place}: wanted that as its URL, because redirects are not followed"
        )
    if response.getheader("Content-Encoding", "identity") != "identity":
        raise Unusable("the server compressed a response that was to be checked")
    return response


def status_of(response: HTTPResponse, *, has_token: bool) -> str:
    """Return the status of a response; for one that wants a token, also what it says of that and what to do."""
    status = f"{response.status} {response.reason}".strip()
    if not is_denied(response):
        return status
    challenge = response.getheader("WWW-Authenticate", "")
    if challenge:
        # the server's own text, which goes to terminals
        shown = re.sub(r"[^\x20-\x7e]", "?", challenge[: _CHALLENGE + 1])
        status += f" ({shown if len(shown) <= _CHALLENGE else shown[:_CHALLENGE] + '...'})"
    if has_token:
        return f"{status}: it does not accept the Authorization of --header; wanted a valid one"
    return f"{status}: wanted a token, by --header 'Authorization: Bearer ${{VARIABLE}}'; this proxy does not sign in"


def is_denied(response: HTTPResponse) -> bool:
    """Return whether a server wants a token, or one that permits more (RFC 6750, 3)."""
    return response.status == 401 or (response.status == 403 and "WWW-Authenticate" in response.headers)


def kind_of(response: HTTPResponse) -> str:
    """Return the media type of a response without its parameters, in lower case."""
    return (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()


def read_body(response: HTTPResponse, largest: int) -> bytes:
    """Return the body of a response. Raises Unusable for one that is too large."""
    body = response.read(largest + 1)
    if len(body) > largest:
        raise Unusable(f"the response has more than {largest} bytes")
    return body


def is_closed(connection: HTTPConnection) -> bool:
    """Return True if the server has closed an idle connection, or never had it."""
    idle = connection.sock
    return idle is None or bool(select([idle], [], [], 0)[0])


def end_to_end(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the headers that are not those of one connection."""
    pairs = list(headers)
    listed = ",".join(value for name, value in pairs if name.lower() == "connection")
    own = _OWN | {name.strip().lower() for name in listed.split(",")}
    return [(name, value) for name, value in pairs if name.lower() not in own]

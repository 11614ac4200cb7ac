"""What the host does for a run in a worker: requests to the network that its caller allows.

The worker opens no connection. It names a method, a URL and headers; ``Network.send`` checks and sends them here,
with credentials that the worker never sees.
"""

from __future__ import annotations

from contextlib import closing
from time import monotonic
from typing import TYPE_CHECKING, cast

from sandhook.isolation import wire
from sandhook.isolation.relay import Line
from sandhook.net.url import SCHEMES, Url, UrlRefused, parse
from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.net.connection import Response
    from sandhook.net.network import Network


class _Request(Record):
    """What a worker asks for."""

    method: str
    url: Url
    headers: list[tuple[str, str]]
    body: bytes | None
    seconds: float
    connect_seconds: float | None


def fetch(line: Line, network: Network | None, payload: bytes) -> tuple[int, bytes]:
    """Send the request of a FETCH and serve its response; return the last frame of the channel.

    Args:
        line: Its channel.
        network: What the run may reach.
        payload: Of the FETCH, from a process that nobody trusts.

    Raises ValueError for a payload of another form, or without a network.
    """
    if network is None:
        raise ValueError("a request without a network")
    try:
        request = _decoded(payload)
        end = monotonic() + min(request.seconds, network.max_seconds)
        response = network.send(
            request.method,
            request.url,
            request.headers,
            request.body,
            lambda: min(line.remaining(), end - monotonic()),
            connect_seconds=request.connect_seconds,
        )
    except (UrlRefused, OSError) as error:
        return wire.FAILED, wire.join(_failure(error))
    with closing(response):
        line.send(wire.RESPONSE, wire.join(_head(response)))
        return _body(line, response, network.max_bytes)


def _body(line: Line, response: Response, most: int) -> tuple[int, bytes]:
    """Send a piece of the body for each NEXT; the piece that exceeds ``most`` bytes is the last one."""
    chunks = response.chunks()
    received = 0
    while line.receive()[0] == wire.NEXT and received <= most:
        try:
            piece = next(chunks, b"")
        except OSError as error:
            return wire.FAILED, wire.join(_failure(error))
        if not piece:
            break
        received += len(piece)
        line.send(wire.PIECE, piece)
    return wire.PIECE, b""


def _decoded(payload: bytes) -> _Request:
    """Return a request whose URL was parsed anew. Raises ValueError and UrlRefused."""
    value, body = wire.split(payload)
    header = cast(wire.FetchHeader, value)
    try:
        method = str(header["method"])
        name, host, port, path = header["url"]
        scheme = SCHEMES[name]
        url = Url(scheme, str(host), int(port), str(path))
        headers = [(str(name), str(text)) for name, text in header["headers"]]
        seconds, connect = float(header["seconds"]), header["connect_seconds"]
        connect = None if connect is None else float(connect)
        has_body = bool(header["has_body"])
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ValueError("a request of an unknown form") from None
    if parse(str(url)) != url:
        raise ValueError("a request with an ambiguous URL")
    return _Request(method, url, headers, body if has_body else None, seconds, connect)


def _head(response: Response) -> list[object]:
    return [
        response.status,
        response.reason,
        response.version,
        response.headers,
        response.connected,
        response.begun,
        response.address,
    ]


def _failure(error: UrlRefused | OSError) -> list[object]:
    """Return the class of an error and its fields, as ``confined.fetch`` reads them."""
    from sandhook.net.connection import ConnectFailed, ProtocolError, TlsError
    from sandhook.net.network import Unresolved

    text = str(error)
    match error:
        case UrlRefused():
            return ["refused", text]
        case Unresolved():
            return ["unresolved", text]
        case ConnectFailed(late=late):
            return ["connect", text, late]
        case TlsError(untrusted=untrusted):
            return ["tls", text, untrusted]
        case ProtocolError(empty=empty, missing=missing):
            return ["protocol", text, empty, missing]
        case TimeoutError():
            return ["timeout", text]
        case _:
            return ["system", text, error.errno, error.strerror]

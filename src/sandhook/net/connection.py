"""One request over one connection, to a checked address: the only code of sandhook that opens a socket.

HTTP/1.1 by the standard library, without proxies, redirects and content decoding. Every wait is short, and
``remaining`` is called between waits, so that a run that is out of time or cancelled does not wait for its peer.
"""

from __future__ import annotations

import io
import re
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPConnection, HTTPException, HTTPResponse
from time import monotonic
from typing import Any

from sandhook.net.url import OWN_HEADERS, Url

#: The name of a header, and what its value must not have (RFC 9110, 5.1 and 5.5).
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")

#: Seconds of one wait for the peer.
_SLICE = 0.25

_BLOCK = 65_536

#: Returns the remaining seconds; raises the exception that ends the run.
Remaining = Callable[[], float]


class TlsError(OSError):
    """The connection could not be encrypted; ``untrusted`` when the certificate is the reason."""

    def __init__(self, message: str, *, untrusted: bool) -> None:
        super().__init__(message)
        self.untrusted = untrusted


class ProtocolError(OSError):
    """The response is not HTTP; ``empty`` if nothing came, ``missing`` bytes of the announced length."""

    def __init__(self, message: str, *, empty: bool = False, missing: int = 0) -> None:
        super().__init__(message)
        self.empty = empty
        self.missing = missing


class ConnectFailed(OSError):
    """The address and port do not answer; ``late`` after a timeout."""

    def __init__(self, message: str, *, late: bool = False) -> None:
        super().__init__(message)
        self.late = late


class _Watched:
    """The part of a socket that http.client needs, with waits that respect the run's deadline."""

    def __init__(self, sock: socket.socket, remaining: Remaining) -> None:
        self._socket = sock
        self._remaining = remaining
        self._users = 1  # http.client closes the connection before the response was read

    def _retry_until_deadline(self, operation: Callable[[], int]) -> int:
        while True:
            seconds = self._remaining()
            if seconds <= 0:
                raise TimeoutError
            self._socket.settimeout(min(seconds, _SLICE))
            try:
                return operation()
            except TimeoutError:
                continue

    def sendall(self, data: Any) -> None:
        view = memoryview(data).cast("B")
        while len(view):
            sent = self._retry_until_deadline(lambda: self._socket.send(view[:_BLOCK]))  # noqa: B023 - called at once
            view = view[sent:]

    def receive(self, buffer: Any) -> int:
        return self._retry_until_deadline(lambda: self._socket.recv_into(buffer))

    def makefile(self, mode: str) -> io.BufferedReader:
        self._users += 1
        return io.BufferedReader(_Incoming(self), _BLOCK)

    def close(self) -> None:
        self._users -= 1
        if self._users <= 0:
            self._socket.close()


class _Incoming(io.RawIOBase):
    def __init__(self, watched: _Watched) -> None:
        self._watched = watched

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._watched.receive(buffer)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._watched.close()


class Response:
    """A response whose head was read.

    Attributes:
        status, reason, version: The status line; version is "1.0" or "1.1".
        headers: Names and values in their order.
        connected, begun: Seconds until the connection was open, and until the head was received.
        address: The address of the server.
    """

    def __init__(
        self, connection: HTTPConnection, answer: HTTPResponse, times: tuple[float, float], address: str
    ) -> None:
        self._connection = connection
        self._answer = answer
        self.status = answer.status
        self.reason = answer.reason
        self.version = "1.0" if answer.version == 10 else "1.1"
        self.headers: list[tuple[str, str]] = answer.getheaders()
        self.connected, self.begun = times
        self.address = address

    def header(self, name: str) -> str | None:
        """Return the last value of a header."""
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return values[-1] if values else None

    def chunks(self) -> Iterator[bytes]:
        """Yield the body as it comes. Raises TimeoutError, and ProtocolError when it ends too early."""
        try:
            while data := self._answer.read1(_BLOCK):
                yield data
        except (HTTPException, ValueError) as error:
            raise ProtocolError(_error_text(error)) from None
        if self._answer.length:
            missing = self._answer.length
            raise ProtocolError(f"{missing} bytes of the answer are missing", missing=missing)

    def close(self) -> None:
        """Close the connection."""
        self._answer.close()
        self._connection.close()

    def __enter__(self) -> Response:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def send(
    method: str,
    url: Url,
    headers: Sequence[tuple[str, str]],
    body: bytes | None,
    address: str,
    remaining: Remaining,
    *,
    connect_seconds: float | None = None,
    tls: ssl.SSLContext | None = None,
) -> Response:
    """Send a request to ``address`` and read the head of the response.

    Args:
        headers: The headers; those of OWN_HEADERS are ignored, because the connection writes them itself.
        address: The address to connect to; the certificate and the Host header name ``url.host``.
        remaining: Returns the remaining seconds.
        connect_seconds: The time limit of connecting.
        tls: How connections are encrypted; the system's default when None.

    Raises:
        ConnectFailed, TimeoutError, TlsError, ProtocolError, OSError: There was no response.
    """
    started = monotonic()
    sock = _connect(url, address, remaining, connect_seconds, tls)
    connected = monotonic() - started
    connection = HTTPConnection(url.host, url.port)
    connection.sock = _Watched(sock, remaining)
    try:
        connection.putrequest(method, url.path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", url.authority)
        for name, value in headers:
            if not _TOKEN.fullmatch(name) or _CONTROL.search(value):
                raise ValueError(f"the header {name!r} cannot be sent")
            if name.lower() not in OWN_HEADERS:
                connection.putheader(name, value.encode("utf-8", "surrogateescape"))
        if body is not None or method in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(body or b"")))
        connection.putheader("Connection", "close")
        connection.endheaders(body)
        response = connection.getresponse()
    except (HTTPException, ValueError) as error:
        connection.close()
        empty = isinstance(error, ConnectionError) or error.__class__.__name__ == "RemoteDisconnected"
        raise ProtocolError(_error_text(error), empty=empty) from None
    except BaseException:
        connection.close()
        raise
    return Response(connection, response, (connected, monotonic() - started), address)


def _connect(
    url: Url, address: str, remaining: Remaining, connect_seconds: float | None, tls: ssl.SSLContext | None
) -> socket.socket:
    """Return a connected socket, encrypted for https."""
    deadline = monotonic() + (connect_seconds if connect_seconds is not None else 1e9)
    seconds = min(remaining(), deadline - monotonic())
    if seconds <= 0:
        raise TimeoutError
    try:
        sock = socket.create_connection((address, url.port), timeout=seconds)
    except TimeoutError:
        remaining()  # raises if the run is out of time
        raise ConnectFailed("it took too long", late=True) from None
    except OSError as error:
        raise ConnectFailed(error.strerror or str(error)) from None
    if url.scheme != "https":
        return sock
    try:
        seconds = min(remaining(), deadline - monotonic())
        if seconds <= 0:
            raise TimeoutError
        sock.settimeout(seconds)
        context = tls or ssl.create_default_context()
        return context.wrap_socket(sock, server_hostname=url.host)
    except ssl.SSLCertVerificationError as error:
        sock.close()
        raise TlsError(error.verify_message or "the certificate is not trusted", untrusted=True) from None
    except ssl.SSLError as error:
        sock.close()
        raise TlsError(error.reason or str(error), untrusted=False) from None
    except BaseException:
        sock.close()
        raise


def _error_text(error: Exception) -> str:
    return f"{error.__class__.__name__}: {error}".removesuffix(": ")

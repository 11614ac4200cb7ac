"""One request over one connection, to an address that was checked: the only code of sandhook that opens a socket.

HTTP/1.1 by the standard library; no proxies, no redirects, nothing unpacked. Every wait is short and asks ``remaining``
between, so that a run that is out of time or cancelled does not wait for its peer.
"""

from __future__ import annotations

import io
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPConnection, HTTPException, HTTPResponse
from time import monotonic
from typing import Any

from sandhook.net.url import MADE_HERE, Url

#: Seconds of one wait for the peer.
_SLICE = 0.25

_BLOCK = 65_536

#: Seconds that are left; raises what ends the run.
Remaining = Callable[[], float]


class TlsError(OSError):
    """The connection could not be encrypted; ``untrusted`` when the certificate is the reason."""

    def __init__(self, message: str, *, untrusted: bool) -> None:
        super().__init__(message)
        self.untrusted = untrusted


class ProtocolError(OSError):
    """The answer is not HTTP; ``empty`` if nothing came, ``missing`` bytes of the announced length."""

    def __init__(self, message: str, *, empty: bool = False, missing: int = 0) -> None:
        super().__init__(message)
        self.empty = empty
        self.missing = missing


class ConnectFailed(OSError):
    """The address and port do not answer; ``late`` if the time was up."""

    def __init__(self, message: str, *, late: bool = False) -> None:
        super().__init__(message)
        self.late = late


class _Watched:
    """A connected socket whose waits end in time; what http.client needs of one."""

    def __init__(self, sock: socket.socket, remaining: Remaining) -> None:
        self._socket = sock
        self._remaining = remaining
        self._users = 1  # http.client closes the connection while the answer is still to be read

    def _patiently(self, act: Callable[[], int]) -> int:
        while True:
            left = self._remaining()
            if left <= 0:
                raise TimeoutError
            self._socket.settimeout(min(left, _SLICE))
            try:
                return act()
            except TimeoutError:
                continue

    def sendall(self, data: Any) -> None:
        view = memoryview(data).cast("B")
        while len(view):
            view = view[self._patiently(lambda: self._socket.send(view[:_BLOCK])) :]  # noqa: B023 - called at once

    def receive(self, buffer: Any) -> int:
        return self._patiently(lambda: self._socket.recv_into(buffer))

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
    """An answer whose head was read.

    Attributes:
        status, reason, version: Of the status line; version is "1.0" or "1.1".
        headers: Names and values in their order.
        connected, begun: Seconds until the connection stood, and until the head was there.
        address: Where it came from.
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
        found = [value for key, value in self.headers if key.lower() == name.lower()]
        return found[-1] if found else None

    def chunks(self) -> Iterator[bytes]:
        """Yield the body as it comes. Raises TimeoutError, and ProtocolError when it ends too early."""
        try:
            while data := self._answer.read1(_BLOCK):
                yield data
        except (HTTPException, ValueError) as error:
            raise ProtocolError(_said(error)) from None
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
    """Send a request to ``address`` and read the head of the answer.

    Args:
        headers: All but those of MADE_HERE, which are made here; such ones are left out.
        address: Where the connection goes; ``url.host`` is what the certificate and the Host header name.
        remaining: Seconds that are left.
        connect_seconds: The most that connecting may take.
        tls: How connections are encrypted; the system's own way when None.

    Raises:
        ConnectFailed, TimeoutError, TlsError, ProtocolError, OSError: It did not come to an answer.
    """
    started = monotonic()
    sock = _connected(url, address, remaining, connect_seconds, tls)
    connected = monotonic() - started
    connection = HTTPConnection(url.host, url.port)
    connection.sock = _Watched(sock, remaining)
    try:
        connection.putrequest(method, url.path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", url.authority)
        for name, value in headers:
            if name.lower() not in MADE_HERE:
                connection.putheader(name, value.encode("utf-8", "surrogateescape"))
        if body is not None or method in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(body or b"")))
        connection.putheader("Connection", "close")
        connection.endheaders(body)
        answer = connection.getresponse()
    except (HTTPException, ValueError) as error:
        connection.close()
        empty = isinstance(error, ConnectionError) or error.__class__.__name__ == "RemoteDisconnected"
        raise ProtocolError(_said(error), empty=empty) from None
    except BaseException:
        connection.close()
        raise
    return Response(connection, answer, (connected, monotonic() - started), address)


def _connected(
    url: Url, address: str, remaining: Remaining, connect_seconds: float | None, tls: ssl.SSLContext | None
) -> socket.socket:
    """Return a connected socket, encrypted for https."""
    ends = monotonic() + (connect_seconds if connect_seconds is not None else 1e9)
    left = min(remaining(), ends - monotonic())
    if left <= 0:
        raise TimeoutError
    try:
        sock = socket.create_connection((address, url.port), timeout=left)
    except TimeoutError:
        remaining()  # which may have ended the run
        raise ConnectFailed("it took too long", late=True) from None
    except OSError as error:
        raise ConnectFailed(error.strerror or str(error)) from None
    if url.scheme != "https":
        return sock
    try:
        left = min(remaining(), ends - monotonic())
        if left <= 0:
            raise TimeoutError
        sock.settimeout(left)
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


def _said(error: Exception) -> str:
    return f"{error.__class__.__name__}: {error}".removesuffix(": ")

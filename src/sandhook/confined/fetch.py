"""The network for a confined shell: the host checks and sends each request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from sandhook.confined.questions import Channel
from sandhook.isolation import wire
from sandhook.net.network import Network, Unresolved
from sandhook.net.url import Url, UrlRefused

if TYPE_CHECKING:
    from sandhook.net.connection import Remaining, Response


class RelayNetwork(Network):
    """Stands for the network of the host, which alone knows what is allowed.

    Args:
        header: Its bounds.
    """

    def __init__(self, header: wire.NetworkHeader) -> None:
        super().__init__(
            max_bytes=header["max_bytes"],
            max_seconds=header["max_seconds"],
            max_redirects=header["max_redirects"],
        )

    def send(
        self,
        method: str,
        url: Url,
        headers: Sequence[tuple[str, str]],
        body: bytes | None,
        remaining: Remaining,
        *,
        connect_seconds: float | None = None,
    ) -> Response:
        """Ask the host; the arguments and exceptions are those of ``Network.send``."""
        channel = Channel()
        header: wire.FetchHeader = {
            "method": method,
            "url": (url.scheme, url.host, url.port, url.path),
            "headers": list(headers),
            "has_body": body is not None,
            "seconds": remaining(),
            "connect_seconds": connect_seconds,
        }
        channel.send(wire.FETCH, wire.join(header, body or b""))
        kind, payload = channel.receive()
        value = cast("list[object]", wire.split(payload)[0])
        if kind == wire.FAILED:
            channel.forget()
            remaining()  # raises if the run is out of time
            raise _error(value)
        return cast("Response", RelayResponse(channel, value, remaining))


class RelayResponse:
    """A response that the host reads; has what ``net.connection.Response`` has."""

    def __init__(self, channel: Channel, head: list[object], remaining: Remaining) -> None:
        self._channel = channel
        self._remaining = remaining
        self._open = True
        status, reason, version, headers, connected, begun, address = head
        self.status = cast(int, status)
        self.reason = cast(str, reason)
        self.version = cast(str, version)
        self.headers = [(name, text) for name, text in cast("list[tuple[str, str]]", headers)]
        self.connected, self.begun = cast(float, connected), cast(float, begun)
        self.address = cast(str, address)

    def header(self, name: str) -> str | None:
        """Return the last value of a header."""
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return values[-1] if values else None

    def chunks(self) -> Iterator[bytes]:
        """Yield the body as it comes. Raises TimeoutError, and ProtocolError when it ends too early."""
        while self._open:
            self._channel.send(wire.NEXT, b"")
            kind, payload = self._channel.receive()
            if kind == wire.FAILED:
                self._end()
                self._remaining()  # raises if the run is out of time
                raise _error(cast("list[object]", wire.split(payload)[0]))
            if not payload:
                self._end()
                return
            yield payload

    def close(self) -> None:
        """Close the connection."""
        if self._open:
            self._channel.send(wire.CLOSE, b"")
            self._end()

    def _end(self) -> None:
        self._open = False
        self._channel.forget()

    def __enter__(self) -> RelayResponse:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _error(fields: list[object]) -> Exception:
    """Return the exception that the host caught, see ``isolation.fetch``."""
    from sandhook.net.connection import ConnectFailed, ProtocolError, TlsError

    text = cast(str, fields[1])
    match fields[0]:
        case "refused":
            return UrlRefused(text)
        case "unresolved":
            return Unresolved(text)
        case "connect":
            return ConnectFailed(text, late=bool(fields[2]))
        case "tls":
            return TlsError(text, untrusted=bool(fields[2]))
        case "protocol":
            return ProtocolError(text, empty=bool(fields[2]), missing=cast(int, fields[3]))
        case "timeout":
            return TimeoutError()
        case _:
            return OSError(*fields[2:]) if fields[2] is not None else OSError(text)

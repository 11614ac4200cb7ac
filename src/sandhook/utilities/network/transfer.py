"""One request of curl or wget through the host's Network, with its redirects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import TYPE_CHECKING, TypeVar

from sandhook.command.context import Context
from sandhook.net.url import Url, UrlRefused, join, parse

if TYPE_CHECKING:
    from sandhook.net.connection import Response
    from sandhook.net.network import Network

T = TypeVar("T")

REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Trouble(Exception):
    """A request failed, with curl's status and message.

    Attributes:
        transient: A retry may succeed.
        refused: No connection could be made.
    """

    def __init__(self, status: int, message: str, *, transient: bool = False, refused: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.transient = transient
        self.refused = refused


def network_of(ctx: Context) -> Network | None:
    """Return the network that the host allows, None without one."""
    network = ctx.kernel.network
    if network is None:
        return None
    from sandhook.net.network import Network

    assert isinstance(network, Network)
    return network


def read_url(text: str, default: str = "http") -> Url:
    """Return the URL of an operand, by default with the scheme ``default``. Raises Trouble."""
    scheme, mark, rest = text.partition("://")
    if not mark:
        scheme, rest = default, text
    if scheme.lower() not in ("http", "https"):
        raise Trouble(1, f'Protocol "{scheme}" not supported or disabled in libcurl')
    rest = rest.partition("#")[0]
    end = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    if not rest[:end]:
        raise Trouble(3, "URL using bad/illegal format or missing URL")
    try:
        base = parse(f"{scheme}://{rest[:end]}/")
        tail = rest[end:]
        return join(base, tail if tail.startswith("/") else "/" + tail)
    except UrlRefused as refused:
        raise Trouble(3, f"URL using bad/illegal format or missing URL: {refused}") from None


class Transfer:
    """Sends requests within time limits, and raises Trouble with curl's messages."""

    def __init__(
        self, ctx: Context, *, seconds: float | None = None, connect_seconds: float | None = None
    ) -> None:
        self._ctx = ctx
        self._connect_seconds = connect_seconds
        self.start = monotonic()
        self._seconds = seconds
        self.received = 0

    def send(self, method: str, url: Url, headers: list[tuple[str, str]], body: bytes | None) -> Response:
        """Send one request and return the response with its headers. Raises Trouble."""
        network = network_of(self._ctx)
        if network is None:
            raise Trouble(6, f"Could not resolve host: {url.host} (the network is off in this sandbox)")
        self._ctx.flush()
        self._ctx.charge(1 + (len(body or b"") >> 10))
        return self._call(url, lambda: network.send(
            method, url, headers, body, self.remaining, connect_seconds=self._connect_seconds
        ))  # fmt: skip

    def chunks(self, url: Url, response: Response) -> Iterator[bytes]:
        """Yield the body of a response. Raises Trouble."""
        network = network_of(self._ctx)
        pieces = response.chunks()
        while True:
            piece = self._call(url, lambda: next(pieces, b""))
            if not piece:
                return
            self.received += len(piece)
            self._ctx.charge(1 + (len(piece) >> 10))
            if network is not None and self.received > network.max_bytes:
                raise Trouble(63, "Maximum file size exceeded")
            yield piece

    def remaining(self) -> float:
        """Return the remaining seconds of the request. Raises the error that ends the run, if there is one."""
        budget = self._ctx.budget
        if budget.exhausted is not None:
            raise budget.exhausted
        available = budget.remaining()
        if available <= 0:
            budget.fail("wall_seconds")
        network = network_of(self._ctx)
        limit = network.max_seconds if network is not None else available
        if self._seconds is not None:
            limit = min(limit, self._seconds)
        return min(available, limit - (monotonic() - self.start))

    def milliseconds(self) -> int:
        """Return the elapsed time."""
        return int((monotonic() - self.start) * 1000)

    def _call(self, url: Url, operation: Callable[[], T]) -> T:
        from sandhook.net.connection import ConnectFailed, ProtocolError, TlsError
        from sandhook.net.network import Unresolved

        port = f"{url.host} port {url.port}"
        try:
            return operation()
        except UrlRefused as refused:
            raise Trouble(7, f"Failed to connect to {port}: {refused}") from None
        except Unresolved:
            raise Trouble(6, f"Could not resolve host: {url.host}") from None
        except ConnectFailed as error:
            problem = "Timeout was reached" if error.late else "Couldn't connect to server"
            text = f"Failed to connect to {port} after {self.milliseconds()} ms: {problem}"
            raise Trouble(28 if error.late else 7, text, transient=error.late, refused=True) from None
        except TimeoutError:
            text = f"Operation timed out after {self.milliseconds()} milliseconds with {self.received} bytes received"
            raise Trouble(28, text, transient=True) from None
        except TlsError as error:
            if error.untrusted:
                raise Trouble(60, f"SSL certificate problem: {error}") from None
            raise Trouble(35, f"TLS connect error: {error}") from None
        except ProtocolError as error:
            if error.empty:
                raise Trouble(52, "Empty reply from server") from None
            if error.missing:
                raise Trouble(18, f"transfer closed with {error.missing} bytes remaining to read") from None
            raise Trouble(18 if self.received else 56, f"Recv failure: {error}") from None
        except OSError as error:
            raise Trouble(56, f"Recv failure: {error.strerror or error}") from None


def next_url(url: Url, response: Response) -> Url | None:
    """Return the target of a redirect, None for another response. Raises Trouble."""
    location = response.header("location")
    if response.status not in REDIRECTS or location is None:
        return None
    try:
        return join(url, location.strip())
    except UrlRefused as refused:
        raise Trouble(3, f"URL using bad/illegal format or missing URL: {refused}") from None

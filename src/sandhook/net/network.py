"""The network that a host allows its scripts to reach.

Shell(network=Network(["https://api.example.com"], credentials={"https://api.example.com": {"Authorization": "Bearer ..."}}))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from threading import Thread
from typing import TYPE_CHECKING

from sandhook.net.addresses import Resolve, addresses, is_public, resolve_in_time
from sandhook.net.url import Url, UrlRefused, allows, parse

if TYPE_CHECKING:
    from ssl import SSLContext

    from sandhook.net.connection import Remaining, Response


#: Methods whose response repeats the request with its credentials, or that open a tunnel.
_REFUSED_METHODS = frozenset({"TRACE", "TRACK", "CONNECT"})

#: A method; one with a space would name a path of its own. Source: RFC 9110 5.6.2, token.
_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Network:
    """The URLs that scripts may call, and how. Immutable; may serve any number of shells and threads.

    Nothing else can be reached: every redirect is checked again, every address of a host must be public, and the
    connection goes to the checked address itself. Proxies of the environment are not used.

    Args:
        allow: URLs: "https://api.example.com" is all of that scheme, host and port; a path narrows it, with ``*`` for
            any characters; "https://*.example.com" is every host below. An address that is not public, or
            "localhost", can be reached if it is listed here.
        private: Allow addresses that are not public for every allowed name.
        credentials: Headers for the requests to an origin (scheme, host, port), which scripts do not see: "https://host" to names
            and values. They replace a script's own of that name, and go to no other origin.
        max_bytes: The maximum size of one response.
        max_seconds: The time limit of one request, whatever limit a script sets.
        max_redirects: The number of redirects that are followed.
        resolve: Returns the addresses of a host and port; None for the system's resolver.
        tls: How connections are encrypted; the system's certificates when None.

    Raises:
        ValueError: A URL is invalid, or credentials are for a pattern.
    """

    def __init__(
        self,
        allow: Sequence[str] = (),
        *,
        private: bool = False,
        credentials: Mapping[str, Mapping[str, str]] | None = None,
        max_bytes: int = 16 << 20,
        max_seconds: float = 60.0,
        max_redirects: int = 20,
        resolve: Resolve | None = None,
        tls: SSLContext | None = None,
    ) -> None:
        if isinstance(allow, str):
            raise ValueError("allow: wanted a list of URLs, got one text")
        try:
            self._allow = tuple(map(_pattern, allow))
            self._credentials = {
                parse(text).origin: tuple(headers.items()) for text, headers in (credentials or {}).items()
            }
        except UrlRefused as error:
            raise ValueError(str(error)) from None
        self._private = private
        self._resolve = resolve or addresses
        self._tls = tls
        self.max_bytes = max_bytes
        self.max_seconds = max_seconds
        self.max_redirects = max_redirects

    def check(self, url: Url) -> None:
        """Raise UrlRefused for a URL that is not allowed."""
        if not any(allows(pattern, url) for pattern in self._allow):
            raise UrlRefused(f"{url.scheme}://{url.authority} is not on the list of URLs that may be called")

    def narrowed(self, test: Callable[[Url], bool]) -> Network:
        """Return this network for a caller that asks a test before each request: False refuses it."""
        return _Narrowed(self, test)

    def address(self, url: Url, wait: Callable[[Thread], None]) -> str:
        """Return the address to connect to for an allowed URL.

        Raises:
            UrlRefused: One of the host's addresses may not be reached.
            OSError: The host has none.
        """
        resolved = resolve_in_time(self._resolve, url.host, url.port, wait)
        if not resolved:
            raise OSError(f"{url.host} has no address")
        for address in resolved:
            if not (self._private or is_public(address) or self._is_listed(url, address)):
                raise UrlRefused(f"{url.host} has the address {address}, which is not public")
        return resolved[0]

    def _is_listed(self, url: Url, address: str) -> bool:
        """Return True if the list itself names an address that is not public."""
        names = {pattern.host for pattern in self._allow if allows(pattern, url)}
        if address in names:
            return True
        return "localhost" in names and url.host == "localhost" and address in ("127.0.0.1", "::1")

    def headers(self, url: Url, headers: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return a request's headers with the credentials of its origin."""
        own = self._credentials.get(url.origin, ())
        names = {name.lower() for name, _ in own}
        return [*((name, value) for name, value in headers if name.lower() not in names), *own]

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
        """Send one request, if it is allowed, and return the response, whose body the caller reads.

        Args:
            remaining: Returns the remaining seconds; raises the exception that ends the run.

        Raises:
            UrlRefused: The URL or an address of its host is not allowed.
            Unresolved: The host is not known.
            TimeoutError, TlsError, ProtocolError, OSError: See ``connection.send``.
        """
        from sandhook.net.connection import send

        if not _METHOD.fullmatch(method):
            raise UrlRefused(f"{method!r} is no method of HTTP")
        if method.upper() in _REFUSED_METHODS:
            raise UrlRefused(f"the method {method} is refused: a server may send the credentials back")
        self.check(url)
        try:
            address = self.address(url, lambda thread: _join(thread, remaining))
        except (TimeoutError, UrlRefused):
            raise
        except OSError as error:
            raise Unresolved(str(error)) from None
        return send(
            method,
            url,
            self.headers(url, headers),
            body,
            address,
            remaining,
            connect_seconds=connect_seconds,
            tls=self._tls,
        )


class _Narrowed(Network):
    """A network with a test before each request; it is asked also about what the network does not allow."""

    def __init__(self, network: Network, test: Callable[[Url], bool]) -> None:
        super().__init__(
            max_bytes=network.max_bytes, max_seconds=network.max_seconds, max_redirects=network.max_redirects
        )
        self._network = network
        self._test = test

    def check(self, url: Url) -> None:
        if not self._test(url):
            raise UrlRefused(f"{url.scheme}://{url.authority} is not in the manifest")
        self._network.check(url)

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
        self.check(url)
        return self._network.send(method, url, headers, body, remaining, connect_seconds=connect_seconds)


class Unresolved(OSError):
    """A host that has no address."""


def _pattern(text: str) -> Url:
    """Parse an entry of the list; one without a path allows every path."""
    url = parse(text, pattern=True)
    rest = text.partition("://")[2]
    return url._replace(path="/*") if "/" not in rest else url


def _join(thread: Thread, remaining: Remaining) -> None:
    while thread.is_alive():
        seconds = remaining()
        if seconds <= 0:
            raise TimeoutError
        thread.join(min(seconds, 0.25))

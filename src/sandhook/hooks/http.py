"""The executor for hooks of the type http: it posts the payload to URLs that the host allows, and no others.

    HookEngine.load(..., executors={"http": HttpRunner(["https://hooks.example.com/claude/*"])})

Nothing is reached that is not on the list; redirects are not followed; an address that is not public is
refused, and the connection goes to the very address that was looked at. Needs urllib3 (``sandhook[net]``).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence

from sandhook.hooks.model import Ran, Request
from sandhook.pattern.glob import compile_pattern
from sandhook.record import Record

#: Bytes of an answer.
MAX_ANSWER = 1 << 20

_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")
_PATH = re.compile(r"[!-\[\]-~]*\Z")  # visible ASCII without the backslash

#: Headers that belong to the connection.
_OURS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade", "expect"}
)


class Refused(Exception):
    """Why a URL is not called."""


class Url(Record):
    """The parts of a URL that count; ``path`` has the query too."""

    scheme: str
    host: str
    port: int
    path: str


class Call(Record):
    """One request, as it leaves.

    Attributes:
        url: Where it goes.
        address: The address of the host that was looked at.
        headers, body: What is sent.
        seconds: The most that it may take in all.
        max_bytes: The most of the answer that is read.
    """

    url: Url
    address: str
    headers: Mapping[str, str]
    body: bytes
    seconds: float
    max_bytes: int


class Reply(Record):
    """What came back: status, the body as far as it was read, and whether that is all of it."""

    status: int
    body: bytes = b""
    truncated: bool = False


class HttpRunner:
    """Posts payloads of http hooks.

    Args:
        allow: URLs that may be called, with ``*`` for any characters of the path and, at its beginning, for
            the first labels of the host: "https://*.example.com/hooks/*".
        private: Reach addresses that are not public, too.
        max_bytes: The most of an answer that is read.
        resolve: Gives the addresses of a host and port; the system's own way when None.
        send: Sends a call, TimeoutError when it takes too long; urllib3 when None.

    Raises:
        ValueError: A pattern without a scheme or a host.
    """

    concurrent = True

    def __init__(
        self,
        allow: Sequence[str],
        *,
        private: bool = False,
        max_bytes: int = MAX_ANSWER,
        resolve: Callable[[str, int], Sequence[str]] | None = None,
        send: Callable[[Call], Reply] | None = None,
    ) -> None:
        try:
            self._allow = tuple(parse(each, pattern=True) for each in allow)
        except Refused as error:
            raise ValueError(f"allow: {error}") from None
        self._private = private
        self._max_bytes = max_bytes
        self._resolve = resolve or addresses
        self._send = send or _urllib3

    def __call__(self, request: Request) -> Ran:
        """Post a request's payload; a status of 200 to 299 is a run with the exit status 0."""
        begun = time.monotonic()
        try:
            call = self._call(request)
            if request.cancel is not None and request.cancel.cancelled:
                return Ran(limit="cancelled")
            reply = self._send(call)
        except (Refused, ImportError) as error:
            return Ran(failure=str(error))
        except TimeoutError:
            return Ran(limit="wall_seconds", duration=time.monotonic() - begun)
        except (OSError, UnicodeError) as error:
            return Ran(failure=f"cannot reach {request.spec.executor.text}: {error}")
        spent = time.monotonic() - begun
        if 300 <= reply.status < 400:
            return Ran(failure=f"HTTP status {reply.status}: redirects are not followed", duration=spent)
        if not 200 <= reply.status < 300:
            return Ran(failure=f"HTTP status {reply.status}", duration=spent)
        return Ran(0, reply.body, truncated=reply.truncated, duration=spent)

    def _call(self, request: Request) -> Call:
        url = parse(request.spec.executor.text)
        if not any(_allows(each, url) for each in self._allow):
            raise Refused(f"{request.spec.executor.text} is not on the list of URLs that hooks may call")
        found = self._resolve(url.host, url.port)
        if not found:
            raise Refused(f"{url.host} has no address")
        if not self._private:
            for address in found:
                if not is_public(address):
                    raise Refused(f"{url.host} has the address {address}, which is not public")
        config = request.spec.executor.config or {}
        headers = fill(config.get("headers") or {}, request.inherited)
        return Call(url, found[0], headers, request.stdin, request.spec.timeout, self._max_bytes)


def parse(text: str, *, pattern: bool = False) -> Url:
    """Take a URL apart; Refused for one that two readers could read differently.

    Args:
        pattern: ``*`` may stand in the host and the path.
    """
    scheme, mark, rest = text.partition("://")
    scheme = scheme.lower()
    if not mark or scheme not in ("http", "https"):
        raise Refused(f"{text!r} is no URL of http or https")
    if not _PATH.match(rest) or "@" in rest.partition("/")[0]:
        raise Refused(f"{text!r} has characters that a URL does not have, or a user")
    rest = rest.partition("#")[0]
    authority, _, path = rest.partition("/")
    if "?" in authority:
        raise Refused(f"{text!r} has no path before its query")
    host, port = _host_and_port(authority, scheme, text)
    plain = host.replace("*", "") if pattern else host
    if not plain or not re.fullmatch(r"[a-z0-9.:_-]+", plain):
        raise Refused(f"{text!r} has no plain host")
    if pattern and "*" in host and (not host.startswith("*.") or "*" in host[1:]):
        raise Refused(f"{text!r}: * stands for a host's first labels alone")
    segments = path.partition("?")[0].lower().replace("%2e", ".").replace("%2f", "/").split("/")
    if "." in segments or ".." in segments:
        raise Refused(f"{text!r} goes up in its path")
    return Url(scheme, host, port, "/" + path)


def _host_and_port(authority: str, scheme: str, text: str) -> tuple[str, int]:
    if authority.startswith("["):
        host, bracket, rest = authority[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")):
            raise Refused(f"{text!r} has no plain host")
        port = rest[1:]
    else:
        host, _, port = authority.partition(":")
    if port and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536):
        raise Refused(f"{text!r} has no plain port")
    return host.lower().rstrip("."), int(port) if port else (443 if scheme == "https" else 80)


def _allows(pattern: Url, url: Url) -> bool:
    if (pattern.scheme, pattern.port) != (url.scheme, url.port):
        return False
    if pattern.host.startswith("*."):
        if not url.host.endswith(pattern.host[1:]) or url.host == pattern.host[2:]:
            return False
    elif pattern.host != url.host:
        return False
    literal = "".join(c if c == "*" or c.isalnum() else f"\\{c}" for c in pattern.path)
    return compile_pattern(literal).matches(url.path)


def is_public(address: str) -> bool:
    """Tell whether an address is one of the public internet, with all that it carries inside."""
    from ipaddress import IPv6Address, ip_address

    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if found.is_multicast or found.is_reserved or found.is_unspecified or not found.is_global:
        return False
    if isinstance(found, IPv6Address):
        inner = [found.ipv4_mapped, found.sixtofour, *(found.teredo or ())]
        if int(found) >> 32 in (0x0064FF9B << 64, 0):  # NAT64, and the old compatible form
            return False
        return all(each.is_global for each in inner if each is not None)
    return True


def fill(headers: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, str]:
    """Return headers with ``$NAME`` and ``${NAME}`` filled in; names that are not given are empty.

    Raises Refused for a header that would break the request.
    """
    made = {"Content-Type": "application/json"}
    for name, text in headers.items():
        value = _VARIABLE.sub(lambda found: variables.get(found[1] or found[2], ""), text)
        if not _NAME.match(name) or name.lower() in _OURS:
            raise Refused(f"the header {name!r} cannot be set by a hook")
        if any((ord(c) < 0x20 and c != "\t") or not ord(c) < 0x7F for c in value):
            raise Refused(f"the header {name!r} has characters that a header cannot carry")
        made = {key: kept for key, kept in made.items() if key.lower() != name.lower()}
        made[name] = value.strip()
    return made


def addresses(host: str, port: int) -> Sequence[str]:
    """Return a host's addresses as the system knows them."""
    import socket

    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def _urllib3(call: Call) -> Reply:
    """Send a call with urllib3: no redirects, no proxies, no retries, nothing unpacked."""
    try:
        import urllib3
    except ImportError:
        raise ImportError("hooks of the type http need urllib3: install sandhook[net]") from None
    deadline = time.monotonic() + call.seconds
    url, options = call.url, {"retries": False, "timeout": urllib3.Timeout(total=call.seconds)}
    if url.scheme == "https":
        options |= {"server_hostname": url.host, "assert_hostname": url.host, "cert_reqs": "CERT_REQUIRED"}
    pool_type = urllib3.HTTPSConnectionPool if url.scheme == "https" else urllib3.HTTPConnectionPool
    host = f"[{call.address}]" if ":" in call.address else call.address
    named = f"[{url.host}]" if ":" in url.host else url.host
    standard = url.port == (443 if url.scheme == "https" else 80)
    headers = {
        **call.headers,
        "Host": named if standard else f"{named}:{url.port}",
        "Accept-Encoding": "identity",
    }
    with pool_type(host, url.port, **options) as pool:
        try:
            response = pool.request(
                "POST",
                url.path,
                body=call.body,
                headers=headers,
                redirect=False,
                preload_content=False,
                decode_content=False,
            )
            try:
                return _read(response, call.max_bytes, deadline)
            finally:
                response.close()
        except urllib3.exceptions.NewConnectionError as error:  # it is a TimeoutError of theirs, too
            raise OSError(str(error)) from None
        except urllib3.exceptions.TimeoutError:
            raise TimeoutError from None
        except urllib3.exceptions.HTTPError as error:
            raise OSError(str(error)) from None


def _read(response: object, most: int, deadline: float) -> Reply:
    parts: list[bytes] = []
    size = 0
    while size <= most:
        part: bytes = response.read1(min(65_536, most + 1 - size), decode_content=False)  # type: ignore[attr-defined]
        if not part:
            break
        parts.append(part)
        size += len(part)
        if time.monotonic() > deadline:
            raise TimeoutError
    body = b"".join(parts)
    return Reply(response.status, body[:most], len(body) > most)  # type: ignore[attr-defined]

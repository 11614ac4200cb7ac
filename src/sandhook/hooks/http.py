"""The executor for hooks of the type http: posts the payload to URLs that the host allows.

    HookEngine.load(..., executors={"http": HttpRunner(["https://hooks.example.com/claude/*"])})

Other URLs are refused, and so are addresses that are not public. Redirects are not followed. The connection
goes to the very address that was checked.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence

from sandhook.hooks.decode import texts_of
from sandhook.hooks.model import Request, RunResult
from sandhook.net.addresses import addresses, is_public, join_in_time, resolve_in_time
from sandhook.net.url import Url, UrlRefused, allows, parse
from sandhook.record import Record
from sandhook.text.variables import filled as filled_text

#: The most bytes of an answer.
MAX_ANSWER = 1 << 20

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")

#: Headers that belong to the connection.
_OURS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "upgrade", "expect"}
)


__all__ = ["Call", "HttpRunner", "UrlRefused", "Reply", "Url", "fill", "is_public", "parse"]


class Call(Record):
    """One HTTP request.

    Attributes:
        url: The destination.
        address: The checked address of the host.
        headers, body: What is sent.
        seconds: The most that the whole request may last.
        max_bytes: The most bytes of the answer that are read.
    """

    url: Url
    address: str
    headers: Mapping[str, str]
    body: bytes
    seconds: float
    max_bytes: int


class Reply(Record):
    """One HTTP answer: the status, the body up to the limit, and whether the body was cut."""

    status: int
    body: bytes = b""
    truncated: bool = False


class HttpRunner:
    """Posts payloads of http hooks.

    Args:
        allow: URLs that may be called, with ``*`` for any characters of the path and, at its beginning, for
            the first labels of the host: "https://*.example.com/hooks/*".
        private: Also allow addresses that are not public.
        max_bytes: The most bytes of an answer that are read.
        resolve: Returns the addresses of a host and port; the system's own way when None.
        send: Sends a call, or raises TimeoutError; uses ``sandhook.net`` when None.

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
        except UrlRefused as error:
            raise ValueError(f"allow: {error}") from None
        self._private = private
        self._max_bytes = max_bytes
        self._resolve = resolve or addresses
        self._send = send or _over_network

    def __call__(self, request: Request) -> RunResult:
        """Post a request's payload; a status of 200 to 299 is a run with the exit status 0."""
        begun = time.monotonic()
        try:
            call = self._call(request, begun)
            if request.cancel is not None and request.cancel.cancelled:
                return RunResult(limit="cancelled")
            reply = self._send(call)
        except UrlRefused as error:
            return RunResult(failure=str(error))
        except TimeoutError:
            return RunResult(limit="wall_seconds", duration=time.monotonic() - begun)
        except (OSError, UnicodeError) as error:
            return RunResult(failure=f"cannot reach {request.spec.executor.text}: {error}")
        spent = time.monotonic() - begun
        if 300 <= reply.status < 400:
            return RunResult(
                failure=f"HTTP status {reply.status}: redirects are not followed", duration=spent
            )
        if not 200 <= reply.status < 300:
            return RunResult(failure=f"HTTP status {reply.status}", duration=spent)
        return RunResult(0, reply.body, truncated=reply.truncated, duration=spent)

    def _call(self, request: Request, begun: float) -> Call:
        config = request.spec.executor.config or {}
        url = self._url(request)
        if not any(allows(each, url) for each in self._allow):
            raise UrlRefused(f"{request.spec.executor.text} is not on the list of URLs that hooks may call")
        resolved = resolve_in_time(
            self._resolve, url.host, url.port, lambda thread: join_in_time(thread, request.spec.timeout)
        )
        if not resolved:
            raise UrlRefused(f"{url.host} has no address")
        if not self._private:
            for address in resolved:
                if not is_public(address):
                    raise UrlRefused(f"{url.host} has the address {address}, which is not public")
        headers = fill(texts_of(config, "headers"), request.inherited)
        seconds = request.spec.timeout - (time.monotonic() - begun)
        return Call(url, resolved[0], headers, request.stdin, seconds, self._max_bytes)

    def _url(self, request: Request) -> Url:
        """Return the URL that is called; what is on the list is decided with its variables filled in."""
        written = request.spec.executor.text
        text = written
        if (request.spec.executor.config or {}).get("fills_url"):
            text = filled_text(written, request.inherited)
        try:
            return parse(text)
        except UrlRefused:
            if text == written:
                raise
            # the values may be secrets
            raise UrlRefused(
                f"{written!r} with its variables filled in is not a URL that can be called"
            ) from None


def fill(headers: Mapping[str, str], variables: Mapping[str, str]) -> dict[str, str]:
    """Return headers with ``$NAME`` and ``${NAME}`` filled in; unset variables are empty.

    Raises UrlRefused for a header that would break the request.
    """
    filled = {"Content-Type": "application/json"}
    for name, text in headers.items():
        value = filled_text(text, variables)
        if not _NAME.match(name) or name.lower() in _OURS:
            raise UrlRefused(f"the header {name!r} cannot be set by a hook")
        if any((ord(c) < 0x20 and c != "\t") or not ord(c) < 0x7F for c in value):
            raise UrlRefused(f"the header {name!r} has characters that a header cannot carry")
        filled = {key: kept for key, kept in filled.items() if key.lower() != name.lower()}
        filled[name] = value.strip()
    return filled


def _over_network(call: Call) -> Reply:
    """Send a call over the checked connection: no redirects, no proxies, no retries, nothing unpacked."""
    from sandhook.net.connection import send

    deadline = time.monotonic() + call.seconds

    def remaining() -> float:
        return deadline - time.monotonic()

    headers = [*call.headers.items(), ("Accept-Encoding", "identity")]
    with send("POST", call.url, headers, call.body, call.address, remaining) as response:
        parts: list[bytes] = []
        size = 0
        for part in response.chunks():
            parts.append(part)
            size += len(part)
            if size > call.max_bytes:
                break
        return Reply(response.status, b"".join(parts)[: call.max_bytes], size > call.max_bytes)

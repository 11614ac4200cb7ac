"""HTTP of the service: the usual request that fires an event is read and answered here, any other one by uvicorn.

An agent posts the same head again and again. So its meaning is remembered, and a fire costs neither a scope, a route,
a task nor a response object. A request that is unusual in any way goes with its connection to uvicorn and to the ASGI
application, which fires events too: what this module does not know is never decided here.
"""

from __future__ import annotations

import re
from asyncio import AbstractEventLoop, BaseTransport, Protocol, TimerHandle, Transport, get_running_loop
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import httptools  # noqa: F401 - uvicorn's protocol needs it, and the extra declares it
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.utils import get_local_addr
from uvicorn.server import ServerState

from sandhook.hooks import contracts
from sandhook.record import Record
from sandhook.serve.answers import JSON, answer_of
from sandhook.serve.asgi import TRANSPORT, Application
from sandhook.serve.firing import FireCall, Fired
from sandhook.serve.handover import pass_on
from sandhook.serve.service import Job

if TYPE_CHECKING:
    from socket import socket as Socket

#: Bytes of the head of a request.
MOST_HEAD = 65536

#: Bytes that a client may send ahead while its event is fired.
_MOST_AHEAD = 1 << 20

#: Bytes a second that the body of a request must have.
_SLOWEST = 65536

#: Seconds for which a connection may be idle between two requests.
KEEP_ALIVE = 30

_HEAD = re.compile(
    rb"POST /v1/hooks/([a-z_]{1,40})(?:\?([!-~]*))? HTTP/1\.1\r\n((?:[0-9A-Za-z-]+:[\t -~]*\r\n)+)\r\n"
)

#: Headers with which a request is not usual.
_UNUSUAL = frozenset({b"transfer-encoding", b"expect", b"upgrade", b"content-encoding"})

_PHRASES = {200: "OK", 400: "Bad Request", 500: "Internal Server Error"}


class Head(Record):
    """The head of a usual request.

    Attributes:
        data: Its bytes.
        call: What it fires, without the body.
        length: Bytes of the body.
        closes: The client wants no further answer on this connection.
    """

    data: bytes
    call: FireCall
    length: int
    closes: bool


class CuttingProtocol(HttpToolsProtocol):
    """HTTP of uvicorn that cuts clients that do not finish their headers, and answers those that closed their half.

    The limits of the service are in ``config.app.service``.
    """

    _deadline: TimerHandle | None = None
    _head = 0

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._begin()

    def data_received(self, data: bytes) -> None:
        if self._deadline is not None:
            self._head += len(data)
        super().data_received(data)
        if self._deadline is not None and self._head > MOST_HEAD:
            self._cut()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = {TRANSPORT: {"transport": self.transport}}
        self._begin()

    def on_headers_complete(self) -> None:
        self._finish()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._finish()
        super().connection_lost(exc)

    def leave(self, channel: Socket | None, *, is_quiet: bool) -> None:
        """As ``EventProtocol.leave``."""
        cycle = self.cycle
        if self._deadline is not None:  # a head is on its way
            return
        if cycle is not None and not cycle.response_complete:
            cycle.keep_alive = False
        elif self.pipeline or self.transport.is_closing():
            return
        elif channel is None:
            if is_quiet:
                self.transport.close()
        else:
            pass_on(channel, self.transport)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Keep a connection whose client sends nothing more, until it has its answer."""
        return self.cycle is not None and not self.cycle.response_complete

    def _begin(self) -> None:
        self._finish()
        application: Application = self.config.app  # type: ignore[assignment]
        self._deadline = self.loop.call_later(application.service.limits.read_seconds, self._cut)

    def _finish(self) -> None:
        self._head = 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _cut(self) -> None:
        self._finish()
        self.transport.abort()


class EventProtocol(Protocol):
    """One connection. uvicorn makes it, and counts it as one of its own."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: AbstractEventLoop | None = None,
    ) -> None:
        self._arguments = (config, server_state, app_state, _loop)
        application: Application = config.app  # type: ignore[assignment]
        self._service = application.service
        self._gate = application.gate
        self._connections: set[Any] = server_state.connections
        self._loop = _loop or get_running_loop()
        self._transport: Transport = None  # type: ignore[assignment]
        self._timer: TimerHandle | None = None
        self._deadline: float | None = None
        self._head: Head | None = None  # of the last request
        self._pieces: list[bytes] = []
        self._missing = 0  # bytes of a body of which a part is here
        self._rest = b""  # an incomplete head, or what a client sent ahead
        self._job: Job | None = None
        self._is_firing = False
        self._is_ended = False  # the client sends nothing more
        self._closes = False

    # ------------------------------------------------------------------ events of the connection

    def connection_made(self, transport: BaseTransport) -> None:
        assert isinstance(transport, Transport)
        self._transport = transport
        self._connections.add(self)
        limits = self._service.limits
        if len(self._connections) > limits.connections:
            transport.abort()
            return
        self._deadline = self._loop.time() + limits.read_seconds
        self._timer = self._loop.call_at(self._deadline, self._look_at_clock)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        if self._timer is not None:
            self._timer.cancel()
        if self._job is not None:
            self._service.forget(self._job)

    def data_received(self, data: bytes) -> None:
        if self._missing:
            self._pieces.append(data)
            self._missing -= len(data)
            if self._missing <= 0:
                self._missing = 0
                whole, self._pieces = b"".join(self._pieces), []
                self._fire(whole)
        elif self._is_firing:
            self._rest += data
            if len(self._rest) > _MOST_AHEAD:
                self._transport.pause_reading()
        else:
            self._read(self._rest + data if self._rest else data)

    def eof_received(self) -> bool:
        self._is_ended = True
        return self._is_firing

    def pause_writing(self) -> None:
        self._deadline = self._loop.time() + self._service.limits.write_seconds

    def resume_writing(self) -> None:
        self._deadline = self._loop.time() + KEEP_ALIVE

    def shutdown(self) -> None:
        """End the connection after the answer of its event; uvicorn calls it when the server ends."""
        self._closes = True
        if not self._is_firing:
            self._transport.close()

    def keep(self) -> None:
        """Let the connection be idle, as after an answer: another service has answered its client before."""
        self._deadline = self._loop.time() + KEEP_ALIVE

    def leave(self, channel: Socket | None, *, is_quiet: bool) -> None:
        """Give the connection up as soon as it is idle, and without loss of what its client sends.

        Args:
            channel: To the service that receives it; None without one.
            is_quiet: An idle one may be closed.
        """
        is_idle = not (self._is_firing or self._missing or self._rest or self._transport.is_closing())
        if is_idle and channel is not None and not self._is_ended and pass_on(channel, self._transport):
            return
        self._closes = True
        if is_idle and channel is None and is_quiet:
            self._transport.close()

    def _look_at_clock(self) -> None:
        """Cut a client that is too slow. One timer for all requests of a connection is not set for each of them."""
        now, seconds = self._loop.time(), self._service.limits.read_seconds
        if self._deadline is not None and self._deadline <= now:
            self._timer = None
            self._transport.abort()
            return
        self._timer = self._loop.call_at(
            min(self._deadline or now + seconds, now + seconds), self._look_at_clock
        )

    # ------------------------------------------------------------------ requests

    def _read(self, data: bytes) -> None:
        """Read the head of a request, and its body as far as it is here."""
        head = self._head
        if head is None or not data.startswith(head.data):
            end = data.find(b"\r\n\r\n")
            if end < 0 and len(data) < MOST_HEAD and data.startswith(b"POST /v1/hooks/"[: len(data)]):
                if not self._rest:
                    self._deadline = self._loop.time() + self._service.limits.read_seconds
                self._rest = data
                return
            head = self._head = self._head_of(data[: end + 4]) if end >= 0 else None
            if head is None:
                self._hand_over(data)
                return
        self._rest = b""
        body = data[len(head.data) :]
        if len(body) >= head.length:
            self._fire(body)
            return
        self._missing = head.length - len(body)
        self._pieces = [body]
        seconds = self._service.limits.read_seconds + head.length / _SLOWEST
        self._deadline = self._loop.time() + seconds

    def _head_of(self, data: bytes) -> Head | None:
        """Return the meaning of a head, None when it is not usual."""
        usual = _HEAD.fullmatch(data)
        if usual is None:
            return None
        agent = usual[1].decode()
        headers: list[tuple[bytes, bytes]] = []
        for line in usual[3].splitlines():
            name, _, value = line.partition(b":")
            headers.append((name.lower(), value.strip(b" \t")))
        values = dict(headers)
        length = values.get(b"content-length", b"")
        connection = values.get(b"connection", b"keep-alive").lower()
        if (
            len(values) != len(headers)
            or not _UNUSUAL.isdisjoint(values)
            or not length.isdigit()
            or len(length) > 12
            or int(length) > self._service.limits.body_bytes
            or connection not in (b"keep-alive", b"close")
            or agent not in contracts.names()
        ):
            return None
        scope = {"path": f"/v1/hooks/{agent}", "headers": headers, "server": get_local_addr(self._transport)}
        if self._gate.fault(scope) is not None:
            return None
        query = dict(parse_qsl((usual[2] or b"").decode(), keep_blank_values=True))
        call = FireCall(agent, query.get("event"), query.get("workspace", ""), b"")
        return Head(data, call, int(length), connection == b"close")

    def _fire(self, data: bytes) -> None:
        """Fire the event of the last head; after its body, data has what the client sent ahead."""
        head = self._head
        assert head is not None
        body = data
        if len(data) > head.length:
            body, self._rest = data[: head.length], data[head.length :]
        agent, event, directory, _ = head.call
        self._is_firing = True
        self._deadline = None
        job = self._service.submit(FireCall(agent, event, directory, body), "http", self._answer)
        self._job = job if self._is_firing else None

    def _answer(self, fired: Fired) -> None:
        head = self._head
        assert head is not None
        self._is_firing = False
        self._job = None
        if self._transport.is_closing():
            return
        answer = answer_of(head.call.agent, fired)
        closes = head.closes or self._closes or self._service.stopping
        self._deadline = self._loop.time() + KEEP_ALIVE
        self._transport.write(
            _answer_head(answer.status, answer.media_type, len(answer.body), closes) + answer.body
        )
        if closes:
            self._transport.close()
        elif self._rest:
            self._loop.call_soon(self._read_on)
        elif self._is_ended:
            self._transport.close()

    def _read_on(self) -> None:
        """Read what the client sent ahead."""
        if self._transport.is_closing() or self._is_firing:
            return
        self._transport.resume_reading()
        rest, self._rest = self._rest, b""
        self._deadline = self._loop.time() + self._service.limits.read_seconds
        self._read(rest)
        if self._is_ended and not self._is_firing:
            self._transport.close()

    def _hand_over(self, data: bytes) -> None:
        """Let uvicorn read this request and all later ones of the connection."""
        if self._timer is not None:
            self._timer.cancel()
        self._connections.discard(self)
        other = CuttingProtocol(*self._arguments)
        self._transport.set_protocol(other)
        other.connection_made(self._transport)
        other.data_received(data)
        if self._is_ended and not other.eof_received():
            self._transport.close()


def _answer_head(status: int, media_type: str, length: int, closes: bool) -> bytes:
    if status == 200 and media_type == JSON and not closes:
        return b"%b%d\r\n\r\n" % (_USUAL_ANSWER, length)
    connection = "Connection: close\r\n" if closes else ""
    return (
        f"HTTP/1.1 {status} {_PHRASES[status]}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\n"
        f"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n{connection}\r\n"
    ).encode("latin-1")


_USUAL_ANSWER = (
    f"HTTP/1.1 200 OK\r\nContent-Type: {JSON}\r\nCache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\nContent-Length: "
).encode("latin-1")

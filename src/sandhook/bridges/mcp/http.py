"""The proxy for servers that are reached by HTTP: it listens, and passes each request on with hooks around tool calls.

Requests and responses keep their headers, so that sessions, protocol versions and authorization are matters of the two
sides, whatever their version of the protocol. Source: modelcontextprotocol.io, "Transports", 2025-11-25.
"""

from __future__ import annotations

import os
import socket
import sys
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from select import select
from socketserver import TCPServer
from threading import Event as Flag
from threading import Lock, Thread
from typing import Any
from urllib.parse import urlsplit

from sandhook.bridges.core import Guard
from sandhook.bridges.mcp.endpoint import (
    JSON,
    STREAM,
    Unusable,
    end_to_end,
    endpoint_of,
    is_closed,
    kind_of,
    read_body,
    response_of,
    send,
)
from sandhook.bridges.mcp.events import LARGEST, Event, UnreadableStream, read_events
from sandhook.bridges.mcp.http_sessions import Messages, Session, unknown_response
from sandhook.bridges.mcp.messages import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    ErrorCode,
    MalformedMessage,
    error_line,
    line_of,
    read,
)
from sandhook.bridges.mcp.process import on_signals
from sandhook.bridges.mcp.relay import Ask, PendingCall, Relay
from sandhook.bridges.mcp.routing import PARAMETER, Routing, difference
from sandhook.hooks.event import Json

#: Sessions whose calls are remembered.
_SESSIONS = 10_000

#: Seconds between looks whether the client has closed its connection.
_LOOK = 0.25

#: Connections at once, and the seconds that one may be idle or a client may take for a part of its request.
CONNECTIONS, IDLE = 256, 60.0

_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class HttpProxy(ThreadingHTTPServer):
    """A proxy of one server.

    Args:
        port: Where it listens, on the loopback interface alone; 0 chooses a port.
        url: The server's endpoint.
        guard: The hooks.
        name: The server's name for hooks.
        note: Receives a line for people.
        ask: The meaning of a hook that wants to ask.

    Raises:
        OSError: The port cannot be used.
        ValueError: The URL is not one of HTTP.
    """

    daemon_threads = True
    request_queue_size = CONNECTIONS  # those that begin at once: socketserver's 5 reset others
    allow_reuse_address = sys.platform != "win32"  # two processes could listen on one port there

    def __init__(
        self,
        port: int,
        url: str,
        guard: Guard,
        name: str,
        *,
        note: Callable[[str], None],
        ask: Ask = "refuse",
    ) -> None:
        self.endpoint = endpoint_of(url)
        self.path = self.endpoint.path
        self.guard, self.name, self.note, self.ask = guard, name, note, ask
        self.messages = Messages()
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._tasks: dict[str, PendingCall] = {}
        self.routing = Routing()
        self._lock = Lock()
        self._count = self._open = 0
        super().__init__(("127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        """Take the port for this process alone, and ask no name server for the machine's name, as HTTPServer does."""
        if sys.platform == "win32":
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        TCPServer.server_bind(self)
        self.server_port = self.socket.getsockname()[1]

    @property
    def address(self) -> str:
        """The URL for clients."""
        return f"http://127.0.0.1:{self.server_port}{self.path}"

    def session(self, name: str | None) -> Session:
        """Return the calls of a session; without a name, those of one request."""
        with self._lock:
            known = None if name is None else self._sessions.get(name)
            if known is None:
                self._count += 1
                known = Session(
                    Relay(
                        self.guard,
                        self.name,
                        lambda line: self.messages.to_server.append(line),
                        lambda line: self.messages.to_client.append(line),
                        lambda task: task(),
                        note=self.note,
                        session_id=f"mcp-{os.getpid()}-{self._count}",
                        ask=self.ask,
                        tasks=self._tasks,
                    )
                )
            if name is not None:
                self._sessions[name] = known
                self._sessions.move_to_end(name)
                self._forget_idle()
            return known

    def keep(self, name: str, session: Session) -> None:
        """Keep a session that a server has just begun."""
        with self._lock:
            self._sessions.setdefault(name, session)

    def drop(self, name: str) -> None:
        """Forget a session that a client has ended."""
        with self._lock:
            self._sessions.pop(name, None)

    def _forget_idle(self) -> None:
        if len(self._sessions) > _SESSIONS:
            idle = next((name for name, each in self._sessions.items() if not each.relay.has_calls), None)
            if idle is not None:
                del self._sessions[idle]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread, unless too many are open."""
        with self._lock:
            is_full = self._open >= CONNECTIONS
            self._open += not is_full
        if not is_full:
            super().process_request(request, client_address)
            return
        self.note(f"a connection was refused: {CONNECTIONS} are open")
        with suppress(OSError):
            request.sendall(
                b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            )
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._lock:
                self._open -= 1

    def handle_error(self, request: object, client_address: object) -> None:
        """Print nothing: a client that closes its connection is no error of the proxy."""


def serve(proxy: HttpProxy) -> int:
    """Serve until a signal ends it; return the exit status, as a shell has it."""
    ended: list[int] = []

    def end(number: int) -> None:
        ended.append(number)
        Thread(
            target=proxy.shutdown, daemon=True
        ).start()  # it waits for the loop that this handler interrupts

    on_signals(("SIGTERM", "SIGHUP", "SIGINT"), end)
    try:
        proxy.serve_forever()
    finally:
        proxy.server_close()
    return 128 + ended[0] if ended else 0


class _Refused(Exception):
    """The proxy answers instead of the server."""

    def __init__(self, status: int, text: str, identity: Json = None, code: ErrorCode | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.body = error_line(identity, code or (INVALID_REQUEST if status < 500 else INTERNAL_ERROR), text)


class _Handler(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    server: HttpProxy
    timeout = IDLE
    disable_nagle_algorithm = True  # a body would wait 40 ms for the acknowledgement of its headers
    upstream_socket: socket.socket | None = None
    _upstream: HTTPConnection | None = None

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        self._answer(self._post)

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_DELETE(self) -> None:
        self._answer(self._delete)

    def _answer(self, work: Callable[[], None]) -> None:
        """Answer one request; whatever fails, the client gets no result that was not checked."""
        self._has_begun = False
        try:
            self._check_request()
            work()
        except _Refused as refused:
            self._reply(refused.status, refused.body)
        except (OSError, HTTPException, UnreadableStream) as error:
            self.server.note(f"{self.command} failed: {(why := self.server.endpoint.unreached(error))}")
            self._drop_upstream()
            self._fail(why)
        except Exception as error:  # a defect must not look like an answer
            self.server.note(f"{self.command} failed: {error.__class__.__name__}: {error}")
            self._drop_upstream()
            self._fail("the proxy failed")

    def _fail(self, text: str) -> None:
        if self._has_begun:
            self.close_connection = True  # the client sees a stream that was cut
        else:
            self._reply(502, error_line(None, INTERNAL_ERROR, text))

    def finish(self) -> None:
        self._drop_upstream()
        with suppress(OSError):
            super().finish()

    def _check_request(self) -> None:
        """Refuse what a page of the web could have made a browser send, and paths that are not the server's."""
        if self.request_version != "HTTP/1.1":
            self.close_connection = True
            raise _Refused(505, "wanted HTTP/1.1")
        for name in ("Host", "Origin"):
            value = self.headers.get(name)
            if value is not None:
                host = urlsplit(value if "//" in value else f"//{value}").hostname
                if host not in _LOOPBACK:
                    raise _Refused(403, f"the {name} {value!r} is not this machine's")
        if (path := self.path.partition("?")[0]) != self.server.path:
            raise _Refused(404, f"there is no {path} here; wanted {self.server.path}")

    # The three methods.

    def _post(self) -> None:
        body = self._body()
        name = self.headers.get("Mcp-Session-Id")
        session = self.server.session(name)
        message: Json = None
        with suppress(MalformedMessage):  # of which the relay makes an error
            message = read(body)
        if isinstance(message, dict) and (wrong := difference(self.headers.items(), message)) is not None:
            raise _Refused(400, wrong, message.get("id"), HEADER_MISMATCH)
        session.note(message)
        identity = message.get("id") if isinstance(message, dict) else None
        to_server, to_client = self.server.messages.collect(session.relay.from_client, body)
        if to_client:
            answers = [read(line) for line in to_client]
            is_error = any(isinstance(each, dict) and "error" in each for each in answers)
            answer = line_of(answers) if isinstance(message, list) else to_client[0]
            self._reply(400 if is_error else 200, answer)
            return
        if not to_server:
            if identity is None:
                self._reply(202, b"")
                return
            raise _Refused(400, "the call was cancelled", identity)
        call = session.relay.pending(identity)
        try:
            response = self._ask_server("POST", to_server[0], self._parameters(body, to_server[0]))
            begun = response.getheader("Mcp-Session-Id")
            if begun is not None and name is None:
                self.server.keep(begun, session)
            can_continue = self._pass_response(response, session, is_post=True)
        except BaseException:
            session.relay.abandon(identity, call)
            raise
        if not can_continue:
            session.relay.abandon(identity, call)

    def _get(self) -> None:
        session = self.server.session(self.headers.get("Mcp-Session-Id"))
        self._pass_response(self._ask_server("GET", None), session, is_post=False)

    def _delete(self) -> None:
        response = self._ask_server("DELETE", None)
        name = self.headers.get("Mcp-Session-Id")
        if name is not None and response.status < 300:
            self.server.drop(name)
        self._pass_response(response, self.server.session(None), is_post=False)

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length")
        if length is None or not length.isdigit() or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            raise _Refused(411, "a request needs a Content-Length")
        if int(length) > LARGEST:
            self.close_connection = True
            raise _Refused(413, f"a request has more than {LARGEST} bytes")
        if "Content-Encoding" in self.headers:
            raise _Refused(415, "a request must not be compressed")
        try:
            body = self.rfile.read(int(length))
        except TimeoutError:
            self.close_connection = True
            raise _Refused(408, f"the rest of the request did not come within {IDLE:.0f} s") from None
        if len(body) < int(length):
            self.close_connection = True
            raise _Refused(400, f"the request ended after {len(body)} of {length} bytes")
        return body

    # The server.

    def _parameters(self, body: bytes, changed: bytes) -> dict[str, str] | None:
        """Return the headers that repeat arguments which hooks changed; None for those of the client."""
        if changed == body or not any(name.lower().startswith(PARAMETER) for name in self.headers):
            return None
        message = read(changed)
        assert isinstance(message, dict)  # a call
        parameters = self.server.routing.parameters(message)
        if parameters is None:
            text = "hooks changed arguments that headers repeat: list the tools first, so that the headers can change"
            raise _Refused(400, text, message.get("id"), HEADER_MISMATCH)
        return parameters

    def _ask_server(
        self, method: str, body: bytes | None, parameters: Mapping[str, str] | None = None
    ) -> HTTPResponse:
        if self._upstream is not None and is_closed(self._upstream):
            self._drop_upstream()
        if self._upstream is None:
            self._upstream = self.server.endpoint.connect()
        connection = self._upstream
        headers = end_to_end(self.headers.items())
        if parameters is not None:
            kept = [each for each in headers if not each[0].lower().startswith(PARAMETER)]
            headers = [*kept, *parameters.items()]
        send(connection, method, self.server.endpoint.target, headers, body)
        self.upstream_socket = connection.sock  # the connection forgets it when the server is to close it
        assert self.upstream_socket is not None
        self.upstream_socket.settimeout(None)  # an answer may take long
        try:
            with _Watching(self):
                return response_of(connection)
        except Unusable as error:
            self._drop_upstream()
            raise _Refused(502, str(error)) from None

    def _drop_upstream(self) -> None:
        if self._upstream is not None:
            self._upstream.close()
            self._upstream = None

    def _pass_response(self, response: HTTPResponse, session: Session, *, is_post: bool) -> bool:
        """Pass a response on; return whether the client can continue a stream that ended without an answer."""
        kind = kind_of(response)
        if kind == STREAM and response.status == 200:
            return self._pass_stream(response, session, is_post=is_post)
        try:
            body = read_body(response, LARGEST)
        except Unusable as error:
            self._drop_upstream()
            raise _Refused(502, str(error)) from None
        if body and (kind == JSON or response.status < 300):
            body = self._checked(body, session, is_post=is_post)
        self._begin(response)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return False

    def _checked(self, body: bytes, session: Session, *, is_post: bool) -> bytes:
        texts = self._check(body, session, is_post=is_post)
        if texts == [body]:
            return body
        text = b",".join(each.strip() for each in texts)
        return b"[%s]" % text if body.lstrip()[:1] == b"[" else text

    def _check(self, data: bytes, session: Session, *, is_post: bool) -> list[bytes]:
        """Return what the client gets instead of a message."""
        if not is_post and (unknown := unknown_response(data, session)) is not None:
            self.server.note("not passed to the client: a response to a request that this proxy has not seen")
            return [error_line(unknown, INTERNAL_ERROR, "the result cannot be checked")]
        if b"x-mcp-header" in data:
            with suppress(MalformedMessage):
                self.server.routing.learn(read(data))
        return self.server.messages.collect(session.relay.from_server, data)[1]

    def _pass_stream(self, response: HTTPResponse, session: Session, *, is_post: bool) -> bool:
        self._begin(response)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        can_continue = False
        with _Watching(self) as watching:
            for event in read_events(response.readline):
                can_continue = can_continue or event.has_id
                self._chunk(self._checked_event(event, session, is_post=is_post))
                if watching.has_left:
                    break
        if watching.has_left:
            self._drop_upstream()
            self.close_connection = True
        else:
            self._chunk(b"")
        return can_continue

    def _checked_event(self, event: Event, session: Session, *, is_post: bool) -> bytes:
        if not event.data:
            return event.raw
        texts = self._check(event.data, session, is_post=is_post)
        return event.raw if texts == [event.data] else event.with_data(texts)

    # The client.

    def _begin(self, response: HTTPResponse) -> None:
        self._has_begun = True
        self.send_response_only(response.status, response.reason)
        for name, value in end_to_end(response.getheaders()):
            self.send_header(name, value)

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _reply(self, status: int, body: bytes) -> None:
        with suppress(OSError):  # the client has left
            self.send_response_only(status)
            if body:
                self.send_header("Content-Type", JSON)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)


class _Watching:
    """Ends the wait for the server when the client has closed its connection, which may be its way to cancel.

    Attributes:
        has_left: It has.
    """

    def __init__(self, handler: _Handler) -> None:
        self._handler = handler
        self._done = Flag()
        self.has_left = False

    def __enter__(self) -> _Watching:
        Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()

    def _watch(self) -> None:
        client = self._handler.connection
        with suppress(OSError, ValueError):  # it is closed
            while not self._done.is_set():
                if not select([client], [], [], _LOOK)[0]:
                    continue
                if client.recv(1, socket.MSG_PEEK):
                    return  # the next request
                self.has_left = True
                upstream = self._handler.upstream_socket
                if upstream is not None:
                    upstream.shutdown(socket.SHUT_RDWR)
                return

"""Messages of a client on standard input, as requests to a server that is reached by streamable HTTP.

Requests are sent in the order of the messages. One with an answer has a connection and a thread of its own until then,
so that no other waits for it; a server may read the next message before it. Source: modelcontextprotocol.io, "Transports", 2025-11-25 and
2026-07-28.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from queue import SimpleQueue
from socket import SHUT_RDWR, socket
from threading import Condition, Lock, Thread
from threading import Event as Flag

from sandhook.bridges.mcp.endpoint import (
    CONNECT,
    JSON,
    STREAM,
    Endpoint,
    Unusable,
    is_closed,
    is_denied,
    kind_of,
    read_body,
    response_of,
    send,
    status_of,
)
from sandhook.bridges.mcp.events import ATTEMPTS, LARGEST, Place, UnreadableStream, read_events
from sandhook.bridges.mcp.messages import (
    INTERNAL_ERROR,
    Key,
    MalformedMessage,
    error_line,
    key_of,
    line_of,
    one_line,
    read,
)
from sandhook.bridges.mcp.routing import SESSION, VERSION, Routing, headers_of, is_plain, version_of
from sandhook.hooks.event import Json, JsonObject

#: Requests without an answer, at most; the next one is an error.
MOST = 256

#: Seconds for the response to a message that has no answer, and for what follows an answer in its stream.
ACCEPTED, AFTERWARDS = 30.0, 5.0

#: Seconds for the end of a session.
DELETED = 2.0

#: What may fail while a server is asked.
_FAILURES = (OSError, HTTPException, UnreadableStream, Unusable)


class Sent:
    """One message of the client.

    Attributes:
        line: Its bytes.
        message: What they are; None if they cannot be read.
        unanswered: The ids of its requests that have no response yet, by their keys.
        ready: It has been sent, or has failed.
        ended: Its response has ended.
        is_cancelled: The client wants no answer.
        is_silent: The client gets nothing of its response.
        connection: The one that it uses.
        stream: The socket of that, which the connection forgets when the server is to close it; None when the
            connection is kept for other messages.
        session: The session that it names.
    """

    def __init__(self, line: bytes, *, is_silent: bool = False) -> None:
        self.line, self.is_silent = line, is_silent
        self.message: Json = None
        with suppress(MalformedMessage):
            self.message = read(line)
        messages = self.message if isinstance(self.message, list) else [self.message]
        self.unanswered: dict[Key, Json] = {
            key: each.get("id")
            for each in messages
            if isinstance(each, dict) and "method" in each and (key := key_of(each.get("id"))) is not None
        }
        self.ready, self.ended = Flag(), Flag()
        self.is_cancelled = False
        self.connection: HTTPConnection | None = None
        self.stream: socket | None = None
        self.session: str | None = None

    @property
    def method(self) -> str:
        """Its method, for notes."""
        method = self.message.get("method") if isinstance(self.message, dict) else None
        return method if isinstance(method, str) else "a message"

    def answered(self, message: Json) -> None:
        """Note the responses in a message of the server."""
        for each in message if isinstance(message, list) else [message]:
            if isinstance(each, dict) and "method" not in each:
                self.has_answer([each.get("id")])

    def has_answer(self, identities: Iterable[Json]) -> None:
        """Note that requests have their responses."""
        for identity in identities:
            key = key_of(identity)
            if key is not None:
                self.unanswered.pop(key, None)

    def cut(self) -> None:
        """End the wait for the server. The connection must not be released meanwhile."""
        self.is_cancelled = True
        if self.stream is not None:
            with suppress(OSError):
                self.stream.shutdown(SHUT_RDWR)


class Requests:
    """The requests of one client.

    Args:
        endpoint: The server.
        headers: Further headers of each request.
        deliver: Receives each line of the server.
        forget: Receives the ids of requests that get no answer because the client has cancelled them.
        note: Receives a line for people.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        headers: Sequence[tuple[str, str]],
        deliver: Callable[[bytes], None],
        forget: Callable[[list[Json]], None],
        *,
        note: Callable[[str], None],
    ) -> None:
        self._endpoint, self._headers = endpoint, headers
        self._deliver, self._forget, self._note = deliver, forget, note
        self._routing = Routing()
        self._queue: SimpleQueue[Sent | None] = SimpleQueue()
        self._idle: list[HTTPConnection] = []
        self._open: list[Sent] = []
        self._changed = Condition(Lock())
        self._renewing = Lock()
        self._session: str | None = None
        self._version: str | None = None
        self._beginning: Sent | None = None
        self._hearing: Sent | None = None
        self._has_ended = Flag()
        self._sender = Thread(target=self._send_all, daemon=True)
        self._sender.start()

    def send(self, line: bytes) -> None:
        """Send a message after those before it; from any thread."""
        if not line.strip():
            return
        sent = Sent(line)
        if self._cancels(sent):
            return
        with self._changed:
            is_full = bool(sent.unanswered) and len(self._open) >= MOST
            if sent.unanswered and not is_full:
                self._open.append(sent)
        if is_full:
            self._fail(sent, f"{MOST} requests have no answer yet: wanted fewer at once")
        else:
            self._queue.put(sent)

    def wait(self, seconds: float) -> None:
        """Wait up to some seconds until all is sent and answered; nothing more may be sent."""
        self._queue.put(None)
        self._sender.join(seconds)
        with self._changed:
            self._changed.wait_for(lambda: not self._open, seconds)

    def end_session(self) -> None:
        """End the session, whether or not the server agrees."""
        self._has_ended.set()
        self._stop_listening()
        if self._session is not None:
            last = Sent(b"")
            with suppress(*_FAILURES):  # it may not know how to end one
                self._ask("DELETE", last, None, seconds=DELETED)
            self._close(last)
            self._session = None
        with self._changed:
            while self._idle:
                self._idle.pop().close()

    # In order.

    def _send_all(self) -> None:
        while (sent := self._queue.get()) is not None:
            if not sent.unanswered:
                self._exchange(sent)
                continue
            Thread(target=self._exchange, args=(sent,), daemon=True).start()
            sent.ready.wait()
            if sent.method == "initialize":  # its answer has the session of the next ones
                sent.ended.wait()

    def _cancels(self, sent: Sent) -> bool:
        """Cut the stream of a request that the client cancels, which is how the protocol of 2026-07-28 cancels it."""
        message = sent.message
        if not isinstance(message, dict) or message.get("method") != "notifications/cancelled":
            return False
        params = message.get("params")
        key = key_of(params.get("requestId")) if isinstance(params, dict) else None
        with self._changed:
            found = [each for each in self._open if key in each.unanswered]
            if not any(version_of(each.message) for each in found):
                return version_of(message) is not None
            for each in found:
                each.cut()
        return True

    def _exchange(self, sent: Sent) -> None:
        """Send a message, and deliver what the server answers; whatever fails, the client gets an answer."""
        try:
            self._receive(self._post(sent), sent)
            if sent.unanswered:
                raise Unusable("the response has ended without an answer")
        except Unusable as error:
            self._close(sent)
            self._fail(sent, str(error))
        except _FAILURES as error:
            self._close(sent)
            self._fail(sent, self._endpoint.unreached(error))
        except Exception as error:  # a defect; the client waits
            self._close(sent)
            self._fail(sent, f"the proxy failed: {error.__class__.__name__}: {error}")
        finally:
            self._release(sent)
            with self._changed:
                if sent in self._open:
                    self._open.remove(sent)
                    self._changed.notify_all()
            sent.ready.set()
            sent.ended.set()

    def _fail(self, sent: Sent, text: str) -> None:
        identities, sent.unanswered = list(sent.unanswered.values()), {}
        if sent.is_cancelled:
            self._forget(identities)
            return
        self._note(f"{sent.method}: {text}")
        for identity in identities:
            self._deliver(error_line(identity, INTERNAL_ERROR, f"{sent.method}: {text}"))

    # Requests.

    def _post(self, sent: Sent) -> HTTPResponse:
        response = self._ask("POST", sent, sent.line, seconds=None if sent.unanswered else ACCEPTED)
        if response.status == 404 and sent.session is not None:
            read_body(response, LARGEST)
            self._renew(sent.session)
            response = self._ask("POST", sent, sent.line, seconds=None if sent.unanswered else ACCEPTED)
        return response

    def _ask(
        self, method: str, sent: Sent, body: bytes | None, *, seconds: float | None, last: str | None = None
    ) -> HTTPResponse:
        """Send a request, and return its response."""
        self._release(sent)
        sent.session = None if sent.method == "initialize" else self._session
        connection = sent.connection = self._connection()
        if connection.sock is not None:
            connection.sock.settimeout(CONNECT)
        send(connection, method, self._endpoint.target, self._all_headers(sent, body, last), body)
        sent.stream = connection.sock
        sent.ready.set()
        assert sent.stream is not None
        sent.stream.settimeout(seconds)
        if sent.is_cancelled:
            raise Unusable("it was cancelled")
        return response_of(connection)

    def _all_headers(self, sent: Sent, body: bytes | None, last: str | None) -> Iterator[tuple[str, str]]:
        yield "Accept", f"{JSON}, {STREAM}" if body is not None else STREAM
        if body is not None:
            yield "Content-Type", JSON
        message = sent.message
        modern = version_of(message)
        version = None if sent.method == "initialize" else modern or self._version
        if version is not None:
            yield VERSION, version
        if modern is not None and isinstance(message, dict):
            yield from headers_of(message).items()
            if message.get("method") == "tools/call":
                yield from (self._routing.parameters(message) or {}).items()
        if sent.session is not None and modern is None:
            yield SESSION, sent.session
        if last is not None:
            yield "Last-Event-ID", last
        yield from self._headers

    def _connection(self) -> HTTPConnection:
        with self._changed:
            while self._idle:
                connection = self._idle.pop()
                if not is_closed(connection):
                    return connection
                connection.close()
        return self._endpoint.connect()

    def _release(self, sent: Sent) -> None:
        """Keep a connection whose response has ended for the next request."""
        connection, sent.connection = sent.connection, None
        if connection is not None and connection.sock is not None:
            with self._changed:
                is_kept = not self._has_ended.is_set()
                if is_kept:
                    sent.stream = None  # a later cut must not reach the next message
                    self._idle.append(connection)
            if not is_kept:
                connection.close()

    def _close(self, sent: Sent) -> None:
        connection, sent.connection = sent.connection, None
        if connection is not None:
            connection.close()

    # Responses.

    def _status(self, response: HTTPResponse) -> str:
        return status_of(
            response, has_token=any(name.lower() == "authorization" for name, _ in self._headers)
        )

    def _receive(self, response: HTTPResponse, sent: Sent) -> None:
        if kind_of(response) == STREAM and response.status == 200:
            self._follow(response, sent)
            return
        body = read_body(response, LARGEST)
        if sent.unanswered:
            self._answer(response, body, sent)
        elif response.status >= 300:
            self._note(f"{sent.method}: the server did not accept it: {self._status(response)}")
        elif isinstance(sent.message, dict) and sent.method == "notifications/initialized":
            self._listen()

    def _answer(self, response: HTTPResponse, body: bytes, sent: Sent) -> None:
        """Deliver a body that answers a request."""
        try:
            message = read(body)
        except MalformedMessage as error:
            if response.status >= 300 or not body:
                raise Unusable(f"the server answered {self._status(response)}") from None
            sent.has_answer(error.identities)
            if sent.unanswered:
                raise Unusable(str(error)) from None
            self._take(body, None, sent, response)  # the relay refuses it
            return
        failure = message if isinstance(message, dict) and {"error", "jsonrpc"} <= message.keys() else None
        if is_denied(response):
            if failure is None:
                raise Unusable(f"the server answered {self._status(response)}")
            self._note(f"{sent.method}: the server answered {self._status(response)}")
        if failure is not None and failure.get("id") is None:
            for identity in list(sent.unanswered.values()):  # the server had not read the id
                answer: JsonObject = {**failure, "id": identity}
                self._take(line_of(answer), answer, sent, response)
        elif isinstance(message, dict) and key_of(message.get("id")) not in sent.unanswered:
            raise Unusable(f"the server answered {self._status(response)} without an answer to this request")
        else:
            self._take(body, message, sent, response)

    def _take(self, data: bytes, message: Json, sent: Sent, response: HTTPResponse | None) -> None:
        """Deliver a message of the server."""
        if sent.method == "initialize" and isinstance(message, dict) and "result" in message:
            self._begin(sent, message, response)
        if b"x-mcp-header" in data:
            self._routing.learn(message)
        sent.answered(message)
        if not sent.is_silent:
            self._deliver(one_line(data))

    def _follow(self, response: HTTPResponse, sent: Sent) -> None:
        """Deliver the messages of a stream, and of those that continue it, until the request has its answer."""
        place = Place()
        while True:
            with suppress(OSError, HTTPException):  # a stream that is cut may be continued
                self._read_stream(response, sent, place)
            if not sent.unanswered or sent.is_cancelled:
                return
            if place.last is None:
                raise Unusable("the stream has ended without an answer")
            response = self._continued(sent, place)

    def _read_stream(self, response: HTTPResponse, sent: Sent, place: Place) -> None:
        """Deliver the messages of one stream; those of other kinds of events are no messages."""
        try:
            for event in read_events(response.readline):
                place.note(event)
                if event.data and event.field(b"event") in (None, b"", b"message"):
                    self._take_event(event.data, sent, response)
        finally:
            if not response.isclosed():
                response.close()
                self._close(sent)

    def _take_event(self, data: bytes, sent: Sent, response: HTTPResponse) -> None:
        message: Json = None
        try:
            message = read(data)
        except MalformedMessage as error:
            sent.has_answer(error.identities)  # the relay refuses it
        was_open = bool(sent.unanswered)
        self._take(data, message, sent, response)
        if was_open and not sent.unanswered and sent.stream is not None:
            sent.stream.settimeout(AFTERWARDS)

    def _continued(self, sent: Sent, place: Place) -> HTTPResponse:
        """Return a stream that continues one after its last event. Raises Unusable if the server has none."""
        self._close(sent)
        while place.attempts < ATTEMPTS and not self._has_ended.wait(place.pause()):
            place.attempts += 1
            try:
                response = self._ask("GET", sent, None, seconds=None, last=place.last)
            except (OSError, HTTPException):
                self._close(sent)
                continue
            if kind_of(response) == STREAM and response.status == 200:
                return response
            read_body(response, LARGEST)
            raise Unusable(
                f"the stream has ended without an answer, and cannot be continued: {self._status(response)}"
            )
        raise Unusable(
            f"the stream has ended without an answer, and {ATTEMPTS} attempts to continue it failed"
        )

    # Sessions.

    def _begin(self, sent: Sent, message: JsonObject, response: HTTPResponse | None) -> None:
        """Note the session that an answer to initialize begins."""
        result = message.get("result")
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        self._beginning = sent
        self._version = version if isinstance(version, str) and is_plain(version) else None
        self._session = None if response is None else response.getheader(SESSION)

    def _renew(self, lost: str) -> None:
        """Begin a session instead of one that the server has ended. Raises Unusable."""
        with self._renewing:
            if self._session != lost:
                return  # another request has begun it
            beginning, version = self._beginning, self._version
            assert beginning is not None  # without it there was no session
            again = Sent(beginning.line, is_silent=True)
            try:
                self._receive(self._ask("POST", again, again.line, seconds=ACCEPTED), again)
                if self._session == lost or self._version != version:
                    raise Unusable("the server has ended the session, and begins no other one like it")
                begun = Sent(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n', is_silent=True)
                self._receive(self._ask("POST", begun, begun.line, seconds=ACCEPTED), begun)
                self._release(begun)
            finally:
                self._release(again)
            self._note("the server had ended the session: another one has begun")

    def _listen(self) -> None:
        """Ask for messages that belong to no request, such as changes of lists."""
        self._stop_listening()
        sent = self._hearing = Sent(b"")
        Thread(target=lambda: self._hear(sent), daemon=True).start()

    def _stop_listening(self) -> None:
        with self._changed:
            if self._hearing is not None:
                self._hearing.cut()

    def _hear(self, sent: Sent) -> None:
        place = Place()
        while place.attempts < ATTEMPTS and not sent.is_cancelled and not self._has_ended.is_set():
            place.attempts += 1
            try:
                response = self._ask("GET", sent, None, seconds=None, last=place.last)
                if kind_of(response) != STREAM or response.status != 200:
                    read_body(response, LARGEST)
                    if response.status not in (404, 405):  # it has no such stream
                        self._note(
                            f"no messages outside of requests: the server answered {self._status(response)}"
                        )
                    self._release(sent)
                    return
                self._read_stream(response, sent, place)
            except _FAILURES:
                self._close(sent)
            self._has_ended.wait(place.pause())
        if place.attempts >= ATTEMPTS and not sent.is_cancelled and not self._has_ended.is_set():
            self._note(f"no messages outside of requests any more: {ATTEMPTS} attempts to get them failed")

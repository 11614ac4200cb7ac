"""The ASGI application of a service: its paths, and the bounds of requests."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sandhook.client.ask import proof
from sandhook.client.place import PACKAGE, installation
from sandhook.client.wire import HEARTBEAT, PATH, PROOF_PATH, Call, Garbled
from sandhook.errors import SandhookError
from sandhook.hooks import contracts
from sandhook.hooks.contracts import ContractError
from sandhook.hooks.event import Json, JsonObject
from sandhook.serve.answers import JSON, answer_of
from sandhook.serve.engines import Place
from sandhook.serve.fires import Wanted, of_workspace
from sandhook.serve.firing import FireCall, refuse
from sandhook.serve.gate import MESSAGES, STATUS, Gate, is_local_socket, path_of
from sandhook.serve.handover import PATH as HAND_OVER
from sandhook.serve.handover import HandOverError, OldSide
from sandhook.serve.listing import items_json
from sandhook.serve.metrics import CONTENT_TYPE_LATEST
from sandhook.serve.openapi import description
from sandhook.serve.service import Service
from sandhook.version import __version__

#: Seconds between two signs of life on a stream, and while a client's command runs.
_PING_SECONDS = 15.0
_HEARTBEAT_SECONDS = 0.5

#: Seconds for which the rest of a body that is too long is read and forgotten, so that its sender reads the answer.
_DRAIN_SECONDS = 10.0

#: Fires in a list.
_LISTED, _MOST_LISTED = 100, 500

_INSTALLATION = installation().encode("utf-8", "surrogateescape")

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


#: The extension of a scope that has the connection of the request.
TRANSPORT = "sandhook.transport"


class BodyTooLong(Exception):
    """A body beyond the bound; its rest was read and forgotten."""


class Endpoints:
    """The handlers of all paths."""

    def __init__(
        self, service: Service, gate: Gate, stop: Callable[[], object] | None, old_side: OldSide | None
    ) -> None:
        self._service = service
        self._gate = gate
        self._stop = stop
        self._old_side = old_side

    def routes(self) -> list[Route]:
        return [
            Route("/healthz", self.health),
            Route("/metrics", self.metrics),
            Route("/openapi.json", self.openapi),
            Route("/v1/contracts", self.contracts),
            Route("/v1/decisions", self.decisions),
            Route("/v1/decisions/{number:int}", self.decision),
            Route("/v1/events", self.neutral, methods=["POST"]),
            Route("/v1/hooks", self.hooks),
            Route("/v1/hooks/{agent}", self.hook, methods=["POST"]),
            Route(HAND_OVER, self.hand_over, methods=["POST"]),
            Route("/v1/live", self.live),
            Route(f"{PROOF_PATH}/{{challenge}}", self.proof),
            Route(PATH, self.run, methods=["POST"]),
            Route("/v1/schemas/{agent}", self.schema),
            Route("/v1/stop", self.stop, methods=["POST"]),
        ]

    # ------------------------------------------------------------------ events

    async def hook(self, request: Request) -> Response:
        """Fire an event in an agent's own words, and answer as its http hooks expect it."""
        agent = request.path_params["agent"]
        query = request.query_params
        call = FireCall(agent, query.get("event"), query.get("workspace", ""), b"")
        if agent not in contracts.names():
            raise HTTPException(404, f"unknown contract {agent!r}; known are {', '.join(contracts.names())}")
        fault = self._gate.fault(request.scope)
        if fault is not None:  # only with fail_closed: the application answers the others
            fired = refuse(call, f"sandhook: {MESSAGES[fault]}")
        else:
            try:
                body = await _body(request, self._service.limits.body_bytes)
            except BodyTooLong:
                fired = refuse(
                    call, f"sandhook: the payload: longer than {self._service.limits.body_bytes} bytes"
                )
            else:
                fired = await self._service.fire(call._replace(body=body))
        answer = answer_of(agent, fired)
        return _response(answer.body, answer.status, answer.media_type)

    async def neutral(self, request: Request) -> Response:
        """Fire a neutral event, and answer with the decision and all outcomes."""
        call = FireCall("", None, request.query_params.get("workspace", ""), b"")
        try:
            body = await _body(request, self._service.limits.body_bytes)
        except BodyTooLong:
            raise HTTPException(
                413, f"the event: longer than {self._service.limits.body_bytes} bytes"
            ) from None
        answer = answer_of("", await self._service.fire(call._replace(body=body), "event"))
        return _response(answer.body, answer.status)

    # ------------------------------------------------------------------ clients

    async def run(self, request: Request) -> Response:
        """Run the command line of a client. Every status other than 200 lets the client run it itself."""
        service = self._service
        if not service.takes_commands:
            return _declined(503, "no worker is free")
        try:
            body = await _body(request, service.limits.body_bytes + (4 << 20))
            call = Call.unpack(body)
        except (BodyTooLong, Garbled) as error:
            return _declined(400, f"not a call: {error}")
        if call.installation != _INSTALLATION:
            return _declined(409, "the service is of another installation of sandhook")
        if not call.arguments:
            return _declined(400, "not a call: no arguments")
        task = asyncio.create_task(service.run(call, body))
        return StreamingResponse(self._printed(task), media_type="application/octet-stream")

    async def _printed(self, task: asyncio.Task[object]) -> AsyncIterator[bytes]:
        """Yield heartbeats, then the answer; a stream without an answer lets the client run the command itself."""
        from sandhook.client.wire import Printed

        try:
            while not (await asyncio.wait({task}, timeout=_HEARTBEAT_SECONDS))[0]:
                yield HEARTBEAT
            with suppress(SandhookError):
                printed = task.result()
                if isinstance(printed, Printed):
                    yield printed.pack()
        finally:
            task.cancel()  # the client is gone

    async def proof(self, request: Request) -> Response:
        """Prove that the service knows the token, to a client that does not want to send it to another program."""
        challenge = request.path_params["challenge"]
        if not self._gate.token or len(challenge) != 32:
            raise HTTPException(404, "nothing to prove")
        return _response(proof(self._gate.token, challenge).encode(), media_type="text/plain")

    async def stop(self, request: Request) -> Response:
        """End the service."""
        if self._stop is None:
            raise HTTPException(404, "this service ends with its application")
        self._stop()
        return _json({"stopping": True, "pid": os.getpid()})

    async def hand_over(self, request: Request) -> Response:
        """Send the sockets to the program that starts the next service; only the Unix socket can carry them."""
        transport = request.scope.get("extensions", {}).get(TRANSPORT, {}).get("transport")
        if self._old_side is None or transport is None or not is_local_socket(request.scope):
            raise HTTPException(404, "this service does not hand its sockets over")
        try:
            self._old_side.send(transport)
        except HandOverError as error:
            raise HTTPException(409, str(error)) from None
        return _json({"pid": os.getpid()})

    # ------------------------------------------------------------------ what is known

    async def health(self, request: Request) -> Response:
        """Report whether the service works, and to its owner what is wrong."""
        service = self._service
        problems = await service.refresh()
        status = "stopping" if service.stopping else "degraded" if problems else "ok"
        value: JsonObject = {"status": status}
        if self._gate.has_token(request.scope):
            value.update(
                version=__version__,
                pid=os.getpid(),
                workers=list(service.pids()),
                uptime_seconds=round(time.time() - service.began, 3),
                problems=list(problems),
                **service.about,
            )
        return _json(value, 503 if service.stopping else 200)

    async def metrics(self, request: Request) -> Response:
        return _response(self._service.metrics.text(), media_type=CONTENT_TYPE_LATEST)

    async def openapi(self, request: Request) -> Response:
        return _json(description())

    async def contracts(self, request: Request) -> Response:
        """List the agents, their events, and which of these a hook can refuse."""
        rows: list[Json] = []
        for name in contracts.names():
            contract = contracts.get(name)
            events: list[Json] = [
                {"name": event, "kind": kind, "refusable": kind in contract.refusable}
                for event, kind in contract.events.items()
            ]
            rows.append({"name": name, "events": events})
        return _json({"contracts": rows})

    async def schema(self, request: Request) -> Response:
        agent = request.path_params["agent"]
        try:
            return _json(contracts.get(agent).schema())
        except ContractError as error:
            raise HTTPException(404, str(error)) from None

    async def hooks(self, request: Request) -> Response:
        """List the hooks of all engines in use; with ``contract`` and ``workspace``, of that engine."""
        source = self._service.firing.source
        query = request.query_params

        def listed() -> JsonObject:
            if "contract" in query or "workspace" in query:
                agent = contracts.get(query.get("contract", "claude_code"))
                place = Place(query.get("workspace", ""), agent.name)
                engines = [(place, source.find(agent, place.directory, strict=bool(place.directory)))]
            else:
                engines = source.refreshed()
            return {"engines": [items_json(place, loaded) for place, loaded in engines]}

        try:
            return _json(await asyncio.get_running_loop().run_in_executor(None, listed))
        except SandhookError as error:
            raise HTTPException(404, str(error)) from None

    async def decisions(self, request: Request) -> Response:
        """List the last fires, the newest first; with ``?workspace=DIR`` those of one workspace."""
        count = min(_number(request, "count", _LISTED) or 0, _MOST_LISTED)
        before = _number(request, "before", None)
        fires: list[Json] = list(self._service.fires.listed(count, before, _wanted(request)))
        return _json({"decisions": fires})

    async def decision(self, request: Request) -> Response:
        """Return one fire: payload, decision, all outcomes with their outputs, and the answer."""
        text = self._service.fires.text_of(request.path_params["number"], _wanted(request))
        if text is None:
            raise HTTPException(404, "this fire is not kept, or never was")
        return _response(text)

    async def live(self, request: Request) -> Response:
        """Stream what is fired from now on, as server-sent events; with ``?workspace=DIR`` that of one workspace."""
        events = fired(self._service, _wanted(request))
        return StreamingResponse(events, media_type="text/event-stream", headers=_HEADERS)


async def fired(service: Service, wanted: Wanted | None = None) -> AsyncIterator[str]:
    """Yield what is fired from now on as server-sent events, until the service stops.

    Args:
        wanted: Receives the record of each fire; None means all fires.
    """
    with service.fires.reader(wanted) as live:
        yield ": sandhook\n\n"
        while not service.stopping:
            try:
                async with asyncio.timeout(_PING_SECONDS):
                    text = await live.queue.get()
            except TimeoutError:
                yield ": ping\n\n"
                continue
            if text is None:
                return
            yield text


class Application:
    """The outermost ASGI callable: refuses strangers, and cuts slow clients."""

    def __init__(self, app: ASGIApp, service: Service, gate: Gate) -> None:
        self._app = app
        self._service = service
        self._gate = gate
        self.service = service
        self.gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        fault = self._gate.fault(scope)
        # An agent takes a status of a failure for "allow": then its own words say no.
        answers_in_words = self._service.firing.fail_closed and path_of(scope).startswith("/v1/hooks/")
        if fault is not None and not answers_in_words:
            await _error(MESSAGES[fault], STATUS[fault])(scope, receive, send)
            return
        with suppress(ClientDisconnect):
            await self._app(scope, self._in_time(receive), self._sent_in_time(send))

    def _in_time(self, receive: Receive) -> Receive:
        whole = False

        async def received() -> Message:
            nonlocal whole
            if whole:  # what comes now is the end of the connection
                return await receive()
            try:
                async with asyncio.timeout(self._service.limits.read_seconds):
                    message = await receive()
            except TimeoutError:
                return {"type": "http.disconnect"}
            whole = not message.get("more_body", False)
            return message

        return received

    def _sent_in_time(self, send: Send) -> Send:
        async def sent(message: Message) -> None:
            try:
                async with asyncio.timeout(self._service.limits.write_seconds):
                    await send(message)
            except TimeoutError:
                raise ClientDisconnect from None

        return sent


def application(
    service: Service,
    gate: Gate,
    stop: Callable[[], object] | None = None,
    routes: Sequence[BaseRoute] = (),
    old_side: OldSide | None = None,
) -> Application:
    """Return the ASGI application of a service.

    Args:
        stop: Ends the service for ``POST /v1/stop``.
        routes: Further routes, such as those of the page.
        old_side: Hands the sockets over to the next service.
    """
    app = Starlette(
        routes=[*Endpoints(service, gate, stop, old_side).routes(), *routes],
        exception_handlers={HTTPException: _http_error},
    )
    return Application(app, service, gate)


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        kind = (await receive())["type"]
        await send({"type": f"{kind}.complete"})
        if kind == "lifespan.shutdown":
            return


async def _body(request: Request, most: int) -> bytes:
    """Return the body of a request. Raises BodyTooLong, ClientDisconnect."""
    pieces: list[bytes] = []
    size = 0
    announced = request.headers.get("content-length", "")
    is_too_long = announced.isdigit() and (len(announced) > 12 or int(announced) > most)
    stream = request.stream()
    async for piece in stream:
        size += len(piece)
        if size > most or is_too_long:  # nothing is kept of a body that says so itself
            pieces.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(_DRAIN_SECONDS):
                    async for _ in stream:
                        pass
            raise BodyTooLong(f"longer than {most} bytes")
        pieces.append(piece)
    return b"".join(pieces)


def _wanted(request: Request) -> Wanted | None:
    """Return which fires a request wants, None for all."""
    directory = request.query_params.get("workspace")
    return of_workspace(directory) if directory else None


def _number(request: Request, name: str, default: int | None) -> int | None:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not text.isdecimal() or len(text) > 12:
        raise HTTPException(400, f"{name}: wanted a number, got {text!r}")
    return int(text)


def _response(body: bytes, status: int = 200, media_type: str = JSON) -> Response:
    return Response(body, status, _HEADERS, media_type)


def _json(value: Json, status: int = 200) -> Response:
    return _response(json.dumps(value).encode("ascii") + b"\n", status)


def _error(message: str, status: int) -> Response:
    return _json({"error": message}, status)


def _declined(status: int, message: str) -> Response:
    """Return the answer to a client that must run its command itself; it compares the version with its own."""
    return _json({"error": message, "version": __version__, "package": PACKAGE}, status)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error(error.detail, error.status_code)

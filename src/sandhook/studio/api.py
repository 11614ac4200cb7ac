"""The JSON that the page reads and posts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from sandhook.errors import ConfigError, SandhookError
from sandhook.hooks import contracts
from sandhook.hooks.decode import DecodeError, decode_object
from sandhook.hooks.event import Json, JsonObject
from sandhook.serve.answers import JSON
from sandhook.serve.fires import MOST_FIRES
from sandhook.studio import trials
from sandhook.studio.about import about
from sandhook.studio.bench import StudioError, Trial
from sandhook.studio.editing import MAX_EVENTS, compare, expectation_samples, sample_of, save
from sandhook.studio.lines import with_line_ends
from sandhook.studio.overview import edited_findings, overview, text_json, text_of
from sandhook.studio.payloads import payload_json
from sandhook.studio.trials import fired_json, history_record, payload_bytes

if TYPE_CHECKING:
    from sandhook.hooks.sources import AgentConfiguration
    from sandhook.studio.bench import Bench
    from sandhook.studio.workspaces import Desk

#: Bytes of a request of the page.
MAX_BODY = 32 << 20

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class Api:
    """The handlers below ``/v1/studio``."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/v1/studio/about", self.about),
            Route("/v1/studio/workspaces", self.workspaces),
            Route("/v1/studio/hooks", self.hooks),
            Route("/v1/studio/text", self.text),
            Route("/v1/studio/fires/{number:int}", self.kept),
            Route("/v1/studio/payload", self.payload),
            Route("/v1/studio/fire", self.fire, methods=["POST"]),
            Route("/v1/studio/check", self.check, methods=["POST"]),
            Route("/v1/studio/compare", self.compare, methods=["POST"]),
            Route("/v1/studio/save", self.save, methods=["POST"]),
        ]

    async def about(self, request: Request) -> Response:
        """Return the project, the agents and their events."""
        bench = self._desk.bench(request)
        return await answer(lambda: about(bench, editable=self._desk.editable))

    async def workspaces(self, request: Request) -> Response:
        """Return the directories that the page can show, and the one that a request without a name is about."""
        names: list[Json] = list(self._desk.workspaces.names())
        return await answer(lambda: {"workspaces": names, "directory": names[0]})

    async def hooks(self, request: Request) -> Response:
        """Return the hooks of all agents."""
        bench = self._desk.bench(request)
        return await answer(lambda: overview(bench))

    async def text(self, request: Request) -> Response:
        """Return a file that the hooks of an agent consist of: ``?agent=NAME&path=FILE``."""
        bench, query = self._desk.bench(request), request.query_params
        agent, path = query.get("agent", ""), query.get("path", "")
        return await answer(lambda: text_json(bench, bench.setup(agent), path))

    async def kept(self, request: Request) -> Response:
        """Return a fire that the service keeps, with its workspace: that of the service, or ""."""
        text = self._desk.service.fires.text_of(request.path_params["number"])
        if text is None:
            raise HTTPException(404, "this fire is not kept, or never was")
        fire: JsonObject = json.loads(text)
        return await answer(lambda: {**fire, "workspace": self._desk.workspaces.of(fire)})

    async def payload(self, request: Request) -> Response:
        """Return what an agent would send: ``?agent=NAME&event=NAME&tool=NAME``."""
        query = request.query_params
        agent, event = query.get("agent", ""), query.get("event", "")
        return await answer(lambda: payload_json(contracts.get(agent), event, query.get("tool") or None))

    async def fire(self, request: Request) -> Response:
        """Fire a payload at the hooks of an agent, saved or edited, and keep it in the history."""
        bench = self._desk.bench(request)
        value = await object_of(request)
        record: JsonObject = {}

        def compute() -> JsonObject:
            setup = bench.setup(_text(value, "agent"))
            payload = payload_bytes(value.get("payload"))
            fired = trials.fire(bench, setup, _trial(bench, setup, value), payload, _event(value))
            record.update(history_record(setup, fired, payload), workspace=bench.directory)
            return fired_json(setup, fired)

        response = await answer(compute)
        self._desk.service.fires.add("studio", "decided", json.dumps(record).encode("ascii"))
        return response

    async def check(self, request: Request) -> Response:
        """Return the findings of an edited file."""
        bench = self._desk.bench(request)
        value = await object_of(request)
        return await answer(
            lambda: edited_findings(
                bench, bench.setup(_text(value, "agent")), _text(value, "path"), _text(value, "text")
            )
        )

    async def compare(self, request: Request) -> Response:
        """Fire events at the saved and the edited text of a file, and return how the decisions differ."""
        bench = self._desk.bench(request)
        value = await object_of(request)
        recorded = self._recorded(bench, value.get("agent"), value.get("recorded"))

        def compute() -> JsonObject:
            setup = bench.setup(_text(value, "agent"))
            samples = []
            if value.get("payload"):
                payload = _text(value, "payload")
                samples.append(sample_of(setup, "", "page", payload, _event(value)))
            samples += [sample_of(setup, "", "history", payload, event) for payload, event in recorded]
            if value.get("expectations"):
                samples += expectation_samples(setup)
            return compare(bench, setup, _text(value, "path"), _text(value, "text"), samples)

        return await answer(compute)

    async def save(self, request: Request) -> Response:
        """Save an edited file, if the service was started with ``--edit``."""
        bench = self._desk.bench(request)
        value = await object_of(request)
        if not self._desk.editable:
            raise HTTPException(403, "the page may not save: start sandhook studio with --edit")
        return await answer(
            lambda: save(
                bench,
                bench.setup(_text(value, "agent")),
                _text(value, "path"),
                _text(value, "text"),
                _text(value, "digest"),
            )
        )

    def _recorded(self, bench: Bench, agent: Json, count: Json) -> list[tuple[str, str]]:
        """Return payload and event of the last fires of an agent here, equal ones once; for the event loop's thread."""
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            return []
        kept: list[tuple[str, str]] = []
        seen: set[tuple[str, str]] = set()
        fires, desk = self._desk.service.fires, self._desk
        for short in fires.listed(MOST_FIRES, wanted=lambda each: desk.is_of(bench, each)):
            number = short.get("id")
            if short.get("agent") != agent or not isinstance(number, int):
                continue
            whole = json.loads(fires.text_of(number) or "{}")
            payload, event = whole.get("payload"), str(whole.get("event") or "")
            if isinstance(payload, str) and payload and (payload, event) not in seen:
                seen.add((payload, event))
                kept.append((payload, event))
            if len(kept) >= min(count, MAX_EVENTS):
                break
        return kept


def _trial(bench: Bench, setup: AgentConfiguration, value: JsonObject) -> Trial:
    """Return how a fire differs from the agent's own."""
    texts: dict[str, bytes] = {}
    if "path" in value:
        path = _text(value, "path")
        texts[path] = with_line_ends(text_of(bench, setup, path).data, _text(value, "text"))
    return Trial(texts, steps=value.get("steps") is True, unapproved=value.get("unapproved") is True)


def _text(value: JsonObject, name: str) -> str:
    """Return a text of a request. Raises StudioError."""
    text = value.get(name)
    if not isinstance(text, str):
        raise StudioError(f"{name}: wanted a text")
    return text


def _event(value: JsonObject) -> str | None:
    return _text(value, "event") or None if "event" in value else None


async def answer(compute: Callable[[], JsonObject]) -> Response:
    """Return a JSON answer that a thread computes; errors of the request have the status 400."""
    try:
        value = await asyncio.get_running_loop().run_in_executor(None, compute)
    except ConfigError as error:
        problems = "; ".join(map(str, error.problems))
        raise HTTPException(400, problems or str(error)) from None
    except (SandhookError, DecodeError) as error:
        raise HTTPException(400, " ".join(str(error).split())) from None
    return Response(json.dumps(value).encode("ascii") + b"\n", 200, _HEADERS, JSON)


async def object_of(request: Request) -> JsonObject:
    """Return the object that the page posted. Raises HTTPException."""
    if request.headers.get("content-type", "").partition(";")[0] != JSON:
        raise HTTPException(415, f"wanted the content type {JSON}")
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > MAX_BODY:
            raise HTTPException(413, f"the request: longer than {MAX_BODY} bytes")
        pieces.append(piece)
    try:
        return decode_object(b"".join(pieces).decode("utf-8")).value
    except (DecodeError, UnicodeDecodeError) as error:
        raise HTTPException(400, f"the request: {error}") from None

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
from sandhook.hooks.decode import DecodeError, decode_object
from sandhook.hooks.event import JsonObject
from sandhook.serve.answers import JSON
from sandhook.studio.about import about

if TYPE_CHECKING:
    from sandhook.serve.service import Service
    from sandhook.studio.bench import Bench

#: Bytes of a request of the page.
MAX_BODY = 32 << 20

_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class Api:
    """The handlers below ``/v1/studio``."""

    def __init__(self, bench: Bench, service: Service, *, editable: bool) -> None:
        self._bench = bench
        self._service = service
        self._editable = editable

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/v1/studio/about", self.about),
        ]

    async def about(self, request: Request) -> Response:
        """Return the project, the agents and their events."""
        return await answer(lambda: about(self._bench, editable=self._editable))


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

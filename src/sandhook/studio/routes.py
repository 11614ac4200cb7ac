"""All routes of the studio."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import BaseRoute

from sandhook.studio import page
from sandhook.studio.api import Api
from sandhook.studio.grids import GridApi
from sandhook.studio.live import LiveApi

if TYPE_CHECKING:
    from sandhook.serve.service import Service
    from sandhook.studio.bench import Bench


def routes(bench: Bench, service: Service, *, editable: bool) -> list[BaseRoute]:
    """Return the routes of the page and of its JSON.

    Args:
        bench: Loads and fires the hooks that the page shows.
        service: Keeps the events that the page fires, for its history.
        editable: The page may save what it edits.
    """
    return [
        *page.routes(),
        *Api(bench, service, editable=editable).routes(),
        *LiveApi(bench, service, editable=editable).routes(),
        *GridApi(bench).routes(),
    ]

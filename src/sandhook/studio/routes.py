"""All routes of the studio."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import BaseRoute

from sandhook.studio import page
from sandhook.studio.api import Api
from sandhook.studio.grids import GridApi
from sandhook.studio.live import LiveApi

if TYPE_CHECKING:
    from sandhook.studio.workspaces import Desk


def routes(desk: Desk) -> list[BaseRoute]:
    """Return the routes of the page and of its JSON."""
    return [
        *page.routes(),
        *Api(desk).routes(),
        *LiveApi(desk).routes(),
        *GridApi(desk).routes(),
    ]

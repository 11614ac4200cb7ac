"""The page and its assets, with the headers that keep it from running or loading anything else."""

from __future__ import annotations

from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

#: The files of the page, and their media types.
ASSETS = {
    "index.html": "text/html; charset=utf-8",
    "studio.js": "text/javascript; charset=utf-8",
    "studio.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "LICENSES.txt": "text/plain; charset=utf-8",
}

#: What the page may load: its own files, and answers of this service. Text cannot become script or markup.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)

HEADERS = {
    "Cache-Control": "no-cache",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def routes() -> list[BaseRoute]:
    """Return the routes of the page. They need no token: the page asks for it."""
    return [
        Route("/studio", _redirect),
        Route("/studio/", _asset),
        Route("/studio/{name}", _asset),
    ]


async def _redirect(request: Request) -> Response:
    return RedirectResponse("/studio/", headers=HEADERS)


async def _asset(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    if name not in ASSETS:
        raise HTTPException(404, f"the page has no file {name!r}")
    data = files("sandhook.studio").joinpath("assets", name).read_bytes()
    return Response(data, headers={**HEADERS, "Content-Type": ASSETS[name]})

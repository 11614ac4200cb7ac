"""Runs a service on its sockets with uvicorn, until a signal ends it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from socket import socket
from types import FrameType
from typing import TYPE_CHECKING

from uvicorn import Config, Server

from sandhook.serve.http import KEEP_ALIVE, EventProtocol

if TYPE_CHECKING:
    from sandhook.serve.asgi import Application
    from sandhook.serve.service import Service

#: Seconds for answers after the last refusal, before connections are cut.
_LAST_ANSWERS = 3

#: Descriptors that a service may open, where the system allows it.
_DESCRIPTORS = 8192


class StoppingServer(Server):
    """A server that lets the service refuse before it ends."""

    def __init__(self, config: Config, service: Service) -> None:
        super().__init__(config)
        self._service = service
        self._loop: asyncio.AbstractEventLoop | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End at a signal; the second one does not wait for running fires."""
        self.should_exit = True
        if self._service.stopping:
            self.force_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._service.stop)

    def stop(self) -> None:
        """End as after a signal; call it in the event loop's thread."""
        self._service.stop()
        self.should_exit = True

    async def run_until_stopped(self, sockets: Sequence[socket], ready: Callable[[], object]) -> None:
        """Serve until a signal comes.

        Args:
            ready: Called when the service answers.
        """
        self._loop = asyncio.get_running_loop()
        await self._service.start()
        announcing = asyncio.create_task(self._announce(ready))
        try:
            await self.serve(sockets=list(sockets))
        finally:
            announcing.cancel()
            await self._service.close()

    async def _announce(self, ready: Callable[[], object]) -> None:
        while not self.started:
            await asyncio.sleep(0.01)
        ready()


def server_for(app: Application) -> StoppingServer:
    """Return a server for an application."""
    grace = int(app.service.limits.grace_seconds) + _LAST_ANSWERS
    config = Config(
        app,
        http=EventProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_level="error",
        access_log=False,
        proxy_headers=False,  # the address of a client decides nothing
        server_header=False,
        date_header=False,
        backlog=1024,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=grace,
    )
    return StoppingServer(config, app.service)


def allow_many_connections() -> None:
    """Raise the limit of open descriptors, where the system lets this process."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(_DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

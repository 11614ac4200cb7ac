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

from sandhook.serve.handover import NewSide
from sandhook.serve.http import KEEP_ALIVE, CuttingProtocol, EventProtocol

if TYPE_CHECKING:
    from sandhook.serve.asgi import Application
    from sandhook.serve.service import Service

#: Seconds for answers after the last refusal, before connections are cut.
_LAST_ANSWERS = 3

#: Seconds that a service goes on for events that it began, when another one has its sockets.
LEAVE_SECONDS = 60.0

#: Seconds for which a connection must be quiet, before it is closed by a service that leaves.
_QUIET_SECONDS = 0.25

_POLL_SECONDS = 0.02

#: Descriptors that a service may open, where the system allows it.
_DESCRIPTORS = 8192


class StoppingServer(Server):
    """A server that lets the service refuse before it ends.

    Attributes:
        is_activated: The system has its sockets, too: what connects after its end waits for the next service.
    """

    def __init__(self, config: Config, service: Service) -> None:
        super().__init__(config)
        self.is_activated = False
        self._service = service
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leaving: asyncio.Task[None] | None = None
        self._arriving: set[asyncio.Task[None]] = set()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End at a signal; the second one does not wait for running fires."""
        if self._service.stopping:
            self.force_exit = True
        if self._loop is None:
            self.should_exit = True
        elif self.is_activated and self._leaving is None:
            self._loop.call_soon_threadsafe(self.leave, None, self._service.limits.grace_seconds)
        else:
            self.should_exit = True
            self._loop.call_soon_threadsafe(self._service.stop)

    def stop(self) -> None:
        """End as after a signal; call it in the event loop's thread."""
        self._service.stop()
        self.should_exit = True

    def leave(self, channel: socket | None, seconds: float = LEAVE_SECONDS) -> None:
        """Accept no more connections, and end after the events of those that there are.

        Args:
            channel: To the service that has the sockets now; it receives the idle connections. Without one, they
                are closed.
            seconds: The most that the events may take; then they have the time that they have after ``stop``.
        """
        loop = asyncio.get_running_loop()
        for server in self.servers:
            for each in server.sockets:  # a server that is closed drops the connection that it just accepted
                loop.remove_reader(each.fileno())
        self._service.fires.end()
        self._leaving = loop.create_task(self._left(channel, seconds))

    async def _left(self, channel: socket | None, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        while loop.time() < began + seconds and not self.should_exit:
            is_quiet = loop.time() > began + _QUIET_SECONDS
            if is_quiet and not self.server_state.connections:
                break
            for each in list(self.server_state.connections):
                if isinstance(each, EventProtocol | CuttingProtocol):
                    each.leave(channel, is_quiet=is_quiet)
            await asyncio.sleep(_POLL_SECONDS)
        if channel is not None:
            channel.close()
        self.stop()

    def _receive(self, connection: socket) -> None:
        """Serve a connection that another service had."""
        task = asyncio.get_running_loop().create_task(self._serve_connection(connection))
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)

    async def _serve_connection(self, connection: socket) -> None:
        loop = asyncio.get_running_loop()

        def protocol() -> EventProtocol:
            return EventProtocol(self.config, self.server_state, {}, loop)

        try:
            _, made = await loop.connect_accepted_socket(protocol, connection)
        except OSError:  # its client is gone
            connection.close()
        else:
            made.keep()

    async def run_until_stopped(
        self, sockets: Sequence[socket], ready: Callable[[], object], channel: socket | None = None
    ) -> None:
        """Serve until a signal comes.

        Args:
            ready: Called when the service answers.
            channel: To the service whose sockets these were.
        """
        self._loop = asyncio.get_running_loop()
        await self._service.start()
        announcing = asyncio.create_task(self._announce(ready, channel))
        try:
            await self.serve(sockets=list(sockets))
        finally:
            announcing.cancel()
            await self._service.close()

    async def _announce(self, ready: Callable[[], object], channel: socket | None) -> None:
        while not self.started:
            await asyncio.sleep(0.01)
        ready()
        if channel is not None:
            NewSide(channel, self._receive).report_ready()


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

"""Runs the service of ``sandhook serve`` and of ``sandhook studio`` until a signal ends it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from sandhook.cli.configuration import directory
from sandhook.cli.notes import print_note
from sandhook.cli.serve.engines import firing_of
from sandhook.serve.asgi import application
from sandhook.serve.audit import AuditWriter
from sandhook.serve.fires import Fires
from sandhook.serve.handover import OldSide
from sandhook.serve.lanes import EnginePool
from sandhook.serve.metrics import Metrics
from sandhook.serve.processes import CommandPool
from sandhook.serve.release import Release
from sandhook.serve.server import StoppingServer, server_for
from sandhook.serve.service import Backend, ServeLimits, Service, ThreadBackend

if TYPE_CHECKING:
    import argparse
    from socket import socket

    from starlette.routing import BaseRoute

    from sandhook.journal.targets import Target
    from sandhook.serve.gate import Gate
    from sandhook.serve.inherited import Inherited
    from sandhook.serve.sockets import LocalSocket
    from sandhook.studio.bench import Bench

#: Processes that run commands of clients at once, and commands that may wait for one.
_COMMANDS_AT_ONCE = max(4, os.cpu_count() or 1)
_COMMANDS_WAITING = 32


#: Fires that the page shows, and their bytes.
_HISTORY, _HISTORY_BYTES = 5000, 64 << 20


class Listening(Protocol):
    """Where a service listens.

    Attributes:
        serves_clients: It also runs the commands of clients.
        local: The Unix socket, over which the sockets can be sent; None without one.
        inherited: Of the process that had the sockets before.
    """

    serves_clients: bool

    @property
    def local(self) -> LocalSocket | None: ...

    @property
    def inherited(self) -> Inherited: ...

    @property
    def sockets(self) -> Sequence[socket]: ...

    @property
    def gate(self) -> Gate: ...

    @property
    def places(self) -> Sequence[str]: ...


async def until_stopped(
    options: argparse.Namespace,
    arguments: list[str],
    listening: Listening,
    audit: Target | None,
    *,
    bench: Bench | None = None,
    others: Callable[[str], Bench] | None = None,
    ready: Callable[[], object] | None = None,
) -> None:
    """Serve until a signal comes.

    Args:
        options: Of ``sandhook serve``.
        arguments: Those options as words, for worker processes.
        bench: What the page works with at first; there is no page without one.
        others: Returns what the page works with for another directory of the service.
        ready: Called when the service answers; prints the addresses when None.
    """
    loop = asyncio.get_running_loop()
    running: list[StoppingServer] = []

    def report(message: str) -> None:
        print_note(f"sandhook: serve: {message}")
        if running:
            loop.call_soon_threadsafe(service.report, message)

    service = _service(
        options, arguments, audit, report, clients=listening.serves_clients, page=bench is not None
    )
    service.about["activated"] = listening.inherited.activated

    def leave(channel: socket) -> None:
        if listening.local is not None:
            listening.local.removes_file = False
        report("another service has the sockets; this one ends after its last event")
        running[0].leave(channel)

    routes = [] if bench is None else _page(options, service, bench, others)
    local, activated = listening.local, listening.inherited.activated
    old_side = None
    if local is not None and not activated:
        old_side = OldSide(local.lock, listening.sockets, leave)
    server = server_for(application(service, listening.gate, lambda: running[0].stop(), routes, old_side))
    server.is_activated = activated
    running.append(server)

    def announce() -> None:
        if local is not None:
            local.removes_file = not activated
        print_note(f"sandhook: serve: listening on {', '.join(listening.places)}")
        for place in listening.places if bench is not None else ():
            if place.startswith("http"):
                print_note(f"sandhook: serve: the page is {place}/studio/")

    await server.run_until_stopped(listening.sockets, ready or announce, listening.inherited.channel)


def _service(
    options: argparse.Namespace,
    arguments: list[str],
    audit: Target | None,
    report: Callable[[str], None],
    *,
    clients: bool,
    page: bool,
) -> Service:
    """Return a service with its pools of processes.

    Args:
        options, arguments, audit: See ``until_stopped``.
        report: Receives what the service has to say about its files and processes; any thread may call.
        clients: It also runs the commands of clients.
        page: It keeps more fires, for a page.
    """

    def restarted(why: str) -> None:
        metrics.restarted()
        report(f"{why}; another one takes its place")

    metrics = Metrics()
    release = Release(report)
    limits = ServeLimits(running=max(16, 4 * options.processes))
    in_process = audit is not None and not options.processes
    write = (lambda line: audit.write([line])) if audit and in_process else None
    firing = firing_of(options, write, report, release=release)
    backend: Backend = ThreadBackend(firing, limits.running)
    if options.processes:
        writer = AuditWriter(audit) if audit is not None else None
        backend = EnginePool(arguments, options.processes, audit=writer, restarted=restarted, release=release)
    commands = None
    if clients:
        commands = CommandPool(
            arguments,
            most=_COMMANDS_AT_ONCE,
            waiting=_COMMANDS_WAITING,
            restarted=restarted,
            release=release,
        )
    return Service(
        backend,
        firing=firing,
        commands=commands,
        audit=audit,
        limits=limits,
        metrics=metrics,
        fires=Fires(_HISTORY, _HISTORY_BYTES) if page else None,
        release=release,
        about={"arguments": list(arguments), "directory": os.getcwd()},  # noqa: PTH109 - as in `configuration`
    )


def _page(
    options: argparse.Namespace, service: Service, bench: Bench, others: Callable[[str], Bench] | None
) -> list[BaseRoute]:
    """Return the routes of the page, for the workspaces that the options name and those that events came from."""
    from sandhook.studio.routes import routes
    from sandhook.studio.workspaces import Desk, Workspaces

    named = [directory(name) for name in options.workspace]
    workspaces = Workspaces(bench, others, lambda: [*named, *service.workspaces])
    return routes(Desk(workspaces, service, options.edit))

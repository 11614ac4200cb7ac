"""A resident service that fires hooks: over a Unix socket or loopback, for agents, for programs, and for a page.

``app`` returns it as an ASGI application, for an application of the caller. It needs the extra ``sandhook[serve]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.hooks.engine import HookEngine
    from sandhook.serve.asgi import Application
    from sandhook.serve.service import ServeLimits

__all__ = ["app"]


def app(
    engine: HookEngine,
    *,
    token: str = "",
    hosts: frozenset[str] = frozenset(),
    fail_closed: bool | None = None,
    limits: ServeLimits | None = None,
) -> Application:
    """Return an ASGI application that fires events at an engine, to be mounted in another application.

    Args:
        token: Requests need it as ``Authorization: Bearer TOKEN``; "" when the caller authenticates them.
        hosts: Accepted values of the header ``Host``, such as "127.0.0.1:8000"; all when empty.
        fail_closed: Refuse events that cannot be read; as the engine does when None.

    Raises:
        ImportError: The extra ``sandhook[serve]`` is not installed.
    """
    from sandhook.serve.asgi import application
    from sandhook.serve.engines import FixedEngine
    from sandhook.serve.firing import Firing
    from sandhook.serve.gate import Gate
    from sandhook.serve.service import ServeLimits, Service, ThreadBackend

    limits = limits or ServeLimits()
    closed = bool(engine.fail_closed) if fail_closed is None else fail_closed
    firing = Firing(FixedEngine(engine), fail_closed=closed)
    service = Service(ThreadBackend(firing, limits.running), firing=firing, limits=limits)
    return application(service, Gate(token, hosts))

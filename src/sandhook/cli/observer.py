"""Who watches the fires of a command: the worker of the service, which runs commands for other processes."""

from __future__ import annotations

from contextvars import ContextVar

from sandhook.typed import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sandhook.hooks.audit import FiredEvent
    from sandhook.hooks.contracts import Contract


class Observer(Protocol):
    """Receives what a command fires."""

    def audit(self, line: str, /) -> None:
        """Receive one line of the audit log."""
        ...

    def begins(self, seconds: float, /) -> None:
        """Receive the most seconds that the hooks may take which run now."""
        ...

    def decided(self, agent: Contract, fired: FiredEvent, /) -> None:
        """Receive the decision on the event of an agent."""
        ...


#: The observer of the command that runs; a process that runs one command has none.
OBSERVER: ContextVar[Observer | None] = ContextVar("sandhook_observer", default=None)

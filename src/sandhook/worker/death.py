"""How a worker process ended, and what that means for the run that needed it."""

from __future__ import annotations

from signal import Signals

from sandhook.typed import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from sandhook.limits import Budget


class WorkerDied(Exception):
    """The worker ended while it worked.

    Attributes:
        out_of_memory: It reached its bound of memory; otherwise it crashed, or somebody else ended it.
        reason: How it ended, for messages.
    """

    def __init__(self, reason: str, *, out_of_memory: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.out_of_memory = out_of_memory

    def end_run(self, budget: Budget) -> NoReturn:
        """End the run that needed the worker. Raises LimitExceeded or WorkerCrash."""
        if self.out_of_memory:
            budget.fail("memory_bytes")
        budget.crash(self.reason)


def how_ended(status: int) -> str:
    """Return how a process ended, for messages."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was ended by {Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"

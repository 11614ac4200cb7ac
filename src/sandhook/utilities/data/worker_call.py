"""Requests to the workers of jq and SQLite, within the budget of the run."""

from __future__ import annotations

from sandhook.limits import Budget
from sandhook.worker import client
from sandhook.worker.requests import NativeRequest, Request


def call_worker(
    pool: client.Pool, request: Request | NativeRequest, size: int, budget: Budget, on_frame: client.OnFrame
) -> None:
    """Send a request to a worker; its timeout or death ends the run.

    Args:
        size: Bytes of the request, which the budget is charged for.

    Raises:
        LimitExceeded: The worker was too slow, ran out of memory, or crashed.
        WorkerError: No worker could be started.
    """
    budget.charge(1 + (size >> 10))
    try:
        pool.call(request, budget.remaining, on_frame)
    except client.OutOfTime:
        budget.fail("wall_seconds")
    except client.WorkerDied:
        budget.fail("memory_bytes")

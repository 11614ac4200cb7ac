"""Requests to the workers of jq and SQLite, within the budget of the run."""

from __future__ import annotations

from sandhook.errors import WorkerError
from sandhook.limits import Budget
from sandhook.worker import client
from sandhook.worker.requests import NativeRequest, Request


def call_worker(
    pool: client.Pool[client.Worker],
    request: Request | NativeRequest,
    size: int,
    budget: Budget,
    on_frame: client.OnFrame,
) -> None:
    """Send a request to a worker; its timeout or death ends the run, and so does one that does not start.

    Args:
        size: Bytes of the request, which the budget is charged for.

    Raises:
        LimitExceeded: The worker was too slow, or ran out of memory.
        WorkerCrash: It died in another way, or no worker could be started.
    """
    budget.charge(1 + (size >> 10))
    try:
        pool.call(request, budget.remaining, on_frame)
    except client.OutOfTime:
        budget.fail("wall_seconds")
    except client.WorkerDied as death:
        death.end_run(budget)
    except WorkerError as error:
        budget.crash(str(error))

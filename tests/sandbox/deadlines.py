"""Scripts that must end at their deadline, in time of the processor: a busy machine gives a run less of it, never more."""

from __future__ import annotations

import time
from typing import Any

from sandhook import Shell
from sandhook.interp.result import Result
from sandhook.limits import Limits

#: What a run may take after its deadline, in seconds of processor time.
MARGIN = 0.25

#: Attempts that a script has: caches of a busy machine are shared, and a collection of garbage may be due.
ATTEMPTS = 3


def returns_in_time(script: str, limits: Limits, **arguments: Any) -> Result:
    """Run a script, which ends by itself or at a limit, and in one of the attempts does so in time."""
    shell = Shell(limits=limits)
    shell.run(":")
    for attempt in range(1, ATTEMPTS + 1):
        start = time.thread_time()
        result = shell.run(script, **arguments)
        seconds = time.thread_time() - start
        assert result.defect is None, result.defect
        assert result.limit is None or result.exit_status != 0
        if not result.interrupted and seconds < limits.wall_seconds + MARGIN:
            break
        assert attempt < ATTEMPTS, f"took {seconds:.2f} s; interrupted: {result.interrupted}"
    return result

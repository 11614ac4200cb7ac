"""fg, bg: bring a job to the foreground, or continue it in the background.

Source: POSIX.1-2024 XCU 3 fg, bg. Both need ``set -m``, as in a bash script.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, HelpWanted, builtin, no_options, write
from sandhook.builtins.jobs.jobspec import find_job, forget_ended
from sandhook.interp.jobs import jobs_of
from sandhook.state.state import State

USAGE = "fg [job_spec]"
OTHER_USAGES = {"bg": "bg [job_spec ...]"}


@builtin(USAGE, OTHER_USAGES)
def run(state: State, argv: Sequence[str]) -> int:
    """Return the job's status (fg), 0 (bg), or 1 without job control or such a job."""
    if argv[1:2] == ["--help"]:
        raise HelpWanted
    if "monitor" not in state.options.enabled:
        raise BuiltinError("no job control")
    operands = no_options(argv)
    forget_ended(state)
    if not operands and jobs_of(state).current() is None:
        raise BuiltinError("current: no such job")
    job = find_job(state, operands[0] if operands else "%+")
    if argv[0] == "bg":
        raise BuiltinError(f"job {job.number} already in background", 0)
    write(state, job.command + "\n")
    status = 0
    for process in job.processes:
        status = process.wait()
    jobs_of(state).remove(job)
    return status

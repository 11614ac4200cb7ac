"""disown: forget jobs without ending them.

Source: bash 5.2 reference manual 7.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, builtin, parse, print_error
from sandhook.builtins.jobs.jobspec import find_job, forget_ended
from sandhook.interp.jobs import jobs_of
from sandhook.state.jobs import Job
from sandhook.state.state import State
from sandhook.text.numbers import decimal

USAGE = "disown [-h] [-ar] [jobspec ... | pid ...]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a job that does not exist."""
    options, operands = parse(argv, "ahr")
    letters = {option.letter for option in options}
    forget_ended(state)
    table = jobs_of(state)
    if not operands and letters & {"a", "r"}:
        for job in table:
            _disown(state, job, letters)
        return 0
    if not operands:
        current = table.current()
        if current is None:
            raise BuiltinError("current: no such job")
        _disown(state, current, letters)
        return 0
    status = 0
    for operand in operands:
        try:
            pid = decimal(operand)
            by_pid = None if pid is None else table.by_pid(pid)
            if by_pid is None and operand[:1] != "%":
                raise BuiltinError(f"{operand}: no such job")
            _disown(state, by_pid or find_job(state, operand), letters)
        except BuiltinError as error:
            print_error(state, f"disown: {error.message}")
            status = 1
    return status


def _disown(state: State, job: Job, letters: set[str]) -> None:
    if "h" not in letters:  # -h affects SIGHUP, which a shell here never sends to its jobs
        table = jobs_of(state)
        table.remove(job)
        table.forgotten.setdefault(job.pid, 0)  # wait returns this status from now on

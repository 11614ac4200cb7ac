"""jobs: list background jobs.

Source: bash 5.2 reference manual 7.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandhook.builtins.base import BuiltinError, builtin, parse, print_error, runtime, write
from sandhook.builtins.jobs.jobspec import find_job, forget_ended
from sandhook.interp.jobs import describe, jobs_of
from sandhook.state.jobs import Job
from sandhook.state.state import State

USAGE = "jobs [-lnprs] [jobspec ...] or jobs -x command [args]"


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return 1 for a job that does not exist; with -x, the command's status."""
    options, operands = parse(argv, "lpnxrs")
    letters = {option.letter for option in options}
    letters -= set("lpn") - set(
        [option.letter for option in options if option.letter in "lpn"][-1:]
    )  # the last one counts
    if "x" in letters:
        last = max(index for index, option in enumerate(options) if option.letter == "x")
        if any(option.letter in "lpn" for option in options[:last]):  # after -x they have no effect
            raise BuiltinError("no other options allowed with `-x'")
        return _execute(state, operands)
    unreported = [] if state.invocation.input == "string" else [job for job in jobs_of(state) if job.done]
    if operands or not unreported:
        forget_ended(state)
    if not operands:
        _show(state, [job for job in jobs_of(state) if not (job.done and _death_was_reported(job))], letters)
        forget_ended(state)
        return 0
    status = 0
    for operand in operands:
        try:
            _show(state, [find_job(state, operand)], letters)
        except BuiltinError as error:
            print_error(state, f"jobs: {error.message}")
            if "ambiguous" in error.message:
                print_error(state, f"jobs: {operand}: no such job")
            status = 1
    return status


def _death_was_reported(job: Job) -> bool:
    return job.known and job.processes[-1].signal != 0


def _show(state: State, jobs: Sequence[Job], letters: set[str]) -> None:
    if "s" in letters:
        return  # no job is ever stopped
    for job in jobs:
        if "n" in letters and (job.done or job.listed):
            continue  # its only change is its end, which a shell that is not interactive has reported
        job.listed = True
        write(
            state,
            f"{job.processes[0].pid}\n" if "p" in letters else describe(state, job, pids="l" in letters),
        )


def _execute(state: State, operands: Sequence[str]) -> int:
    """jobs -x: run a command whose job specifications become process ids."""
    words = [_pid_text(state, word) if word[:1] == "%" else word for word in operands]
    if words and words[0][:1] == "%":  # not a job: as a command name, "%x" means "fg %x"
        words = ["fg", *words]
    return runtime(state).call(state, words) if words else 0


def _pid_text(state: State, word: str) -> str:
    """Return the process id of a job; the word itself when there is no such job."""
    try:
        return str(find_job(state, word).pid)
    except BuiltinError:
        return word

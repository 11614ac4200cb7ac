"""The background jobs of one shell, for ``jobs``, ``wait`` and ``kill %1``."""

from __future__ import annotations

from sandhook.kernel.signals import DESCRIPTIONS, NAMES, SIGINT, SIGPIPE, SIGTERM
from sandhook.state.assignment import unset
from sandhook.state.state import State
from sandhook.state.values import IndexedArray
from sandhook.text.numbers import decimal
from sandhook.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from sandhook.state.jobs import Job, Jobs

#: Signals whose jobs bash does not report.
SILENT = frozenset({0, SIGINT, SIGTERM, SIGPIPE})


def jobs_of(state: State) -> Jobs:
    """Return the job table of a shell; a subshell begins with an empty one."""
    if state.jobs is None:
        from sandhook.state.jobs import Jobs

        state.jobs = Jobs()
    return state.jobs


def reap(state: State, job: Job) -> None:
    """Remove the variables and descriptors of a coprocess that has ended."""
    if not job.coprocess:
        return
    name, job.coprocess = job.coprocess, ""
    descriptors = state.value(name)
    if isinstance(descriptors, IndexedArray) and state.get(f"{name}_PID") == str(job.pid):
        open_ = state.coprocesses
        texts = (descriptors.get(0), descriptors.get(1))
        own = {number for text in texts if text and (number := decimal(text)) is not None} & set(open_)
        for number in own:
            state.process.close(number)
        state.coprocesses = tuple(number for number in open_ if number not in own)
        unset(state, name)
        unset(state, f"{name}_PID")


def describe(state: State, job: Job, *, pids: bool = False) -> str:
    """Return the line of ``jobs`` for one job, newline included."""
    table = jobs_of(state)
    mark = "+" if job is table.current() else "-" if job is table.previous() else " "
    word = status_word(job)
    number = f"{job.pid:5d} " if pids else " "
    tail = "" if job.done else " &"
    return f"[{job.number}]{mark} {number}{word:<24}{job.command}{tail}\n"


def status_word(job: Job) -> str:
    """Return Running, Done, ``Exit 3`` or the description of the signal that ended a job."""
    if not job.done:
        return "Running"
    signal = job.processes[-1].signal
    if signal:
        return DESCRIPTIONS.get(signal, NAMES.get(signal, "Unknown signal"))
    return f"Exit {job.status}" if job.status else "Done"


def report_ended_jobs(state: State) -> None:
    """Report ended jobs after a command, as bash does; call it only if there are jobs.

    A death by a signal is reported. In the text of ``-c`` every end counts as reported, so that
    ``wait -n`` waits for other jobs; with job control every end is printed.
    """
    table = jobs_of(state)
    string = state.invocation.input == "string"
    for job in table.own():
        if job.done:
            reap(state, job)
        if not job.done or job.known:
            continue
        if reports_all_ends(state):
            state.shell.write_error(state, describe(state, job))
            table.remove(job)
        else:
            report_ended(state, job)
        job.known = string or job.processes[-1].signal != 0


def reports_all_ends(state: State) -> bool:
    """Return True if every end of a job is reported, and not only a death by a signal."""
    return not state.subshell and state.invocation.input == "string" and state.shell.job_control(state)


def report_ended(state: State, job: Job) -> None:
    """Report the death of a job by a signal.

    One that the shell traps is not reported; without job control neither are SIGINT, SIGTERM and SIGPIPE.
    """
    signal = job.processes[-1].signal
    if NAMES.get(signal) in state.traps:
        return
    if signal in SILENT:
        if signal and not state.subshell and state.shell.job_control(state):
            state.shell.write_error(state, describe(state, job))
    else:
        state.shell.error(state, f"{job.pid:5d} {status_word(job):<24}{job.command}")

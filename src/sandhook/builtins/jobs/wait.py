"""wait: wait for background processes.

Source: POSIX.1-2024 XCU 3 wait; bash 5.2 reference manual 7.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from greenlet import getcurrent

from sandhook.builtins.base import BuiltinError, builtin, invalid_name, parse, print_error, split_reference
from sandhook.builtins.jobs.jobspec import find_job, forget_ended
from sandhook.builtins.variables.unset import unset_variable
from sandhook.builtins.variables.variables import assign_reference
from sandhook.interp.jobs import describe, jobs_of, reap, report_ended, reports_all_ends
from sandhook.kernel.process import Process
from sandhook.kernel.signals import SIGCHLD
from sandhook.state.assignment import check_writable
from sandhook.state.control import ShellError
from sandhook.state.jobs import Job
from sandhook.state.state import State
from sandhook.text.names import is_name

USAGE = "wait [-fn] [-p var] [id ...]"
_NOT_FOUND = 127


class Interrupted(Exception):
    """A trapped signal arrived, and its trap has run."""

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.signal = signal


@builtin(USAGE)
def run(state: State, argv: Sequence[str]) -> int:
    """Return the status of the last operand, 127 when it is unknown, 128 + n after a trap."""
    options, operands = parse(argv, "fnp:")
    letters = {option.letter for option in options}
    variable = next((option.argument for option in reversed(options) if option.letter == "p"), None)
    if variable is not None:
        if split_reference(variable) is None:
            raise invalid_name(variable)
        if is_name(variable):  # bash leaves an element as it is
            _unset(state, variable)
    try:
        if "n" in letters:
            return _wait_next(state, operands, variable)
        if not operands:
            state.process.kernel.scheduler.yield_to_others()  # processes that are ready run first
            table = jobs_of(state)
            for job in table.own():
                _wait_for(state, job)
            for process in table.substitutions:
                while not process.done:
                    wait_any(state, [process])
            table.forgotten.clear()
            return 0
        status = 0
        for operand in operands:
            status = _wait_operand(state, operand, variable)
            if state.invocation.input == "string":
                forget_ended(state)  # %2 is gone if it ended before %1, although its pid is still known
        return status
    except Interrupted as interruption:
        return 128 + interruption.signal


def _unset(state: State, variable: str) -> None:
    """Unset the variable of -p; as in bash, a reference is unset itself if it has no variable that is set."""
    try:
        if variable in state.namerefs:
            target, element = state.resolve(variable)
            if element is not None or target in state.namerefs or state.value(target) is None:
                check_writable(state, variable, "cannot unset: readonly variable")
                del state.namerefs[variable]
                state.attributes.pop(variable, None)
                return
        unset_variable(state, variable)
    except ShellError as error:
        raise BuiltinError(error.message) from None


def _wait_operand(state: State, operand: str, variable: str | None) -> int:
    table = jobs_of(state)
    if operand[:1] == "%":
        try:
            job: Job | None = find_job(state, operand)
        except BuiltinError as error:
            print_error(state, f"wait: {error.message}")
            return _NOT_FOUND
    elif operand.isascii() and operand.isdigit():
        pid = int(operand[:12])
        job = table.by_pid(pid)
        if job in table.inherited:
            job = None
        substitution = table.substitution
        if job is None and substitution is not None and substitution.pid == pid:
            job = Job([substitution], None)
        if job is None and pid in table.forgotten:
            if variable is not None:
                assign_reference(state, variable, operand)
            return _remembered(state, pid)
        if job is None:
            print_error(state, f"wait: pid {operand} is not a child of this shell")
            return _NOT_FOUND
    else:
        print_error(state, f"wait: `{operand}': not a pid or valid job spec")
        return 1
    assert job is not None
    if variable is not None:
        assign_reference(state, variable, str(job.pid))
    status = _wait_for(state, job)
    return status if operand[:1] == "%" else _remembered(state, job.pid, status)


def _remembered(state: State, pid: int, status: int = 0) -> int:
    """Return the status of a process that has ended, ``status`` if it is not remembered; posix mode then forgets it."""
    table = jobs_of(state)
    status = table.forgotten.get(pid, status)
    if state.options.posix:
        table.forgotten.pop(pid, None)
    return status


def _wait_for(state: State, job: Job) -> int:
    """Wait for every process of a job, report one that a signal killed, and forget the job."""
    while not job.done:
        wait_any(state, [process for process in job.processes if not process.done])
    _report(state, job)
    jobs_of(state).remove(job)
    reap(state, job)
    return job.status


def _report(state: State, job: Job) -> None:
    if not job.known and reports_all_ends(state):
        state.shell.write_error(state, describe(state, job))
    elif not job.known:
        report_ended(state, job)
    job.known = True


def _wait_next(state: State, operands: Sequence[str], variable: str | None) -> int:
    """wait -n: wait until one of the jobs has ended."""
    table = jobs_of(state)
    if operands:
        jobs = []
        for operand in operands:
            job = _optional_job(state, operand)
            if job is not None:
                jobs.append(job)
    else:
        jobs = [job for job in table.own() if not job.known]
    if not jobs:
        return _NOT_FOUND
    while True:
        for job in jobs:
            if job.done:
                _report(state, job)
                table.remove(job)
                reap(state, job)
                if variable is not None:
                    assign_reference(state, variable, str(job.pid))
                return job.status
        wait_any(state, [process for job in jobs for process in job.processes if not process.done])


def _optional_job(state: State, operand: str) -> Job | None:
    table = jobs_of(state)
    if operand[:1] == "%":
        try:
            return find_job(state, operand)
        except BuiltinError as error:
            print_error(state, f"wait: {error.message}")
            return None
    job = table.by_pid(int(operand[:12])) if operand.isascii() and operand.isdigit() else None
    if job is None or job.known:
        print_error(state, f"wait: {operand}: no such job")
        return None
    return job


def wait_any(state: State, processes: Sequence[Process]) -> None:
    """Block until one of the processes ends.

    Raises:
        Interrupted: A trapped signal arrived first.
    """
    shell = state.process
    task = getcurrent()
    signals: list[int] = []
    handle = shell.on_signal

    def record(signal: int) -> None:
        signals.append(signal)
        if handle is not None:
            if signal != SIGCHLD:
                state.status = 128 + signal  # what $? is in the trap
            handle(signal)

    for process in processes:
        process.waiters.append(task)
    shell.on_signal = record
    try:
        shell.kernel.scheduler.block()
    finally:
        shell.on_signal = handle
        for process in processes:
            if task in process.waiters:
                process.waiters.remove(task)
    for signal in signals:
        if signal != SIGCHLD:
            raise Interrupted(signal)

"""Job specifications: ``%1``, ``%-``, ``%name``."""

from __future__ import annotations

from sandhook.builtins.base import BuiltinError
from sandhook.interp.jobs import jobs_of
from sandhook.state.jobs import Job, Jobs
from sandhook.state.state import State


def find_job(state: State, text: str) -> Job:
    """Return the job that a specification (with or without "%") names.

    Raises:
        BuiltinError: No job matches, or several do.
    """
    table = jobs_of(state)
    job = _find(table, text.removeprefix("%"))
    if job is None:
        raise BuiltinError(f"{text}: no such job")
    return job


def _find(table: Jobs, text: str) -> Job | None:
    if text in ("", "%", "+"):
        return table.current()
    if text == "-":
        return table.previous()
    if text.isascii() and text.isdigit():
        return table.by_number(int(text[:10]))
    if text[:1] == "?":
        jobs = [job for job in table if text[1:] in job.command]
    else:
        jobs = [job for job in table if job.command.startswith(text)]
    if len(jobs) > 1:
        raise BuiltinError(f"{text.removeprefix('?')}: ambiguous job spec")
    return jobs[0] if jobs else None


def forget_ended(state: State) -> None:
    """Drop jobs that have ended, as a shell that is not interactive does before it lists them."""
    table = jobs_of(state)
    for job in table:
        if job.done:
            table.remove(job)

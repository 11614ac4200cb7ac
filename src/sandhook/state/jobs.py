"""Background jobs of one shell, as data: what ``jobs``, ``wait`` and ``kill %1`` work on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sandhook.kernel.process import Process
from sandhook.syntax.nodes import Command

#: Statuses of removed jobs that are kept for ``wait`` (a count).
REMEMBERED = 1024


class Job:
    """One background pipeline or coprocess.

    Attributes:
        number: What ``%1`` refers to; 0 until it is in a table.
        processes: Its processes; the last one's status is the job's.
        known: ``jobs`` or ``wait`` has reported its end.
        listed: ``jobs`` has shown it.
        coprocess: The name of its variables, if it is one.
    """

    __slots__ = ("_node", "_text", "coprocess", "known", "listed", "number", "processes")

    def __init__(self, processes: list[Process], node: Command | None, text: str = "") -> None:
        self.number = 0
        self.processes = processes
        self._node = node
        self._text = text
        self.known = self.listed = False
        self.coprocess = ""

    @property
    def command(self) -> str:
        """The source text, as bash prints a job."""
        if not self._text and self._node is not None:
            from sandhook.syntax.unparse import unparse

            self._text = unparse(self._node, as_bash=True)
        return self._text

    @property
    def done(self) -> bool:
        return all(process.done for process in self.processes)

    @property
    def status(self) -> int:
        return self.processes[-1].status

    @property
    def pid(self) -> int:
        """The process id that ``$!`` had."""
        return self.processes[-1].pid


class Jobs:
    """The table of a shell's jobs."""

    __slots__ = ("_jobs", "forgotten", "inherited", "substitution", "substitutions")

    def __init__(self, inherited: Sequence[Job] = ()) -> None:
        self._jobs: list[Job] = list(inherited)
        #: what a command substitution can see and kill, but not wait for
        self.inherited = frozenset(inherited)
        #: the last process substitution, for ``wait $!``
        self.substitution: Process | None = None
        #: those that may still run, which ``wait`` without operands waits for, as bash does
        self.substitutions: list[Process] = []
        #: pid to status of jobs that are no longer listed
        self.forgotten: dict[int, int] = {}

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._jobs))

    def __len__(self) -> int:
        return len(self._jobs)

    def copy(self) -> Jobs:
        """Return what a command substitution sees of these."""
        return Jobs(self._jobs)

    def own(self) -> list[Job]:
        """Return the jobs that can be waited for."""
        return [job for job in self._jobs if job not in self.inherited]

    def add(self, job: Job) -> None:
        """Number a job and list it; jobs that ended long ago make room."""
        if len(self._jobs) >= 32:
            for old in [old for old in self._jobs if old.done]:
                self.remove(old)
        job.number = max((known.number for known in self._jobs), default=0) + 1
        self._jobs.append(job)

    def remove(self, job: Job) -> None:
        """Remove a job from the list; keep its status for ``wait PID``."""
        if job in self._jobs:
            self._jobs.remove(job)
        if job.done:
            self.forgotten[job.pid] = job.status
            while len(self.forgotten) > REMEMBERED:
                del self.forgotten[next(iter(self.forgotten))]

    def current(self) -> Job | None:
        """Return ``%+``: the job started last."""
        return self._jobs[-1] if self._jobs else None

    def previous(self) -> Job | None:
        """Return ``%-``."""
        return self._jobs[-2] if len(self._jobs) > 1 else self.current()

    def by_number(self, number: int) -> Job | None:
        return next((job for job in self._jobs if job.number == number), None)

    def by_pid(self, pid: int) -> Job | None:
        return next((job for job in self._jobs if any(process.pid == pid for process in job.processes)), None)

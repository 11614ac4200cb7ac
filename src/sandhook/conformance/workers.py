"""Runs scripts on sandhook in worker processes.

Results come in the order of the scripts. A worker that dies ends its pool; the remaining scripts then run
one by one, so that the script that caused it is found.
"""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sandhook.conformance.model import Observation
from sandhook.conformance.runner import run_sandhook

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

#: Scripts that a worker receives at once.
CHUNK = 16

#: With fewer scripts than this, the start of a worker takes longer than the scripts.
MIN_SCRIPTS = 64

#: The result of one script between processes: the fields of ``Observation``.
_Fields = tuple[int, bytes, bytes, str, float, str | None]

#: A script and the number of its cases.
_Task = tuple[str, int]


def _pool(jobs: int) -> ProcessPoolExecutor:
    """Return a pool of new processes: a fork would copy running threads and greenlets."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_ignore_interrupts)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ignore interrupts while processes start: they inherit this, so no interrupt can precede their own handler."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # only the main thread may set handlers, and only it is interrupted
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _ignore_interrupts() -> None:
    """Ignore interrupts from the keyboard in a worker: its parent handles them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run(tasks: list[_Task], root: str | None, seconds: float | None) -> list[_Fields]:
    """Run some scripts in a worker."""
    return [tuple(run_sandhook(script, root, seconds, count)) for script, count in tasks]


def _chunks(tasks: list[_Task]) -> list[list[_Task]]:
    """Return the scripts in groups of about ``CHUNK`` cases."""
    chunks: list[list[_Task]] = []
    room = 0
    for task in tasks:
        if room < task[1]:
            chunks.append([])
            room = CHUNK
        chunks[-1].append(task)
        room -= task[1]
    return chunks


class Sandhook:
    """Runs scripts on sandhook, in this process or in workers.

    Args:
        root: Directory of the host that scripts see as $REPO_ROOT.
        jobs: Largest number of worker processes; with 1, all scripts run in this process.
        timeout: Limit of one script in seconds.
    """

    name = "sandhook"
    version: tuple[int, ...] = ()

    #: The function that workers run: some scripts, with a root and a limit.
    work = staticmethod(_run)

    def __init__(self, *, root: str | None = None, jobs: int = 1, timeout: float | None = None) -> None:
        self._root = root
        self._timeout = timeout
        self._jobs = jobs

    def __enter__(self) -> Sandhook:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def run(self, script: str, count: int = 1) -> Observation:
        """Run one script with this number of cases in this process."""
        return run_sandhook(script, self._root, self._timeout, count)

    def map(
        self, scripts: Sequence[str], counts: Sequence[int] | None = None
    ) -> Generator[Observation, None, None]:
        """Yield the result of each script, in order; ``counts`` has the number of cases of each script."""
        tasks = list(zip(scripts, counts or [1] * len(scripts)))
        jobs = min(self._jobs, len(scripts), sum(count for _, count in tasks) // (MIN_SCRIPTS // 2))
        if jobs <= 1:
            for script, count in tasks:
                yield self.run(script, count)
            return
        from concurrent.futures.process import BrokenProcessPool
        from multiprocessing import active_children

        result_count = 0
        pool = _pool(jobs)
        other_processes = set(active_children())
        try:
            with _interrupts_ignored():
                futures = [
                    pool.submit(self.work, chunk, self._root, self._timeout) for chunk in _chunks(tasks)
                ]
            for future in futures:
                for fields in future.result():
                    result_count += 1
                    yield Observation(*fields)
        except BrokenProcessPool:
            pass
        finally:
            if result_count < len(scripts):  # the results of the workers are not needed
                for process in set(active_children()) - other_processes:
                    process.kill()
            pool.shutdown(cancel_futures=True)
        yield from self._run_separately(tasks[result_count:])

    def _run_separately(self, tasks: Sequence[_Task]) -> Generator[Observation, None, None]:
        from concurrent.futures.process import BrokenProcessPool

        pool = _pool(1)
        try:
            for task in tasks:
                try:
                    yield Observation(*pool.submit(self.work, [task], self._root, self._timeout).result()[0])
                except BrokenProcessPool:
                    yield Observation(70, b"", b"", "defect: the process that ran it died")
                    pool.shutdown()
                    pool = _pool(1)
        finally:
            pool.shutdown(cancel_futures=True)

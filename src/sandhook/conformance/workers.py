"""Runs scripts on sandhook in worker processes.

Results come in the order of the scripts, whatever the number of workers. A worker that dies takes
its pool along; what was not answered is then run one by one, so that the script at fault is found.
"""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sandhook.conformance.runner import Observed, run_sandhook

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

#: Scripts that one worker is given at a time.
CHUNK = 16

#: Below this number a worker's start takes longer than the scripts.
FEW = 64

#: What crosses the process boundary for one script.
_Plain = tuple[int, bytes, bytes, str, float]


def _pool(jobs: int) -> ProcessPoolExecutor:
    """Return a pool of fresh processes: a fork would copy threads and greenlets in the middle of their work."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_leave_interrupts)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Start processes that inherit no interest in interrupts, which would come before they can say so."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # only the main thread may; then it is not interrupted either
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _leave_interrupts() -> None:
    """Let the process that started this one decide what an interrupt from the keyboard ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _run(scripts: list[str], root: str | None, seconds: float | None) -> list[_Plain]:
    """Run a few scripts; the function that workers are sent."""
    return [tuple(run_sandhook(script, root, seconds)) for script in scripts]


class Sandhook:
    """Runs scripts on sandhook, in this process or in workers.

    Args:
        root: A directory of the host that scripts find as $REPO_ROOT.
        jobs: How many worker processes there may be; with 1 all runs in this process.
        timeout: Seconds that one script may take.
    """

    name = "sandhook"
    version: tuple[int, ...] = ()

    #: What workers are sent: runs a few scripts with a root and a time.
    work = staticmethod(_run)

    def __init__(self, *, root: str | None = None, jobs: int = 1, timeout: float | None = None) -> None:
        self._root = root
        self._timeout = timeout
        self._jobs = jobs

    def __enter__(self) -> Sandhook:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def run(self, script: str) -> Observed:
        """Run one script in this process."""
        return run_sandhook(script, self._root, self._timeout)

    def map(self, scripts: Sequence[str]) -> Generator[Observed, None, None]:
        """Yield what each script gives, in order."""
        jobs = min(self._jobs, len(scripts) // (FEW // 2))
        if jobs <= 1:
            yield from map(self.run, scripts)
            return
        from concurrent.futures.process import BrokenProcessPool
        from multiprocessing import active_children

        answered = 0
        pool = _pool(jobs)
        others = set(active_children())
        chunks = [list(scripts[at : at + CHUNK]) for at in range(0, len(scripts), CHUNK)]
        try:
            with _interrupts_ignored():
                futures = [pool.submit(self.work, chunk, self._root, self._timeout) for chunk in chunks]
            for future in futures:
                for plain in future.result():
                    answered += 1
                    yield Observed(*plain)
        except BrokenProcessPool:
            pass
        finally:
            if answered < len(scripts):  # nobody waits for what the workers are at
                for process in set(active_children()) - others:
                    process.kill()
            pool.shutdown(cancel_futures=True)
        yield from self._one_by_one(scripts[answered:])

    def _one_by_one(self, scripts: Sequence[str]) -> Generator[Observed, None, None]:
        from concurrent.futures.process import BrokenProcessPool

        pool = _pool(1)
        try:
            for script in scripts:
                try:
                    yield Observed(*pool.submit(self.work, [script], self._root, self._timeout).result()[0])
                except BrokenProcessPool:
                    yield Observed(70, b"", b"", "defect: the process that ran it died")
                    pool.shutdown()
                    pool = _pool(1)
        finally:
            pool.shutdown(cancel_futures=True)

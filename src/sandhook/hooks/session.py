"""What an engine keeps between events: which hooks ran once, and the hooks that run in the background."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock, Thread
from typing import TYPE_CHECKING

from sandhook.record import Record

if TYPE_CHECKING:
    from sandhook.hooks.contracts import Contract
    from sandhook.hooks.model import Outcome


class OnceHooks:
    """Which hooks with ``once`` ran already, by session. Any thread may ask."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ran: set[tuple[str | None, str]] = set()

    def first_time(self, session_id: str | None, hook_id: str) -> bool:
        """Return True for the first call with these ids, False for every later one."""
        with self._lock:
            first = (session_id, hook_id) not in self._ran
            self._ran.add((session_id, hook_id))
        return first

    def forget(self, session_id: str | None) -> None:
        """Forget a session that ended."""
        with self._lock:
            self._ran = {key for key in self._ran if key[0] != session_id}


class BackgroundResult(Record):
    """The outcome of a background hook, and the contract that decides whether it is delivered."""

    contract: Contract
    outcome: Outcome


class BackgroundHooks:
    """Hooks that run in the background, in a thread each, and the results that nobody collected yet."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._threads: list[Thread] = []
        self._results: list[BackgroundResult] = []

    def start(self, contract: Contract, run: Callable[[], Outcome]) -> None:
        """Run a hook in a thread of its own and keep its outcome.

        Args:
            run: Runs the hook and returns its outcome; never raises.
        """

        def run_and_keep() -> None:
            result = BackgroundResult(contract, run())
            with self._lock:
                self._results.append(result)

        thread = Thread(target=run_and_keep, name="sandhook-background-hook", daemon=True)
        with self._lock:
            self._threads = [running for running in self._threads if running.is_alive()]
            self._threads.append(thread)
        thread.start()

    def collect(self) -> Sequence[BackgroundResult]:
        """Return the results since the last call, in the order in which the hooks ended."""
        if not self._results:
            return ()
        with self._lock:
            results, self._results = self._results, []
        return results

    def wait(self, seconds: float | None) -> bool:
        """Wait for each thread at most that long; return True when all of them have ended."""
        for thread in list(self._threads):
            thread.join(seconds)
        return not any(thread.is_alive() for thread in self._threads)

"""The cooperative scheduler: tasks are greenlets, time is virtual.

One hub runs on the stack of the caller of ``Scheduler.run``. The hub starts every task, so a task's
Python stack is shallow, no matter how deeply the shell nests; ``call_on_new_stack`` continues a deep task
on such a stack. When every task waits and one of them sleeps, the clock jumps: a script that sleeps
60 s under a limit of 5 s times out at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import count

from greenlet import GreenletExit, getcurrent, greenlet

from sandhook.lazy import lazy_module
from sandhook.limits import Budget
from sandhook.typed import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    import heapq
else:  # few runs sleep
    heapq = lazy_module("heapq")

T = TypeVar("T")

#: Task switches between two readings of the clock, or two polls of the host (a count).
TASKS_PER_POLL = 64

#: The longest wait for the host before the scheduler checks whether the run was cancelled, in seconds.
POLL_SECONDS = 0.05


class Owner(Protocol):
    """The process of a task, as the scheduler sees it."""

    blocked: Task | None
    pending: list[int]
    ignored: set[int]
    caught: set[int]
    utility: Sequence[str]

    def kill(self, signal: int) -> None:
        """Send a signal."""

    def deliver(self) -> None:
        """Act on pending signals; may raise Terminated."""


class Task(Protocol):
    """A greenlet that knows its process, as code that waits, wakes and cancels sees it."""

    process: Owner | None
    parent: Task

    @property
    def dead(self) -> bool: ...
    def switch(self, *values: object) -> object: ...
    def throw(self, error: type[BaseException]) -> object: ...


class _Greenlet(greenlet):  # type: ignore[misc]  # greenlet has no types
    process: Owner | None = None


class Scheduler:
    """Runs tasks in turn until one of them, or all, are done.

    Attributes:
        failure: The exception that ended the run (a limit or a defect), raised by ``run``.
        idle: Waits at most so many seconds for events of the host (0 only polls), and wakes the tasks
            that wait for them. None in a sandbox, where time is virtual.
    """

    __slots__ = ("_closing", "_hub", "_live", "_ready", "_sequence", "_timers", "budget", "failure", "idle")

    def __init__(self, budget: Budget, idle: Callable[[float], object] | None = None) -> None:
        self.budget = budget
        self.failure: BaseException | None = None
        self._hub: Task = getcurrent()
        self._ready: deque[tuple[Task, Callable[[], object] | None]] = deque()
        self._timers: list[tuple[float, int, Task]] = []
        self._sequence = count()
        self._live: set[Task] = set()
        self._closing = False
        self.idle = idle

    # ------------------------------------------------------------------ for tasks

    def spawn(self, body: Callable[[], object], process: Owner | None) -> Task:
        """Make ``body`` a task of ``process`` and return it; it starts at the hub's next turn."""
        task: Task = _Greenlet(self._guard)
        task.process = process
        self._ready.append((task, body))
        return task

    def cancel(self, task: Task) -> None:
        """End another task at the point where it waits."""
        if not task.dead:
            self.wake(getcurrent())
            task.parent = self._hub  # where a dead greenlet continues: the hub then resumes the caller
            task.throw(GreenletExit)

    def block(self) -> None:
        """Let others run until another task wakes this one; wake-ups may be spurious.

        Raises Terminated when a signal ends the process of the task.
        """
        if self._closing:
            raise GreenletExit
        task: Task = getcurrent()
        process = task.process
        if process is not None:
            if process.pending:  # the signal came before the task blocked for the first time
                process.deliver()
            process.blocked = task
        self._hub.switch()
        if process is not None:
            process.blocked = None
            if process.pending:
                process.deliver()

    def wake(self, task: Task) -> None:
        """Resume a blocked task at its turn."""
        self._ready.append((task, None))

    def yield_to_others(self) -> None:
        """Run other tasks that are ready; called when a slice of steps is used up."""
        if self.idle is not None:
            self.idle(0)
        if self._timers:
            self._wake_due()
        if self._ready and not self._closing:
            self.wake(getcurrent())
            self.block()

    def sleep(self, seconds: float) -> None:
        """Block for ``seconds`` of virtual time."""
        due = self.budget.elapsed() + seconds
        while True:
            remaining = due - self.budget.elapsed()
            if remaining <= 0:
                return
            heapq.heappush(self._timers, (due, next(self._sequence), getcurrent()))
            self.block()

    def alarm(self, seconds: float) -> None:
        """Wake the current task after ``seconds`` even if no other task does (read -t, wait)."""
        heapq.heappush(self._timers, (self.budget.elapsed() + seconds, next(self._sequence), getcurrent()))

    def call_on_new_stack(self, body: Callable[[], T]) -> T:
        """Run ``body`` on a new, shallow stack for the current process and return its result."""
        caller: Task = getcurrent()
        results: list[T] = []
        errors: list[BaseException] = []

        def run() -> None:
            try:
                results.append(body())
            except GreenletExit:
                raise
            except BaseException as error:  # carried to the caller's stack, whatever it is
                errors.append(error)
            self.wake(caller)

        self.spawn(run, caller.process)
        while not results and not errors:
            self._wait_for_callee()
        if errors:
            raise errors[0]
        return results[0]

    def _wait_for_callee(self) -> None:
        """Block without delivering signals: these belong to the innermost stack of the process."""
        if self._closing:
            raise GreenletExit
        self._hub.switch()

    # ------------------------------------------------------------------ the hub

    def run(self, done: Callable[[], bool]) -> None:
        """Run tasks until ``done()``; then raise the failure of the run, if there is one."""
        self._hub = getcurrent()
        ready = self._ready
        if self.idle is not None:
            self._run_in_world(done)
        turns = 0
        while not done() and self.failure is None:
            if ready:
                self._resume(*ready.popleft())
                turns += 1
                if self._timers and not turns % TASKS_PER_POLL:  # two busy tasks must not delay a sleeper
                    self._wake_due()
            elif self._timers:
                self._skip_to_next_timer()
            else:
                self._fail_waiting_forever()
        if self.failure is not None:
            raise self.failure

    def _run_in_world(self, done: Callable[[], bool]) -> None:
        """Run tasks as ``run`` does, in real time, and poll the host."""
        idle, ready, budget = self.idle, self._ready, self.budget
        assert idle is not None
        while not done() and self.failure is None:
            for _ in range(min(len(ready), TASKS_PER_POLL)):
                self._resume(*ready.popleft())
                if self.failure is not None or done():
                    return
            if ready:
                idle(0)
            else:
                wait = min(POLL_SECONDS, budget.remaining())
                if self._timers:
                    wait = min(wait, max(0.0, self._timers[0][0] - budget.elapsed()))
                before = budget.elapsed()
                idle(wait)
                budget.waited += budget.elapsed() - before
            self._wake_due()
            if budget.exhausted is not None:  # cancelled from another thread
                self.failure = budget.exhausted
            elif not ready and not budget.remaining():
                self._limit_reached()

    def _resume(self, task: Task, body: Callable[[], object] | None) -> None:
        if body is not None:
            if task.dead:  # cancelled before it began
                return
            task.parent = self._hub
            self._live.add(task)
            task.switch(body)
        elif not task.dead:
            task.switch()

    def _guard(self, body: Callable[[], object]) -> None:
        """Run one task; an exception that escapes it ends the whole run."""
        try:
            body()
        except GreenletExit:
            pass
        except BaseException as error:
            if self.failure is None:
                self.failure = error
        finally:
            self._live.discard(getcurrent())

    def _wake_due(self) -> None:
        now = self.budget.elapsed()
        while self._timers and self._timers[0][0] <= now:
            self.wake(heapq.heappop(self._timers)[2])

    def _skip_to_next_timer(self) -> None:
        while self._timers and self._timers[0][2].dead:
            heapq.heappop(self._timers)
        if not self._timers:
            return
        gap = self._timers[0][0] - self.budget.elapsed()
        limit = self.budget.limits.wall_seconds
        if self._timers[0][0] > limit:
            self._limit_reached()
            return
        if gap > 0:
            self.budget.skipped += gap
        self._wake_due()

    def _fail_waiting_forever(self) -> None:
        """Fail a run whose tasks all wait for each other: it would hang until the time limit."""
        self._limit_reached()

    def _limit_reached(self) -> None:
        self.budget.skipped += self.budget.remaining()
        try:
            self.budget.fail("wall_seconds")
        except BaseException as error:
            self.failure = error

    def close(self) -> None:
        """End all remaining tasks; no code of the run executes after this."""
        self._closing = True
        self._ready.clear()
        self._timers.clear()
        for _ in range(3):  # a task may start others while it unwinds
            for task in list(self._live):
                if not task.dead:
                    task.throw(GreenletExit)
            self._live.clear()
        # The hub is the caller's main greenlet, which must not be part of garbage: a collection in
        # another thread, after the end of the caller's, would crash in greenlet 3.5.
        del self._hub

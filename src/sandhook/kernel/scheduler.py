"""The cooperative scheduler: tasks are greenlets, time is virtual.

One hub runs on the stack of the caller of ``Scheduler.run``. The hub starts every task, so a task's
Python stack is shallow, no matter how deeply the shell nests; ``call_on_new_stack`` continues a deep task
on such a stack. When every task waits and one of them sleeps, the clock jumps: a script that sleeps
60 s under a limit of 5 s times out at once.
"""

from __future__ import annotations

from _thread import _local as local
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
    scheduler: Scheduler | None
    gr_context: object

    @property
    def dead(self) -> bool: ...
    def switch(self, *values: object) -> object: ...
    def throw(self, error: type[BaseException]) -> object: ...


class _Greenlet(greenlet):  # type: ignore[misc]  # greenlet has no types
    """A task, or the stack of former tasks that waits for another one.

    Attributes:
        scheduler: The one that runs its body; None before and after that.
    """

    process: Owner | None = None
    scheduler: Scheduler | None = None


class _Idle(local):
    """The greenlets of a thread that wait for a body.

    A new greenlet needs memory from the system for its stack, and returns it at its end: 7 of the 40 µs of a short run.
    """

    def __init__(self) -> None:
        self.greenlets: list[Task] = []


_IDLE = _Idle()

#: Greenlets that one thread keeps. Each has a stack of 16 KiB.
_MOST_IDLE = 8


def _serve(scheduler: Scheduler, body: Callable[[], object]) -> None:
    """Run one body after the other, as the program of a greenlet.

    No variable here refers to the greenlet or to the list: an idle greenlet must end with its thread.
    """
    while scheduler.run_task(body) and len(_IDLE.greenlets) < _MOST_IDLE:
        _IDLE.greenlets.append(getcurrent())
        hub = scheduler.hub
        del scheduler, body  # they hold all that the run had
        scheduler, body = hub.switch()  # type: ignore[misc]


class Scheduler:
    """Runs tasks in turn until one of them, or all, are done.

    Attributes:
        failure: The exception that ended the run (a limit or a defect), raised by ``run``.
        hub: The greenlet that runs the tasks.
        idle: Waits at most so many seconds for events of the host (0 only polls), and wakes the tasks
            that wait for them. None in a sandbox, where time is virtual.
    """

    __slots__ = (
        "_closing", "_live", "_ready", "_reuses", "_sequence", "_timers", "budget", "failure", "hub", "idle",
    )  # fmt: skip

    def __init__(self, budget: Budget, idle: Callable[[float], object] | None = None) -> None:
        self.budget = budget
        self.failure: BaseException | None = None
        self.hub: Task = getcurrent()
        self._ready: deque[tuple[Task, Callable[[], object] | None]] = deque()
        self._timers: list[tuple[float, int, Task]] = []
        self._sequence = count()
        self._live: set[Task] = set()
        self._closing = False
        self.idle = idle
        # An idle greenlet continues in the first one of its thread. On a host, tasks are cancelled from outside.
        self._reuses = idle is None and self.hub.parent is None

    # ------------------------------------------------------------------ for tasks

    def spawn(self, body: Callable[[], object], process: Owner | None) -> Task:
        """Make ``body`` a task of ``process`` and return it; it starts at the hub's next turn."""
        idle = _IDLE.greenlets if self._reuses else None
        task: Task = idle.pop() if idle else _Greenlet(_serve)
        task.process = process
        self._ready.append((task, body))
        return task

    def cancel(self, task: Task) -> None:
        """End another task of a host at the point where it waits. In a sandbox, its greenlet may be another task's by now."""
        if not task.dead:
            self.wake(getcurrent())
            task.parent = self.hub  # where a dead greenlet continues: the hub then resumes the caller
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
        self.hub.switch()
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
        self.hub.switch()

    # ------------------------------------------------------------------ the hub

    def run(self, done: Callable[[], bool]) -> None:
        """Run tasks until ``done()``; then raise the failure of the run, if there is one."""
        self.hub = getcurrent()
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
            task.parent = self.hub
            task.scheduler = self
            self._live.add(task)
            task.switch(self, body)
        elif task.scheduler is self:  # else it has ended, and its greenlet may serve another run
            task.switch()

    def run_task(self, body: Callable[[], object]) -> bool:
        """Run a task; an exception that escapes it ends the whole run. Return True if its greenlet can run another one."""
        task: Task = getcurrent()
        reusable = self._reuses
        try:
            body()
        except GreenletExit:
            reusable = False
        except BaseException as error:
            if self.failure is None:
                self.failure = error
        finally:
            self._live.discard(task)
            task.process = task.scheduler = None
            if reusable:
                task.gr_context = None  # context variables that a utility has set
        return reusable

    def _wake_due(self) -> None:
        now = self.budget.elapsed()
        while self._timers and self._timers[0][0] <= now:
            self.wake(heapq.heappop(self._timers)[2])

    def _skip_to_next_timer(self) -> None:
        while self._timers and self._timers[0][2].scheduler is not self:
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
        del self.hub

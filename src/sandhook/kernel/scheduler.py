"""The cooperative scheduler: processes are greenlets, time is virtual.

One hub runs in the stack of whoever called ``Scheduler.run``. Every task is started by the
hub, so its Python stack is shallow however deep the shell's own nesting is; ``call_on_new_stack``
lets a deep task go on from there. When every task waits and one of them sleeps, the clock
jumps: a script that sleeps 60 s under a limit of 5 s times out at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any, Protocol, TypeVar

from greenlet import GreenletExit, getcurrent, greenlet

from sandhook.limits import Budget

T = TypeVar("T")

#: Turns of tasks between two looks at the clock, or at the world outside (a count).
TASKS_PER_POLL = 64

#: The longest wait for the world outside between two looks at who cancelled the run, in seconds.
POLL_SECONDS = 0.05


class Owner(Protocol):
    """What the scheduler knows of the process that a task works for."""

    blocked: Any
    pending: list[int]

    def deliver(self) -> None:
        """Act on pending signals; may raise Terminated."""


class Task(greenlet):  # type: ignore[misc]
    """A greenlet that knows which process it works for."""

    process: Owner | None = None


class Scheduler:
    """Runs tasks in turn until one of them, or all, are done.

    Attributes:
        failure: The exception that ended the run (a limit or a defect), raised by ``run``.
        idle: Waits for the world outside, at most so many seconds (0: only looks), and wakes whom it
            concerns. None in a sandbox: there is no such world, and time is virtual.
    """

    __slots__ = ("_closing", "_hub", "_live", "_ready", "_sequence", "_timers", "budget", "failure", "idle")

    def __init__(self, budget: Budget, idle: Callable[[float], object] | None = None) -> None:
        self.budget = budget
        self.failure: BaseException | None = None
        self._hub: Any = None
        self._ready: deque[Any] = deque()
        self._timers: list[tuple[float, int, Any]] = []
        self._sequence = count()
        self._live: set[Any] = set()
        self._closing = False
        self.idle = idle

    # ------------------------------------------------------------------ for tasks

    def spawn(self, body: Callable[[], object], process: Owner | None) -> Any:
        """Make ``body`` a task of ``process`` and return it; it starts at the hub's next turn."""
        task = Task(self._guard)
        task.process = process
        self._ready.append((task, body))
        return task

    def cancel(self, task: Any) -> None:
        """End another task where it waits."""
        if not task.dead:
            self.wake(getcurrent())
            task.parent = self._hub  # it goes on to the hub, which resumes the caller
            task.throw(GreenletExit)

    def block(self) -> None:
        """Let others run until somebody wakes this task; wake-ups may be spurious.

        Raises Terminated when a signal for the task's process came meanwhile.
        """
        if self._closing:
            raise GreenletExit
        me = getcurrent()
        process = me.process
        if process is not None:
            if process.pending:  # it came before this task had blocked once
                process.deliver()
            process.blocked = me
        self._hub.switch()
        if process is not None:
            process.blocked = None
            if process.pending:
                process.deliver()

    def wake(self, task: Any) -> None:
        """Let a blocked task go on at its turn."""
        self._ready.append((task, None))

    def yield_to_others(self) -> None:
        """Give others a turn if they want one; called when a slice of steps is used up."""
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
            left = due - self.budget.elapsed()
            if left <= 0:
                return
            heappush(self._timers, (due, next(self._sequence), getcurrent()))
            self.block()

    def alarm(self, seconds: float) -> None:
        """Wake the current task after ``seconds`` even if nobody else does (read -t, wait)."""
        heappush(self._timers, (self.budget.elapsed() + seconds, next(self._sequence), getcurrent()))

    def call_on_new_stack(self, body: Callable[[], T]) -> T:
        """Run ``body`` on a new, shallow stack for the current process and return its result."""
        me = getcurrent()
        outcome: list[Any] = []

        def run() -> None:
            try:
                outcome.append((True, body()))
            except GreenletExit:
                raise
            except BaseException as error:  # carried to the caller's stack, whatever it is
                outcome.append((False, error))
            self.wake(me)

        self.spawn(run, me.process)
        while not outcome:
            self._wait_for_callee(me)
        succeeded, value = outcome[0]
        if succeeded:
            result: T = value
            return result
        raise value

    def _wait_for_callee(self, me: Any) -> None:
        """Block without taking signals: they belong to the innermost stack of the process."""
        if self._closing:
            raise GreenletExit
        self._hub.switch()

    # ------------------------------------------------------------------ the hub

    def run(self, done: Callable[[], bool]) -> None:
        """Run tasks until ``done()``; then raise what failed, if anything did."""
        self._hub = getcurrent()
        ready = self._ready
        if self.idle is not None:
            self._run_in_world(done)
        turns = 0
        while not done() and self.failure is None:
            if ready:
                self._resume(*ready.popleft())
                turns += 1
                if (
                    self._timers and not turns % TASKS_PER_POLL
                ):  # two that keep each other busy let no sleeper oversleep
                    self._wake_due()
            elif self._timers:
                self._skip_to_next_timer()
            else:
                self._fail_waiting_forever()
        if self.failure is not None:
            raise self.failure

    def _run_in_world(self, done: Callable[[], bool]) -> None:
        """Run tasks as ``run`` does, in real time and with an eye on the world outside."""
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

    def _resume(self, task: Any, body: Callable[[], object] | None) -> None:
        if body is not None:
            if task.dead:  # cancelled before it began
                return
            task.parent = self._hub
            self._live.add(task)
            task.switch(body)
        elif not task.dead:
            task.switch()

    def _guard(self, body: Callable[[], object]) -> None:
        """Run one task; whatever escapes it ends the whole run."""
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
            self.wake(heappop(self._timers)[2])

    def _skip_to_next_timer(self) -> None:
        while self._timers and self._timers[0][2].dead:
            heappop(self._timers)
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
        """Everybody waits for somebody else: the run would hang until its time is up."""
        self._limit_reached()

    def _limit_reached(self) -> None:
        self.budget.skipped += self.budget.remaining()
        try:
            self.budget.fail("wall_seconds")
        except BaseException as error:
            self.failure = error

    def close(self) -> None:
        """End every task that is left; nothing of the run goes on after this."""
        self._closing = True
        self._ready.clear()
        self._timers.clear()
        for _ in range(3):  # a dying task may have made others while it unwound
            for task in list(self._live):
                if not task.dead:
                    task.throw(GreenletExit)
            self._live.clear()

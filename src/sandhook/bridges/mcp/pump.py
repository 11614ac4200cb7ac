"""Pump: reads the messages of one side in turn by two threads, so that hooks need not wait for another thread.

A thread that has read a call runs its hooks itself, while the other thread reads on. Only when both are busy do hooks
go to a pool: nobody waits for hooks of another call.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Condition, Lock, Thread, local
from typing import TypeAlias

#: Hooks that run at once, besides those that a pump runs itself.
_THREADS = 16

Task: TypeAlias = Callable[[], None]


class Work:
    """Hooks that run, for any number of pumps.

    Args:
        note: Receives a line about what failed. Whoever submits a task answers for what it leaves undone.
    """

    def __init__(self, note: Callable[[str], None]) -> None:
        self.note = note
        self._pool = ThreadPoolExecutor(_THREADS, "sandhook-hooks")
        self._running = 0
        self._changed = Condition(Lock())
        self._here = local()

    def submit(self, task: Task) -> None:
        """Run a task in this thread after its message has been read, if another thread reads on; else in the pool."""
        with self._changed:
            self._running += 1
        pump: Pump | None = getattr(self._here, "pump", None)
        if pump is None or not pump.keep(task):
            self._pool.submit(self.run, task)

    def run(self, task: Task) -> None:
        """Run a task that was submitted."""
        try:
            task()
        except Exception as error:  # the thread has other lines to read
            self.note(f"hooks failed: {error.__class__.__name__}: {error}")
        finally:
            with self._changed:
                self._running -= 1
                if not self._running:
                    self._changed.notify_all()

    def settle(self) -> None:
        """Wait for tasks that run: what they decide about is still to be passed on."""
        with self._changed:
            self._changed.wait_for(lambda: not self._running)

    def reads_for(self, pump: Pump) -> None:
        """Note that this thread reads for a pump."""
        self._here.pump = pump


class Pump:
    """Passes lines on until there are no more.

    Args:
        read: Returns the next line; b"" at the end. A side that cannot be read has ended.
        pass_on: Receives each line, one after the other. It submits what takes long as its last step. A line for which
            it fails is dropped: nothing passes that was not checked.
        work: Receives that.
        at_end: Called after the last line, and after the tasks that the pump runs itself.
    """

    def __init__(
        self,
        read: Callable[[], bytes],
        pass_on: Callable[[bytes], None],
        work: Work,
        at_end: Callable[[], None],
    ) -> None:
        self._read, self._pass_on = read, pass_on
        self._work = work
        self._at_end = at_end
        self._turn = Lock()  # to read
        self._kept: Task | None = None
        self._is_running = False  # a thread of this pump runs a task; it is set by the one whose turn it is
        self._has_ended = False
        self._threads = 2

    def start(self) -> None:
        """Begin to read."""
        for _ in range(self._threads):
            Thread(target=self._pump, daemon=True).start()

    def keep(self, task: Task) -> bool:
        """Keep a task for the thread that reads; False if the other thread is not there to read on."""
        if self._is_running or self._kept is not None:
            return False
        self._kept = task
        return True

    def _pump(self) -> None:
        self._work.reads_for(self)
        while (task := self._next()) is not None:
            self._work.run(task)
            self._is_running = False
        with self._turn:
            self._threads -= 1
            is_last = not self._threads
        if is_last:
            self._at_end()

    def _next(self) -> Task | None:
        """Read until there is a task for this thread, and return that; None at the end."""
        with self._turn:
            while not self._has_ended:
                line = self._read_line()
                if not line:
                    self._has_ended = True
                    return None
                try:
                    self._pass_on(line)
                except Exception as error:
                    self._work.note(f"a message was not passed on: {error.__class__.__name__}: {error}")
                if self._kept is not None:
                    task, self._kept, self._is_running = self._kept, None, True
                    return task
        return None

    def _read_line(self) -> bytes:
        try:
            return self._read()
        except (OSError, ValueError) as error:  # ValueError: it is closed
            self._work.note(f"a side could not be read: {error.__class__.__name__}: {error}")
            return b""

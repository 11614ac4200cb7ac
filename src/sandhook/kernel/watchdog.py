"""The watchdog: one thread of the process that ends runs from outside.

At the deadline of a run it empties the run's slice of steps, so that the very next step reads the clock.
A run that still goes on GRACE seconds later is inside code that charges nothing, which is a defect of
sandhook: the watchdog then raises RunInterrupted in the thread of the run.

The thread is started by the first run of the process and sleeps while there are no runs.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock, get_ident, start_new_thread
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

from sandhook.limits import Budget, use_budget

#: How long a run may go on after its deadline, in seconds of processor time of its thread.
GRACE = 0.25

#: The same for a run that another limit ended before its deadline: it unwinds two thousand calls, and the
#: collector of a process with many objects may take a third of a second of that.
UNWINDING_GRACE = 2.0

#: The same in real seconds, for a thread that waits. On a busy machine a run may get a fiftieth of a processor, and
#: what a limit ended needs some hundredths of a second to free its memory.
LONGEST_GRACE = 10.0

#: Between two looks at the runs, and after the deadline of one, in seconds.
_TICK, _SHORT_TICK = 0.1, 0.01

#: Looks without a run before the thread sleeps until the next one.
_IDLE_TICKS = 50

_NEVER = float("inf")

#: The file of the frames that import modules.
_IMPORT_SYSTEM = "<frozen importlib._bootstrap"


class RunInterrupted(BaseException):
    """Raised in the thread of a run by the watchdog; no BaseException handler in the run may keep it."""


class WatchedRun:
    """A run as the watchdog sees it; made in the thread of the run.

    Attributes:
        deadline: When the run may be overdue at the earliest, in seconds of ``time.monotonic``.
        interrupted: The watchdog raised RunInterrupted in the run.
        watched: The run goes on; set to False at its end, before anything else.
    """

    __slots__ = (
        "_busy_since",
        "_late_since",
        "budget",
        "deadline",
        "interrupted",
        "interruptible",
        "thread",
        "watched",
    )

    def __init__(self, budget: Budget, *, interruptible: bool = True) -> None:
        self.budget = budget
        self.deadline = budget.started + budget.limits.wall_seconds
        self.interruptible = interruptible
        self.interrupted = False
        self.watched = True
        self.thread = get_ident()
        self._late_since = self._busy_since = 0.0

    def watch(self, body: Callable[[], None]) -> None:
        """Call ``body`` and watch it. Raises RunInterrupted in it, but not after this has returned."""
        outer = use_budget(self.budget)
        WATCHDOG.add(self)
        try:
            body()
        finally:
            # A call may be interrupted before its first statement, an assignment is not. So at most one
            # exception is on its way after this, and the second removal comes to its end.
            self.watched = False
            try:
                WATCHDOG.remove(self)
            except RunInterrupted:
                WATCHDOG.remove(self)
            use_budget(outer)

    def is_overdue(self) -> bool:
        """Return True GRACE seconds after the deadline; until then make the next step read the clock."""
        self.budget.expire()
        if not self.interruptible or self.budget.outside:
            self._late_since = 0.0
            return False
        now, busy = time.monotonic(), _busy_seconds(self.thread)
        if not self._late_since:
            self._late_since, self._busy_since = now, busy
            import ctypes  # noqa: F401  # next to a busy thread this takes a while, which belongs to the grace
        late = now - self._late_since
        grace = UNWINDING_GRACE if self._unwinds() else GRACE
        return late > LONGEST_GRACE or (late > grace and busy - self._busy_since > grace)

    def _unwinds(self) -> bool:
        """Return True if a limit ended the run that is neither its time nor its caller."""
        ended = self.budget.exhausted
        return (
            ended is not None
            and ended.limit not in ("wall_seconds", "cancelled")
            and self.budget.remaining() > 0
        )


class Watchdog:
    """Watches all runs of the process."""

    def __init__(self) -> None:
        self._enabled = True
        self.reset()

    def disable(self) -> None:
        """Start no thread: for a process that must have only one, and that somebody else ends in time."""
        self._enabled = False

    def reset(self) -> None:
        """Begin without runs and without a thread."""
        self._runs: set[WatchedRun] = set()
        self._lock = allocate_lock()
        self._bell = allocate_lock()  # locked while it is silent
        self._bell.acquire()
        self._started = False
        self._next_look = _NEVER

    def add(self, run: WatchedRun) -> None:
        """Watch a run of the calling thread until ``remove``."""
        self._runs.add(run)
        if run.deadline < self._next_look:
            self._ring()
        if not self._started and self._enabled:
            self._start()

    def remove(self, run: WatchedRun) -> None:
        """Forget a run that is over; RunInterrupted is not raised in its thread after this."""
        with self._lock:
            self._runs.discard(run)
            if run.interrupted:
                _consume_pending(run.thread)

    def _start(self) -> None:
        with self._lock:
            if self._started:
                return
            try:
                start_new_thread(self._watch, ())
            except RuntimeError:  # no threads here, or no longer: the runs still read the clock themselves
                return
            self._started = True

    def _ring(self) -> None:
        """Wake the thread."""
        if self._bell.locked():
            with suppress(RuntimeError):  # another thread was faster
                self._bell.release()

    def _watch(self) -> None:
        unused = 0
        while True:
            self._next_look = _NEVER  # a run that is added from now on rings
            self._bell.acquire(False)
            wait = self._look()
            unused = 0 if self._runs else unused + 1
            if unused < _IDLE_TICKS:
                self._next_look = time.monotonic() + wait
                self._bell.acquire(timeout=wait)
            else:
                self._bell.acquire()
                unused = 0

    def _look(self) -> float:
        """Look at all runs; return the seconds until the next look."""
        # The lock is held until no variable here refers to a run: what is left of one, greenlets among
        # it, must be freed in its own thread.
        with self._lock:
            runs = tuple(self._runs)
            wait = min((self._look_at(run) for run in runs), default=_TICK)
            del runs
        return wait

    @staticmethod
    def _look_at(run: WatchedRun) -> float:
        left = run.budget.remaining()
        if left > 0 and run.budget.exhausted is None:
            return min(max(left, _SHORT_TICK), _TICK)  # a sleep of the script, or cancel, moves the deadline
        if run.watched and run.is_overdue() and _interrupt(run.thread):
            run.interrupted = True
            return _TICK
        return _SHORT_TICK


def _busy_seconds(thread: int) -> float:
    """Return the processor time of a living thread, or of the process on a system that has no such clock."""
    clock_of, read = getattr(time, "pthread_getcpuclockid", None), getattr(time, "clock_gettime", None)
    return time.process_time() if clock_of is None or read is None else float(read(clock_of(thread)))


def _interrupt(thread: int) -> bool:
    """Raise RunInterrupted in a thread, unless it imports a module, which would stay half done."""
    import ctypes

    send, target, error = (
        ctypes.pythonapi.PyThreadState_SetAsyncExc, ctypes.c_ulong(thread), ctypes.py_object(RunInterrupted),
    )  # fmt: skip
    top = sys._current_frames().get(thread)
    if top is None:
        return False
    place = top.f_lasti
    frame: FrameType | None = top
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORT_SYSTEM):
            return False
        frame = frame.f_back
    # The thread may have run on during the loop. The interpreter does not change threads between this look
    # and the call, and frames are freed in their own thread.
    is_unchanged = top.f_lasti == place
    top = None
    if is_unchanged:
        send(target, error)
    return is_unchanged


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise an exception in another thread at its next instruction; it replaces one that is pending."""
    import ctypes

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _consume_pending(thread: int) -> None:
    """Receive the exception that may be pending in the present thread.

    Taking it back (a null pointer) would leave the interpreter's flag for it set: CPython 3.11 then hangs under
    ``sys.settrace``.
    """
    try:
        _raise_in(thread, RunInterrupted)
        while True:  # until the next look of the interpreter at its flag
            pass
    except RunInterrupted:
        return


#: The watchdog of this process.
WATCHDOG = Watchdog()

if hasattr(os, "register_at_fork"):
    # The thread stays in the parent, and a lock that it holds would stay locked in the child.
    os.register_at_fork(after_in_child=WATCHDOG.reset)

"""Limits (frozen: what is allowed) and Budget (what is left).

One Budget covers a whole run: the script, its subshells, background jobs, traps, and every
utility. It is charged before anything is allocated, and its exhaustion raises LimitExceeded,
which no script can catch.
"""

from __future__ import annotations

from _thread import _local as local
from _thread import allocate_lock
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import monotonic

from sandhook.errors import LimitExceeded, LimitName, WorkerCrash
from sandhook.record import Record
from sandhook.typed import Literal, NoReturn, Protocol, Self, TypeAlias, TypeVar

T = TypeVar("T")

#: ``LimitExceeded.limit`` of a run that the host ended through a Cancellation.
CANCELLED: Literal["cancelled"] = "cancelled"

#: Steps between two readings of the clock. A step costs 0.1 to 5 microseconds.
SLICE = 512

_ENDLESS = float("inf")

#: What output beyond ``Limits.output_bytes`` does: it ends the run, or is dropped.
Overflow: TypeAlias = Literal["fail", "drop"]


class Limits(Record):
    """The bounds of one run, each with its unit. No bound can be switched off."""

    wall_seconds: float = 5.0  #: virtual seconds: real time plus what `sleep` skipped
    output_bytes: int = 65_536  #: standard output and standard error together
    steps: int = 10_000_000  #: simple commands, loop turns, pattern and utility work units
    memory_bytes: int = (
        64 << 20
    )  #: variables, arguments, buffers of pipes, captured output and trees, all at once
    fs_bytes: int = 16 << 20  #: contents of all files
    fs_inodes: int = 10_000  #: files, directories, links
    call_depth: int = 2_000  #: nested functions, `source`, `eval`
    processes: int = 256  #: virtual processes alive at once
    input_bytes: int = 8 << 20  #: standard input, environment and arguments together
    script_bytes: int = 1 << 20  #: text of one script, sourced file, eval, or argument of a utility
    nesting: int = 100  #: syntactic nesting of one script; the parser never reads more than 200 levels
    fields: int = 200_000  #: fields that one expansion may give
    open_files: int = 256  #: descriptors of one process

    def __new__(cls, *args: float, **named: float) -> Self:
        """Make limits. Raises ValueError for a bound that is not a finite number above 0."""
        limits = super().__new__(cls, *args, **named)
        cls._check(zip(cls._fields, limits))
        return limits

    @staticmethod
    def _check(bounds: Iterable[tuple[str, float]]) -> None:
        for name, value in bounds:
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < _ENDLESS:
                raise ValueError(f"limits: {name}: wanted a finite number above 0, got {value!r}")

    def with_(self, **changes: float) -> Limits:
        """Return a copy with some bounds changed: ``limits.with_(wall_seconds=1.0)``."""
        limits = self._replace(**changes)
        self._check(changes.items())
        return limits

    @classmethod
    def generous(cls) -> Limits:
        """Return bounds for trusted work: ten minutes, gigabytes, deep recursion."""
        return cls(
            wall_seconds=600.0,
            output_bytes=256 << 20,
            steps=10_000_000_000,
            memory_bytes=2 << 30,
            fs_bytes=2 << 30,
            fs_inodes=1_000_000,
            call_depth=50_000,
            processes=4_096,
            input_bytes=256 << 20,
            script_bytes=64 << 20,
            nesting=100,
            fields=10_000_000,
            open_files=4_096,
        )


#: The bounds of a run whose caller sets none.
DEFAULT_LIMITS = Limits()


class Budget:
    """What is left of the limits during one run.

    The hot path is inlined by its users: ``budget.slice_left = slice_left = budget.slice_left - 1`` and, below zero,
    ``budget.next_slice()``. Everything else goes through ``charge`` and ``charge_memory``.

    Attributes:
        call_depth, memory_bytes: The limits of these names, read by every call and every charge.
        slice_left: Steps left before the next reading of the clock (not the whole remainder).
        skipped: Virtual seconds that the clock jumped over because every process slept.
        waited: Real seconds in which every process waited for real events.
        exhausted: The first limit that was exceeded, or None. Once set, every further charge fails.
        outside: Above 0 while code of the host runs for the script: a callback, a utility of the host.
    """

    __slots__ = (
        "_clock",
        "_reserve",
        "call_depth",
        "exhausted",
        "limits",
        "memory_bytes",
        "memory_used",
        "outside",
        "skipped",
        "slice_left",
        "started",
        "waited"
    )  # fmt: skip

    def __init__(self, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self.limits = limits
        self.call_depth = limits.call_depth
        self.memory_bytes = limits.memory_bytes
        self._clock = clock
        self.started = clock()
        self.skipped = 0.0
        self.waited = 0.0
        self.exhausted: LimitExceeded | None = None
        self.memory_used = 0
        self.outside = 0
        self.slice_left = min(SLICE, limits.steps)
        self._reserve = limits.steps - self.slice_left

    def elapsed(self) -> float:
        """Return the virtual seconds since the run began."""
        return self._clock() - self.started + self.skipped

    def remaining(self) -> float:
        """Return the virtual seconds left; never negative."""
        return max(0.0, self.limits.wall_seconds - self.elapsed())

    def next_slice(self) -> None:
        """Grant the next slice of steps, after checking the clock and the remainder."""
        if self.exhausted is not None:
            raise self.exhausted
        if self.elapsed() > self.limits.wall_seconds:
            self.fail("wall_seconds")
        want = SLICE - self.slice_left
        grant = min(want, self._reserve)
        if grant <= 0 or self.slice_left + grant < 0:
            self.fail("steps")
        self._reserve -= grant
        self.slice_left += grant

    def yield_slice(self) -> None:
        """Return the rest of the slice, so that the next step calls ``next_slice``."""
        if self.slice_left > 0:
            self._reserve += self.slice_left
            self.slice_left = 0

    def charge(self, steps: int) -> None:
        """Charge ``steps`` units of work at once (0 or more)."""
        self.slice_left -= steps
        if self.slice_left < 0:
            self.next_slice()

    def charge_memory(self, count: int) -> None:
        """Charge ``count`` bytes of memory before they are allocated; a negative count frees."""
        self.memory_used += count
        if self.memory_used > self.memory_bytes:
            self.fail("memory_bytes")

    def check_fits(self, count: int) -> None:
        """Raise for a single allocation of ``count`` bytes that could never fit; charges nothing."""
        if self.memory_used + count > self.memory_bytes:
            self.fail("memory_bytes")

    def cancel(self) -> None:
        """Exhaust the budget from another thread; the run ends at its next step."""
        if self.exhausted is None:
            self.exhausted = LimitExceeded(CANCELLED, 0)
        self.slice_left = -1

    def expire(self) -> None:
        """Make the next step read the clock; called from another thread after the deadline.

        A step that is under way may write back what was left of its slice: call this until the run has ended.
        """
        self.slice_left = -1

    def check_clock(self) -> None:
        """Raise LimitExceeded after the deadline; charges nothing. For work that is no step of the script."""
        if self.exhausted is not None:
            raise self.exhausted
        if self._clock() - self.started + self.skipped > self.limits.wall_seconds:
            self.fail("wall_seconds")

    def fail(self, limit: LimitName) -> NoReturn:
        """Exhaust the budget and raise LimitExceeded for the named field of Limits."""
        if self.exhausted is None:
            self.exhausted = LimitExceeded(limit, getattr(self.limits, limit))
        self.slice_left = -1
        raise self.exhausted

    def crash(self, reason: str) -> NoReturn:
        """Exhaust the budget because a worker process died, and raise WorkerCrash."""
        if self.exhausted is None:
            self.exhausted = WorkerCrash(reason)
        self.slice_left = -1
        raise self.exhausted


class _Thread(local):
    """What the present thread runs: its budget, and ``check_clock`` of this budget."""

    budget: Budget | None
    check: Callable[[], None]

    def __init__(self) -> None:
        self.budget = None
        self.check = _check_nothing


def _check_nothing() -> None:
    """Stand for the clock of a thread that runs nothing."""


_THREAD = _Thread()


def check_clock() -> None:
    """Raise LimitExceeded after the deadline of the run that the present thread is in, if it is in one.

    For what knows no run: the parser and the compiler, whose results all runs share.
    """
    _THREAD.check()


def present_budget() -> Budget | None:
    """Return the budget of the run that the present thread is in; None outside of runs."""
    return _THREAD.budget


def check_fits(count: int) -> None:
    """Raise LimitExceeded if ``count`` bytes cannot fit in the memory of the present run; charges nothing.

    For trees and tables that grow with a text, in code that knows no run.
    """
    if (budget := _THREAD.budget) is not None:
        budget.check_fits(count)


#: Characters of a text between two looks at the clock; of most work they are 1 to 10 milliseconds.
PIECE = 32_768


def timed_pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces, with a look at the clock before each: for work on every character."""
    if len(text) <= PIECE:
        yield text
        return
    for start in range(0, len(text), PIECE):
        check_clock()
        yield text[start : start + PIECE]


#: Items of a list between two looks at the clock.
_ITEMS = 8_192


def timed_items(items: Sequence[T]) -> Iterator[T]:
    """Yield the items of a list, with a look at the clock now and then: for work on every item."""
    if len(items) <= _ITEMS:
        yield from items
        return
    for start in range(0, len(items), _ITEMS):
        check_clock()
        yield from items[start : start + _ITEMS]


def use_budget(budget: Budget | None) -> Budget | None:
    """Make ``check_clock`` and ``check_fits`` ask ``budget`` in the present thread; return the one before. Runs may nest."""
    outer, _THREAD.budget = _THREAD.budget, budget
    _THREAD.check = _check_nothing if budget is None else budget.check_clock
    return outer


class Cancellable(Protocol):
    """What a Cancellation ends: a budget, or a run in another process."""

    def cancel(self) -> None:
        """End it, from another thread."""


class Cancellation:
    """Ends runs from another thread: pass it to the runs, then call ``cancel``.

    A run that is cancelled ends like one that used up a limit, at its next step; a run that has not
    begun does not begin. A Cancellation may serve any number of runs and is never reset.
    """

    __slots__ = ("_budgets", "_lock", "cancelled")

    def __init__(self) -> None:
        self.cancelled = False
        self._budgets: list[Cancellable] = []
        self._lock = allocate_lock()

    def cancel(self) -> None:
        """End all runs that hold this object, now and later."""
        with self._lock:
            self.cancelled = True
            for budget in self._budgets:
                budget.cancel()

    def attach(self, budget: Cancellable) -> None:
        """Make ``cancel`` end the run of this budget."""
        with self._lock:
            self._budgets.append(budget)
            if self.cancelled:
                budget.cancel()

    def detach(self, budget: Cancellable) -> None:
        """Forget a run that is over."""
        with self._lock:
            self._budgets.remove(budget)

"""Work that takes long: it goes on in a thread, has progress, and can be cancelled."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from sandhook.errors import ConfigError, SandhookError
from sandhook.hooks.decode import DecodeError
from sandhook.record import Record
from sandhook.studio.bench import StudioError

if TYPE_CHECKING:
    from sandhook.hooks.event import JsonObject

State = Literal["running", "done", "failed", "cancelled"]

#: Tasks that are kept.
MOST_TASKS = 16


class Cancelled(Exception):
    """Somebody wants no result of a task any more."""


class Result(Record):
    """What a task found.

    Attributes:
        value: For the page.
        open: Returns a cell down to its run, by what names it. Raises SandhookError.
    """

    value: JsonObject
    open: Callable[[JsonObject], JsonObject]


class Progress:
    """How far a task is. Its thread writes, others read."""

    def __init__(self) -> None:
        self.done = 0
        self.total = 0
        self.what = ""
        self._cancelled = threading.Event()

    def expect(self, total: int) -> None:
        """Set how many steps there are."""
        self.total = total

    def step(self, what: str = "") -> None:
        """Count a step. Raises Cancelled."""
        self.done += 1
        self.what = what or self.what
        self.check()

    def check(self) -> None:
        """Raise Cancelled if nobody wants the result any more."""
        if self._cancelled.is_set():
            raise Cancelled

    def cancel(self) -> None:
        """End the task at its next step."""
        self._cancelled.set()


class Task:
    """One task in a thread of its own.

    Attributes:
        kind: What it does.
        state: How it goes.
    """

    def __init__(self, kind: str, work: Callable[[Progress], Result]) -> None:
        self.kind = kind
        self.state: State = "running"
        self.progress = Progress()
        self.result: Result | None = None
        self._error = ""
        self._work = work
        self._thread = threading.Thread(target=self._run, name=f"sandhook-{kind}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.result = self._work(self.progress)
            self.state = "done"
        except Cancelled:
            self.state = "cancelled"
        except ConfigError as error:
            self._fail("; ".join(map(str, error.problems)) or str(error))
        except (SandhookError, DecodeError, ValueError) as error:
            self._fail(" ".join(str(error).split()))
        except Exception as error:
            self._fail(f"internal error: {error.__class__.__name__}: {error}")

    def _fail(self, why: str) -> None:
        self._error = why
        self.state = "failed"

    def wait(self) -> None:
        """Wait for the end of the task."""
        self._thread.join()

    def json(self, number: int) -> JsonObject:
        """Return how it goes, and at its end what it found."""
        return {
            "id": number,
            "kind": self.kind,
            "state": self.state,
            "done": self.progress.done,
            "total": self.progress.total,
            "what": self.progress.what,
            "error": self._error,
            "result": self.result.value if self.result is not None else None,
        }


class Tasks:
    """The tasks of a page. A new one of a kind cancels those before it. Any thread may call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tasks: OrderedDict[int, Task] = OrderedDict()
        self._last = 0

    def start(self, kind: str, work: Callable[[Progress], Result]) -> int:
        """Start a task and return its number."""
        with self._lock:
            for task in self._tasks.values():
                if task.kind == kind:
                    task.progress.cancel()
            self._last += 1
            self._tasks[self._last] = Task(kind, work)
            while len(self._tasks) > MOST_TASKS:
                self._tasks.popitem(last=False)[1].progress.cancel()
            return self._last

    def get(self, number: int) -> Task:
        """Return a task. Raises StudioError for one that is not kept."""
        with self._lock:
            task = self._tasks.get(number)
        if task is None:
            raise StudioError(f"there is no task {number}")
        return task

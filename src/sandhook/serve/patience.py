"""How long a worker process may be silent before it counts as hung and is killed.

Hooks have time limits of their own, which the worker keeps: before it fires, it reports how long its hooks may take.
Beyond that only a defect or a stopped process is silent, and nothing in the process could end that.
"""

from __future__ import annotations

#: Seconds between two looks at a worker that has something to do.
LOOK_SECONDS = 1.0

#: Seconds for what comes before the first report: reading the event and the configuration.
FIRST_SECONDS = 30.0

#: Seconds beyond what hooks may take, as a busy machine may give a process no time for a while.
MARGIN_SECONDS = 10.0

#: Looks at which a process is stopped before it is killed: a debugger or a system that runs short stops it briefly.
_STOPPED_LOOKS = 2


class Patience:
    """Measures one task of a worker after the other.

    Attributes:
        seconds: What the present hooks may take.
    """

    __slots__ = ("_is_reported", "_stopped", "_until", "seconds")

    def __init__(self) -> None:
        self.seconds = FIRST_SECONDS
        self._until = 0.0
        self._stopped = 0
        self._is_reported = False

    def begin(self, now: float) -> None:
        """Note that a task begins."""
        self._is_reported = False
        self._until = now + self.seconds + MARGIN_SECONDS
        self._stopped = 0

    def report(self, now: float, seconds: float) -> None:
        """Note how long the hooks of the task may take from now on. Raises ValueError for a second report."""
        if self._is_reported:  # endless reports would be endless time
            raise ValueError("two reports about one task")
        self.seconds = seconds
        self.begin(now)
        self._is_reported = True

    def fault(self, now: float, pid: int) -> str:
        """Return why the worker must be killed, "" while it need not. Called every LOOK_SECONDS."""
        if now >= self._until:
            return f"a worker did not answer within {self.seconds:g} seconds and {MARGIN_SECONDS:g} more"
        self._stopped = self._stopped + 1 if _is_stopped(pid) else 0
        return "a worker was stopped by a signal" if self._stopped >= _STOPPED_LOOKS else ""


def seconds_of(fields: list[bytes]) -> float | None:
    """Return what a worker reports about the time of its hooks, None for another message. Raises ValueError."""
    if len(fields) != 2 or fields[0] != b"within":
        return None
    seconds = float(fields[1])
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"{fields[1]!r}: wanted seconds")
    return seconds


def report_of(seconds: float) -> list[bytes]:
    """Return the message that ``seconds_of`` reads."""
    return [b"within", repr(seconds).encode("ascii")]


def _is_stopped(pid: int) -> bool:
    import psutil  # only for a task that takes long: it costs each service some megabytes

    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    except psutil.Error:  # it ended
        return False

"""Counters and histograms of a service, for Prometheus and for a page.

They are plain numbers: a counter of prometheus_client takes several microseconds, and a fire counts a dozen times.
Only the event loop's thread counts and reads.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from sandhook.hooks.event import Json, JsonObject
from sandhook.serve.tally import Tally

__all__ = ["CONTENT_TYPE_LATEST", "Metrics"]

#: Workspaces with a label of their own; an event without --workspace may be in any directory.
MOST_WORKSPACES = 64

#: The label of all further ones.
_OTHER = "other"

#: Seconds; a guard of one jq takes 0.3 ms, and a hook that asks a program seconds.
BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)


class Histogram:
    """Durations, counted by buckets.

    Attributes:
        counts: For each of BUCKETS how many durations are in it and not in the one before; then those beyond.
        total: The sum of all durations, in seconds.
    """

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Count a duration."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.total += seconds

    def cumulative(self) -> list[tuple[str, float]]:
        """Return the buckets as Prometheus has them."""
        count = 0
        rows = []
        for bound, own in zip((*map(str, BUCKETS), "+Inf"), self.counts):
            count += own
            rows.append((bound, float(count)))
        return rows


class HookNumbers:
    """What one hook of one agent did.

    Attributes:
        decisions: How often it decided what.
        failures: How often it could not run.
        times: How long it ran.
    """

    __slots__ = ("decisions", "failures", "times")

    def __init__(self) -> None:
        self.decisions: Counter[str] = Counter()
        self.failures = 0
        self.times = Histogram()

    def add(self, other: HookNumbers) -> None:
        """Count what another one counted."""
        self.decisions.update(other.decisions)
        self.failures += other.failures
        self.times.counts = [own + more for own, more in zip(self.times.counts, other.times.counts)]
        self.times.total += other.times.total


class Metrics:
    """What a service counts. Labels come from configurations, contracts and the first workspaces: they are bounded.

    Attributes:
        running, waiting: Events that are fired now, and that wait for it.
        overflows: Events that were refused because too many waited.
        restarts: Worker processes that ended and were replaced.
        stale: Engines whose newer configuration is not in use.
        hooks: By workspace, agent and hook.
    """

    def __init__(self) -> None:
        self.running = self.waiting = self.overflows = self.restarts = self.stale = 0
        self.hooks: dict[tuple[str, str, str], HookNumbers] = {}
        self._workspaces: set[str] = set()
        self._fires: Counter[tuple[str, str, str, str]] = Counter()
        self._seconds: dict[tuple[str, str], Histogram] = {}
        self._commands: Counter[tuple[str, str]] = Counter()
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def restarted(self) -> None:
        """Count a worker process that ended by itself."""
        self.restarts += 1

    def command(self, name: str, status: int) -> None:
        """Count a command of a client."""
        self._commands[name, str(status)] += 1

    def fire(self, ending: str, tally: Tally) -> None:
        """Count a fire and its hooks."""
        agent, workspace = tally.agent, self._label(tally.workspace)
        self._fires[workspace, agent, tally.event, ending] += 1
        seconds = self._seconds.get((workspace, agent))
        if seconds is None:
            seconds = self._seconds[workspace, agent] = Histogram()
        seconds.add(tally.seconds)
        for name, decision, failed, duration in tally.hooks:
            numbers = self.hooks.get((workspace, agent, name))
            if numbers is None:
                numbers = self.hooks[workspace, agent, name] = HookNumbers()
            numbers.decisions[decision] += 1
            numbers.failures += failed
            numbers.times.add(duration)

    def _label(self, workspace: str) -> str:
        if workspace not in self._workspaces:
            if len(self._workspaces) >= MOST_WORKSPACES:
                return _OTHER
            self._workspaces.add(workspace)
        return workspace

    def text(self) -> bytes:
        """Return the metrics in Prometheus's text format."""
        return generate_latest(self._registry)

    def json(self, workspace: str = "") -> JsonObject:
        """Return the numbers of all hooks as JSON values; the last bucket has no bound.

        Args:
            workspace: Counts only what was fired there; "" counts all workspaces together.
        """
        numbers: dict[tuple[str, str], HookNumbers] = {}
        for (place, agent, name), each in self.hooks.items():
            if workspace in ("", place):
                numbers.setdefault((agent, name), HookNumbers()).add(each)
        hooks: list[Json] = [
            {
                "agent": agent,
                "hook": name,
                "decisions": dict(each.decisions),
                "runs": sum(each.times.counts),
                "could_not_run": each.failures,
                "counts": list(each.times.counts),
                "seconds": round(each.times.total, 6),
            }
            for (agent, name), each in numbers.items()
        ]
        return {"bounds": list(BUCKETS), "hooks": hooks}

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics; prometheus_client calls it."""
        yield _counter(
            "fires", "Events that were fired.", ("workspace", "agent", "event", "ending"), self._fires.items()
        )
        yield _histogram(
            "fire_seconds",
            "Time of an event in the service, without the queue.",
            ("workspace", "agent"),
            self._seconds.items(),
        )
        yield _counter(
            "decisions",
            "Decisions of hooks.",
            ("workspace", "agent", "hook", "decision"),
            [
                ((*names, decision), count)
                for names, each in self.hooks.items()
                for decision, count in each.decisions.items()
            ],
        )
        yield _counter(
            "could_not_run",
            "Hooks that could not run.",
            ("workspace", "agent", "hook"),
            [(names, each.failures) for names, each in self.hooks.items() if each.failures],
        )
        yield _histogram(
            "hook_seconds",
            "Time of a hook.",
            ("workspace", "agent", "hook"),
            [(names, each.times) for names, each in self.hooks.items()],
        )
        yield _counter("commands", "Commands of clients.", ("command", "status"), self._commands.items())
        yield GaugeMetricFamily("sandhook_running", "Events that are fired now.", self.running)
        yield GaugeMetricFamily("sandhook_waiting", "Events that wait to be fired.", self.waiting)
        yield CounterMetricFamily(
            "sandhook_overflows", "Events refused because too many waited.", self.overflows
        )
        yield CounterMetricFamily(
            "sandhook_worker_restarts", "Worker processes that were replaced.", self.restarts
        )
        yield GaugeMetricFamily(
            "sandhook_stale_engines", "Engines whose newer configuration is not in use.", self.stale
        )


def _counter(
    name: str, text: str, labels: tuple[str, ...], values: Iterable[tuple[tuple[str, ...], int]]
) -> Metric:
    family = CounterMetricFamily(f"sandhook_{name}", text, labels=labels)
    for row, count in values:
        family.add_metric(row, count)
    return family


def _histogram(
    name: str, text: str, labels: tuple[str, ...], values: Iterable[tuple[tuple[str, ...], Histogram]]
) -> Metric:
    family = HistogramMetricFamily(f"sandhook_{name}", text, labels=labels)
    for row, each in values:
        family.add_metric(row, each.cumulative(), each.total)
    return family
